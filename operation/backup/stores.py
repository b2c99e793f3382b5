"""Where backups lie: a folder or a prefix in an S3 bucket. A file is there whole or not at all."""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from foundation.infra import s3
from operation.backup.errors import BackupError

_S3 = re.compile(r"s3://([A-Za-z0-9][A-Za-z0-9._-]*)(?:/(.+?))?/*\Z")


class BackupStore(Protocol):
    """Files by their names, with "/" between folders."""

    address: str

    def names(self, folder: str) -> Iterator[str]:
        """The names of all whole files below a folder, sorted."""

    def has(self, name: str) -> bool:
        """Whether this file is there."""

    def put(self, name: str, source: Path) -> None:
        """Copy a local file there, in place of one that was there. Raises: BackupError."""

    def get(self, name: str, target: Path) -> None:
        """Copy a file from there. Raises: BackupError, also if there is none."""

    def remove(self, name: str) -> None:
        """Remove a file; nothing happens if there is none. Raises: BackupError."""


def open_store(address: str) -> BackupStore:
    """The place of an address: an absolute or relative folder, or s3://BUCKET[/PREFIX]. Raises: BackupError."""
    if match := _S3.match(address):
        return S3Store(match[1], (match[2] or "").strip("/"))
    if "://" in address or not address.strip():
        raise BackupError(f"{address!r} is no place for backups: expected a folder or s3://BUCKET/PREFIX.")
    return FolderStore(Path(address).resolve())


class FolderStore:
    """A folder of this machine, or one that it has mounted."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.address = folder, str(folder)

    def names(self, folder: str) -> Iterator[str]:
        above = self.folder / folder
        try:
            paths = sorted(above.rglob("*"))
        except OSError as error:
            raise BackupError(f"{above} can't be listed: {error.strerror or error}.") from error
        for path in paths:
            if path.is_file() and not path.name.startswith(".part-"):
                yield path.relative_to(self.folder).as_posix()

    def has(self, name: str) -> bool:
        return self._path(name).is_file()

    def _path(self, name: str) -> Path:
        path = self.folder / name
        if path.resolve() != path:
            raise BackupError(f"{path} is a symbolic link, or lies outside: it isn't of Qreels's making.")
        return path

    def put(self, name: str, source: Path) -> None:
        target = self._path(name)
        part = target.with_name(f".part-{os.getpid()}-{target.name}")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with source.open("rb") as given, part.open("wb") as copy:
                shutil.copyfileobj(given, copy, 1 << 20)
                copy.flush()
                os.fsync(copy.fileno())
            part.replace(target)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise BackupError(f"{target} can't be written: {error.strerror or error}.") from error

    def get(self, name: str, target: Path) -> None:
        try:
            shutil.copyfile(self._path(name), target)
        except FileNotFoundError as error:
            raise BackupError(f"{self.folder / name} is missing.") from error
        except OSError as error:
            raise BackupError(f"{self.folder / name} can't be read: {error.strerror or error}.") from error

    def remove(self, name: str) -> None:
        try:
            (self.folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise BackupError(f"{self.folder / name} can't be removed: {error.strerror or error}.") from error


class S3Store:
    """A prefix in a bucket that exists, on the server of QREELS_BACKUP_S3_ENDPOINT, or else of QREELS_S3_ENDPOINT."""

    def __init__(self, bucket: str, prefix: str) -> None:
        self.bucket, self.prefix = bucket, f"{prefix}/" if prefix else ""
        self.address = f"s3://{bucket}/{prefix}".rstrip("/")

    @cached_property
    def _client(self) -> Any:
        return s3.client_for("BACKUP_")

    def names(self, folder: str) -> Iterator[str]:
        pages = self._client.get_paginator("list_objects_v2")
        with _told(f"{self.address}/{folder} can't be listed"):
            for page in pages.paginate(Bucket=self.bucket, Prefix=f"{self.prefix}{folder}/"):
                for entry in page.get("Contents", []):
                    yield entry["Key"].removeprefix(self.prefix)

    def has(self, name: str) -> bool:
        from botocore.exceptions import ClientError

        with _told(f"{self.address}/{name} can't be looked at"):
            try:
                self._client.head_object(Bucket=self.bucket, Key=self.prefix + name)
            except ClientError as error:
                if s3.is_missing(error):
                    return False
                raise
        return True

    def put(self, name: str, source: Path) -> None:
        with _told(f"{self.address}/{name} can't be written"):
            self._client.upload_file(str(source), self.bucket, self.prefix + name)

    def get(self, name: str, target: Path) -> None:
        with _told(f"{self.address}/{name} can't be read"):
            self._client.download_file(self.bucket, self.prefix + name, str(target))

    def remove(self, name: str) -> None:
        with _told(f"{self.address}/{name} can't be removed"):
            self._client.delete_object(Bucket=self.bucket, Key=self.prefix + name)


@contextmanager
def _told(failure: str) -> Iterator[None]:
    """Context that turns the errors of S3 and of the disk into BackupError."""
    from boto3.exceptions import Boto3Error
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except (Boto3Error, BotoCoreError, ClientError, OSError) as error:
        raise BackupError(f"{failure}: {error}.") from error
