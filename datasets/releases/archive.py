"""A release's archive: a byte-reproducible .tar.gz in the default storage."""

import gzip
import hashlib
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.core.files import File
from django.core.files.storage import default_storage

from evaluation.releases.untrusted_files import UnreadableFile
from foundation.infra.progress import Advance
from foundation.infra.storage import keep_file
from foundation.refused import Refused

CHUNK = 1 << 20


class DamagedArchive(Refused):
    """An archive that isn't what was stored; the message says how."""


@contextmanager
def unreadable_is_damage() -> Iterator[None]:
    """Context in which a file of a release that can't be read is a `DamagedArchive`."""
    try:
        yield
    except UnreadableFile as error:
        raise DamagedArchive(str(error)) from error


def unseen(done: int) -> None:
    """No progress display."""


def sha256_of(file: IO[bytes], progress: Advance = unseen) -> tuple[str, int]:
    """SHA-256 (hex) and size in bytes of a file from its present position on."""
    digest, size = hashlib.sha256(), 0
    while chunk := file.read(CHUNK):
        digest.update(chunk)
        size += len(chunk)
        progress(len(chunk))
    return digest.hexdigest(), size


def files_in(folder: Path) -> list[str]:
    """The paths of all files in a folder and its subfolders, relative to it, with slashes, sorted."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())


class _Watched:
    """A file that reports how many bytes are read from it."""

    def __init__(self, file: IO[bytes], progress: Advance) -> None:
        self._file, self._progress = file, progress

    def read(self, size: int = -1) -> bytes:
        chunk = self._file.read(size)
        self._progress(len(chunk))
        return chunk


def size_of(folder: Path) -> int:
    """The bytes of all files in a folder."""
    return sum((folder / path).stat().st_size for path in files_in(folder))


def pack(folder: Path, archive: Path, top: str, progress: Advance = unseen) -> str:
    """Write all files of a folder to an archive. Returns: its SHA-256.

    Args:
        top: the one folder that unpacking it makes.
        progress: called with the number of bytes packed since the last call.
    """
    with (
        archive.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=6, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as tar,
    ):
        for path in files_in(folder):
            entry = tarfile.TarInfo(f"{top}/{path}")  # neither time nor owner: only name, size and bytes
            entry.size = (folder / path).stat().st_size
            with (folder / path).open("rb") as file:
                tar.addfile(entry, _Watched(file, progress))
    with archive.open("rb") as file:
        return sha256_of(file)[0]


def keep(archive: Path, name: str) -> str:
    """Store an archive. Returns: its name in the storage. Raises: StoringError."""
    with archive.open("rb") as file:
        return keep_file(name, File(file))


def unpack(name: str, sha256: str, files: Mapping[str, str], folder: Path, progress: Advance = unseen) -> None:
    """Write a stored archive's files into a folder, comparing every hash.

    Args:
        name: the archive's name in the storage.
        sha256: the archive's.
        files: path -> SHA-256 of what must be in it, no more and no less.
        progress: called with the number of bytes written since the last call.

    Raises: DamagedArchive if it is missing or anything differs.
    """
    if not default_storage.exists(name):
        raise DamagedArchive(f"its archive {name} is no longer in the storage")
    with default_storage.open(name, "rb") as stored:
        stored_sha256, _ = sha256_of(stored)
        if stored_sha256 != sha256:
            raise DamagedArchive(f"its archive {name} is damaged: SHA-256 {stored_sha256}, expected {sha256}")
        stored.seek(0)
        try:
            written = dict(_unpack_members(stored, files, folder, progress))
        except (gzip.BadGzipFile, EOFError, zlib.error, tarfile.TarError) as error:
            raise DamagedArchive(f"its archive {name} can't be unpacked: {error}") from error
    for path, expected in files.items():
        if written.get(path) != expected:
            raise DamagedArchive(f"{path} in its archive has SHA-256 {written.get(path)}, expected {expected}")


def path_within(entry: str) -> str:
    """The path in a release of an archive's entry: without its top folder."""
    return entry.partition("/")[2]


def copy_hashed(source: IO[bytes], target: IO[bytes], progress: Advance = unseen) -> str:
    """Copy a file. Returns: the SHA-256 of what was written."""
    digest = hashlib.sha256()
    while chunk := source.read(CHUNK):
        digest.update(chunk)
        target.write(chunk)
        progress(len(chunk))
    target.flush()
    return digest.hexdigest()


def _unpack_members(
    stored: IO[bytes], files: Mapping[str, str], folder: Path, progress: Advance
) -> Iterator[tuple[str, str]]:
    with tarfile.open(fileobj=stored, mode="r|gz") as tar:
        for entry in tar:
            source, path = tar.extractfile(entry), path_within(entry.name)
            if path not in files or source is None:
                raise DamagedArchive(f"its archive holds {entry.name}, which the manifest doesn't know")
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            with (folder / path).open("wb") as target:
                yield path, copy_hashed(source, target, progress)
