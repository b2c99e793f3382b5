"""Files sent to a site in pieces: several at once, checked, and gone on with after a break."""

from __future__ import annotations

import base64
import os
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock

from .operations import CollectionCalls
from .problems import Conflict, Invalid, QreelsError
from .schemas import FileOut, NewFile, VideoUploadOut

PIECE = 8 << 20
BLOCK = 64 << 10
MOST_ANNOUNCED = 200
MOST_PUT_RIGHT = 10
"""Failures in a row, of pieces that belonged elsewhere or arrived damaged, until it gives up."""
Progress = Callable[[int, int], object]


@dataclass
class Uploaded:
    """What became of a folder's files."""

    files: list[VideoUploadOut] = field(default_factory=list)
    """Those that are on the site now, also from an earlier upload."""
    not_taken: dict[str, str] = field(default_factory=dict)
    """Why the others aren't, by name."""


class Sent:
    """How many bytes have arrived, of how many; told to `progress` from one thread at a time."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._arrived, self._total, self._progress, self._lock = 0, total, progress, Lock()

    def more(self, count: int) -> None:
        with self._lock:
            self._arrived += count
            if self._progress is not None:
                self._progress(self._arrived, self._total)


def upload_folder(
    collection: CollectionCalls, folder: Path, *, at_once: int, replace: bool, progress: Progress | None
) -> Uploaded:
    """See `Collection.upload_folder`."""
    if not folder.is_dir():
        raise NotADirectoryError(f"found no folder {folder}")
    places = {path.relative_to(folder).as_posix(): path for path in files_in(folder)}
    uploaded = Uploaded()
    to_send: list[VideoUploadOut] = []
    for names in _some(sorted(places), MOST_ANNOUNCED):
        files = [announced(places[name], name) for name in names]
        for name, answer in zip(names, collection.announce_videos(files=files, replace=replace), strict=True):
            if answer["upload"] is None or answer["state"] == "refused":
                uploaded.not_taken[name] = answer["problem"]
            elif answer["state"] == "arriving":
                to_send.append({**answer, "name": name})
            else:
                uploaded.files.append(answer)
    sent = Sent(sum(video["size"] - video["offset"] for video in to_send), progress)
    ended = Event()

    def send(video: VideoUploadOut) -> VideoUploadOut:
        try:
            return _send_video(collection, video, places[video["name"]], sent, ended)
        except BaseException:
            ended.set()  # the others stop after their piece
            raise

    with ThreadPoolExecutor(max_workers=at_once) as threads:
        try:
            uploaded.files += threads.map(send, to_send)
        finally:
            ended.set()
            threads.shutdown(cancel_futures=True)
    return uploaded


def _some(names: Sequence[str], most: int) -> Iterator[Sequence[str]]:
    for begin in range(0, len(names), most):
        yield names[begin : begin + most]


def files_in(folder: Path) -> Iterator[Path]:
    """The files of a folder and of those in it, without hidden ones."""
    for path in folder.rglob("*"):
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts):
            yield path


def announced(path: Path, name: str) -> NewFile:
    """What is said of a file before it is sent."""
    return {"name": name, "size": path.stat().st_size, "mark": mark_of(path)}


def mark_of(path: Path) -> str:
    """A file's fingerprint: the CRC-32 of its first, middle and last 64 KiB, in hexadecimal."""
    code = 0
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        for place in (0, max(0, size // 2 - BLOCK // 2), max(0, size - BLOCK)):
            file.seek(place)
            code = zlib.crc32(file.read(BLOCK), code)
    return f"{code:08x}"


def _send_video(
    collection: CollectionCalls, video: VideoUploadOut, path: Path, sent: Sent, ended: Event
) -> VideoUploadOut:
    key = video["upload"]
    assert key is not None

    def send(at: int, piece: bytes) -> int:
        nonlocal video
        video = collection.send_piece_of_video(key, upload_offset=at, upload_checksum=checksum(piece), content=piece)
        return video["offset"]

    _send_pieces(path, video["offset"], video["size"], send, sent, ended)
    if video["state"] == "arriving" and not ended.is_set():  # the answer to the last piece was lost
        video = collection.announce_videos(files=[announced(path, video["name"])])[0]
    return video


def send_file(collection: CollectionCalls, path: Path, *, progress: Progress | None) -> FileOut:
    """See `Collection.send_file`."""
    file = collection.announce_a_file(**announced(path, path.name))

    def send(at: int, piece: bytes) -> int:
        nonlocal file
        key = file["file"]
        file = collection.send_piece_of_file(key, upload_offset=at, upload_checksum=checksum(piece), content=piece)
        return file["offset"]

    _send_pieces(path, file["offset"], file["size"], send, Sent(file["size"] - file["offset"], progress), Event())
    if not file["whole"]:  # the answer to the last piece was lost
        file = collection.announce_a_file(**announced(path, path.name))
    return file


def _send_pieces(
    path: Path, offset: int, size: int, send: Callable[[int, bytes], int], sent: Sent, ended: Event
) -> None:
    """Send a file from an offset on, until it is whole or all is to end.

    A piece whose answer was lost is sent again; the site then says that the file goes on behind it.
    """
    wrong = 0
    with path.open("rb") as file:
        while offset < size and not ended.is_set():
            file.seek(offset)
            piece = file.read(PIECE)
            if not piece:
                raise QreelsError(f"{path} has become shorter than the {size:,} bytes that it had. Send it again.")
            try:
                now, wrong = send(offset, piece), 0
            except (Conflict, Invalid) as refusal:
                wrong += 1
                now = _goes_on(refusal)
                if wrong > MOST_PUT_RIGHT:
                    raise
            sent.more(now - offset)
            offset = now


def _goes_on(refusal: Conflict | Invalid) -> int:
    """Where a file goes on whose piece was refused. Raises: the refusal, where sending it again would be of no use."""
    offset = refusal.headers.get("Upload-Offset", "")
    if refusal.field not in ("header.Upload-Offset", "header.Upload-Checksum", "") or not offset.isdecimal():
        raise refusal
    if refusal.retry_after:
        time.sleep(refusal.retry_after)
    return int(offset)


def checksum(piece: bytes) -> str:
    """A piece's CRC-32 as the header Upload-Checksum says it."""
    return f"crc32 {base64.b64encode(zlib.crc32(piece).to_bytes(4, 'big')).decode()}"
