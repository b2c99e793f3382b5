"""Write to and delete from the storage: one kind of error for every backend, no half-written files."""

import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, Any

from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from foundation.refused import Refused


class StoringError(Refused):
    """The storage refused; the message names the file and repeats the storage's own words."""

    status = 507


class NoSpace(StoringError):
    """The disk is full; the message is a sentence for the page."""


NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""Error numbers of a full disk."""
SPACE_NEEDED = _("The server's disk is full, so the file can't be kept. Nothing was changed.")


@contextmanager
def space_told() -> Iterator[None]:
    """Context in which this machine's full disk is told as the storage's is. Raises: NoSpace."""
    try:
        yield
    except OSError as error:
        if error.errno not in NO_SPACE:
            raise
        raise NoSpace(SPACE_NEEDED) from error


def keep_file(name: str, content: "File[Any] | IO[bytes]") -> str:
    """Write a new file. Returns: its name in the storage. Raises: StoringError; then nothing of it is left."""
    # Asked for here and not by `save`, which doesn't say where it has left half a file.
    name = default_storage.get_available_name(name)
    try:
        return default_storage.save(name, content)
    except Exception as error:  # disks and clouds each have their own errors, and no common one
        with suppress(Exception):
            default_storage.delete(name)
        if isinstance(error, OSError) and error.errno in NO_SPACE:
            raise NoSpace(SPACE_NEEDED) from error
        raise StoringError(f"{name} can't be stored: {error}") from error


def store_file(name: str, content: bytes) -> str:
    """Write a new file of these bytes: `keep_file`."""
    return keep_file(name, ContentFile(content))


def delete_file(name: str) -> None:
    """Remove a file, or do nothing if there is none. Raises: StoringError."""
    try:
        default_storage.delete(name)
    except Exception as error:  # as above
        raise StoringError(f"{name} can't be removed from the storage: {error}") from error


def delete_at_commit(names: Iterable[str]) -> None:
    """Remove files once what is written now is committed; one that can't be removed is logged, and stops nothing."""
    for name in names:
        transaction.on_commit(partial(delete_file, name), robust=True)


@contextmanager
def kept_files(files: Iterable[tuple[str, Path]]) -> Iterator[list[str]]:
    """Context with new files of (name, the file here); none of them stays if what is done with them fails.

    Yields: their names in the storage. Raises: StoringError.
    """
    names: list[str] = []
    try:
        for name, path in files:
            with path.open("rb") as file:
                names.append(keep_file(name, file))
        yield names
    except BaseException:
        for name in names:
            with suppress(Exception):
                delete_file(name)
        raise


def path_here(name: str) -> Path | None:
    """A file of the storage as one of this machine; None where the storage is no folder."""
    try:
        return Path(default_storage.path(name))
    except NotImplementedError:
        return None


def names_below(folder: str) -> set[str]:
    """The names of all files below a folder of the storage, by listing and not file by file. Raises: StoringError."""
    try:
        if hasattr(default_storage, "bucket") and hasattr(default_storage, "location"):
            # S3: a thousand names a request, whatever the folders.
            start = f"{default_storage.location.strip('/')}/".lstrip("/")
            entries = default_storage.bucket.objects.filter(Prefix=f"{start}{folder}/")
            return {entry.key.removeprefix(start) for entry in entries}
        return set(_walk(folder))
    except FileNotFoundError:
        return set()
    except Exception as error:  # as above
        raise StoringError(f"the storage can't be listed: {error}") from error


def _walk(folder: str) -> Iterator[str]:
    folders, files = default_storage.listdir(folder)
    yield from (f"{folder}/{name}" for name in files)
    for name in folders:
        yield from _walk(f"{folder}/{name}")
