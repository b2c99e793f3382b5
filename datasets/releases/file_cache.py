"""Single files of a release, extracted from its archive once and cached by hash."""

import hashlib
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.core.files import File
from django.core.files.storage import default_storage

from datasets.models import Release
from datasets.releases import archive
from foundation.refused import Refused


class NoSuchFile(Refused):
    """The release has no file of that name."""


def stored_name(sha256: str) -> str:
    """The name in the storage of a file with this SHA-256."""
    return f"release-files/{sha256[:2]}/{sha256}"


def open_file(release: Release, path: str) -> IO[bytes]:
    """Open a release's file for reading.

    Raises: NoSuchFile; archive.DamagedArchive if the archive is missing or the file in it is another.
    """
    sha256 = release.files.get(path)
    if sha256 is None:
        raise NoSuchFile(f"release {release.name} has no file {path!r}")
    name = stored_name(sha256)
    if not default_storage.exists(name):
        _take_out(release, path, sha256, name)
    file: IO[bytes] = default_storage.open(name, "rb")
    return file


def _take_out(release: Release, path: str, sha256: str, name: str) -> None:
    if not default_storage.exists(release.archive):
        raise archive.DamagedArchive(f"its archive {release.archive} is no longer in the storage")
    with default_storage.open(release.archive, "rb") as stored, tempfile.TemporaryFile() as scratch:
        found = None
        try:
            with tarfile.open(fileobj=stored, mode="r|gz") as tar:
                for entry in tar:
                    is_it = archive.path_within(entry.name, release.files) == path
                    source = tar.extractfile(entry) if is_it else None
                    if source is not None:
                        found = _copy(source, scratch)
                        break
        except (OSError, EOFError, tarfile.TarError) as error:
            raise archive.DamagedArchive(f"its archive {release.archive} can't be read: {error}") from error
        if found != sha256:
            raise archive.DamagedArchive(f"{path} in its archive has SHA-256 {found}, expected {sha256}")
        scratch.seek(0)
        kept = default_storage.save(name, File(scratch))
        if kept != name:  # somebody else was as fast: one is enough
            default_storage.delete(kept)


@contextmanager
def file_on_disk(release: Release, path: str) -> Iterator[Path]:
    """Context with the verified file under its own name in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="qreels-release-file-") as folder:
        copy = Path(folder) / Path(path).name
        with open_file(release, path) as source, copy.open("wb") as target:
            found = _copy(source, target)
        if found != release.files[path]:
            name = stored_name(release.files[path])
            default_storage.delete(name)  # the archive still has it: the next who asks takes it out anew
            raise archive.DamagedArchive(f"its {path} in the storage has SHA-256 {found}: try again")
        yield copy


def _copy(source: IO[bytes], target: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while chunk := source.read(archive.CHUNK):
        digest.update(chunk)
        target.write(chunk)
    target.flush()
    return digest.hexdigest()
