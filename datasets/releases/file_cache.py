"""Single files of a release, extracted from its archive once and cached by hash."""

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
        taken_out = None
        try:
            with tarfile.open(fileobj=stored, mode="r|gz") as tar:
                for entry in tar:
                    source = tar.extractfile(entry) if archive.path_within(entry.name) == path else None
                    if source is not None:
                        taken_out = archive.copy_hashed(source, scratch)
                        break
        except (OSError, EOFError, tarfile.TarError) as error:
            raise archive.DamagedArchive(f"its archive {release.archive} can't be read: {error}") from error
        if taken_out != sha256:
            raise archive.DamagedArchive(f"{path} in its archive has SHA-256 {taken_out}, expected {sha256}")
        scratch.seek(0)
        saved_as = default_storage.save(name, File(scratch))
        if saved_as != name:  # somebody else was as fast: one is enough
            default_storage.delete(saved_as)


@contextmanager
def file_on_disk(release: Release, path: str) -> Iterator[Path]:
    """Context with the verified file under its own name in a temporary folder.

    Raises: archive.DamagedArchive also for what can't be read there.
    """
    with tempfile.TemporaryDirectory(prefix="qreels-release-file-") as folder:
        copy = Path(folder) / Path(path).name
        with open_file(release, path) as source, copy.open("wb") as target:
            sha256 = archive.copy_hashed(source, target)
        if sha256 != release.files[path]:
            # The archive still has it: the next who asks takes it out anew.
            default_storage.delete(stored_name(release.files[path]))
            raise archive.DamagedArchive(f"its {path} in the storage has SHA-256 {sha256}: try again")
        with archive.unreadable_is_damage():
            yield copy
