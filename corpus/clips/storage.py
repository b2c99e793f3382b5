"""Clip storage with one kind of error, whatever the backend."""

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage


class StoringError(Exception):
    """The storage refused; the message names the file and repeats the storage's own words."""


def store_file(name: str, content: bytes) -> str:
    """Write a new file. Returns: its name in the storage. Raises: StoringError."""
    try:
        return default_storage.save(name, ContentFile(content))
    except Exception as error:  # disks and clouds each have their own errors, and no common one
        raise StoringError(f"{name} can't be stored: {error}") from error


def delete_file(name: str) -> None:
    """Remove a file, or do nothing if there is none. Raises: StoringError."""
    try:
        default_storage.delete(name)
    except Exception as error:  # as above
        raise StoringError(f"{name} can't be removed from the storage: {error}") from error
