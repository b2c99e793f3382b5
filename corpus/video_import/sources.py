"""Places that the installation lets leads import videos from (QREELS_VIDEO_SOURCES): folders of the server, S3."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from django.conf import settings

from corpus.clips.import_videos import SOUND_SUFFIXES, VIDEO_SUFFIXES, files_below
from evaluation.reading.subtitles import ENDINGS
from foundation.infra import s3
from foundation.refused import Refused
from foundation.text import UNSTORABLE, is_utf8, legible

LOOKED_AT = 20_000
"""Files that are looked at before a place's survey says "at least"."""
NAMED = 20
MEDIA = VIDEO_SUFFIXES | SOUND_SUFFIXES
FETCHED = MEDIA | set(ENDINGS)
"""Suffixes of what is copied from S3: videos, sound, and subtitles."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What lies in a place: videos (folders of pictures too) with the first names, their bytes, and places below it."""

    address: str
    root: str
    above: str = ""
    """The place that it lies in; "" for a root."""
    videos: int = 0
    picture_folders: int = 0
    size: int = 0
    names: list[str] = field(default_factory=list)
    below: list[str] = field(default_factory=list)
    more: bool = False
    """Whether there is more than was looked at."""
    left_out: list[str] = field(default_factory=list)
    """The first files and folders whose names aren't UTF-8, which can't be imported."""


def open_source(address: str) -> "FolderSource | S3Source":
    """The place at an address that lies in a root which the installation names, also after following links.

    Raises: Refused for any other, or one that isn't there.
    """
    if address.startswith("s3://"):
        place = address.rstrip("/")
        root = next((root for root in settings.VIDEO_SOURCES if f"{place}/".startswith(f"{root}/")), None)
        if root is None:
            raise Refused(_foreign(address))
        bucket, _, prefix = place.removeprefix("s3://").partition("/")
        return S3Source(place, root, bucket, prefix)
    for root in settings.VIDEO_SOURCES:
        if root.startswith("/") and Path(address).is_absolute():
            folder = _folder_in(Path(root), Path(address))
            if folder is not None:
                return FolderSource(str(folder), root, folder)
    raise Refused(_foreign(address))


def _folder_in(root: Path, asked: Path) -> Path | None:
    try:
        folder, real_root = asked.resolve(strict=True), root.resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        return None
    return folder if folder.is_dir() and folder.is_relative_to(real_root) and is_utf8(folder) else None


def _foreign(address: str) -> str:
    asked = UNSTORABLE.sub("\ufffd", address[:200])
    return (
        f"{asked} isn't in a place that this installation allows, or there is no such folder: expected one "
        f"below {', '.join(settings.VIDEO_SOURCES) or 'a place that QREELS_VIDEO_SOURCES names'}."
    )


@dataclass(frozen=True, slots=True)
class FolderSource:
    """A folder of the server, without links; the workers see it at the same path."""

    address: str
    root: str
    path: Path

    @property
    def within(self) -> Path:
        """What links in it mustn't lead out of."""
        return Path(self.root).resolve()

    def survey(self) -> Survey:
        """Look at up to `LOOKED_AT` files. Raises: Refused."""
        videos, picture_folders, size, more = 0, 0, 0, False
        names: list[str] = []
        left_out: list[str] = []
        try:
            below = sorted(entry.path for entry in os.scandir(self.path) if self._is_place(entry))
            for count, (path, is_folder) in enumerate(files_below(self.path, self.within)):
                if count >= LOOKED_AT:
                    more = True
                    break
                if not is_folder and not (path.suffix.lower() in MEDIA and path.is_file()):
                    continue
                name = path.relative_to(self.path)
                if not is_utf8(path):
                    left_out.append(legible(name))
                    continue
                if is_folder:
                    picture_folders += 1
                else:
                    videos += 1
                    size += path.stat().st_size
                names.append(str(name))
        except OSError as error:
            raise Refused(f"{self.address} can't be read: {error.strerror}.") from error
        above = str(self.path.parent) if self.path != self.within else ""
        shown, unnamed = sorted(names[:NAMED]), sorted(left_out[:NAMED])
        return Survey(self.address, self.root, above, videos, picture_folders, size, shown, below, more, unnamed)

    def _is_place(self, entry: "os.DirEntry[str]") -> bool:
        if entry.name.startswith(".") or not entry.is_dir():
            return False
        path = Path(entry.path)
        return is_utf8(path) and path.resolve().is_relative_to(self.within)


@dataclass(frozen=True, slots=True)
class S3Object:
    """An object of a bucket. `name`: its key below the source's prefix."""

    key: str
    name: str
    size: int
    etag: str


@dataclass(frozen=True, slots=True)
class S3Source:
    """A prefix in a bucket."""

    address: str
    root: str
    bucket: str
    prefix: str

    def client(self) -> Any:
        """A client of QREELS_VIDEO_S3_ENDPOINT, or else of QREELS_S3_ENDPOINT."""
        return s3.client_for("VIDEO_")

    def objects(self) -> Iterator[S3Object]:
        """The videos below the prefix, and files of subtitles, in the order of their keys. Raises: Refused."""
        from botocore.exceptions import BotoCoreError, ClientError

        start = f"{self.prefix}/" if self.prefix else ""
        try:
            pages = self.client().get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=start)
            for page in pages:
                for entry in page.get("Contents", []):
                    key = entry["Key"]
                    if PurePosixPath(key).suffix.lower() in FETCHED and entry["Size"]:
                        yield S3Object(key, key.removeprefix(start), entry["Size"], entry["ETag"].strip('"'))
        except (BotoCoreError, ClientError) as error:
            raise Refused(f"{self.address} can't be listed: {error}.") from error

    def survey(self) -> Survey:
        """Look at up to `LOOKED_AT` videos. Raises: Refused."""
        names: list[str] = []
        below: set[str] = set()
        videos, size, more = 0, 0, False
        for video in self.objects():
            if video.name.lower().endswith(ENDINGS):
                continue
            if videos >= LOOKED_AT:
                more = True
                break
            videos += 1
            size += video.size
            if "/" in video.name:
                below.add(f"{self.address}/{video.name.partition('/')[0]}")
            if len(names) < NAMED:
                names.append(video.name)
        above = self.address.rpartition("/")[0] if self.address != self.root else ""
        return Survey(self.address, self.root, above, videos, 0, size, names, sorted(below), more)
