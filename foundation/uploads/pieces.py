"""Files in pieces: the row says how many bytes are safe on the disk, and a piece is taken only there.

So a piece that is sent twice changes nothing, and after a lost connection the same file goes on where it stopped.
"""

import base64
import binascii
import os
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Protocol, TypeVar

from django.conf import settings
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from foundation.infra.advisory_lock import alone_at
from foundation.infra.storage import NO_SPACE, NoSpace
from foundation.refused import Refused

LONGEST_PIECE = 8 << 20
"""Bytes."""
BLOCK = 64 * 1024
"""Bytes, of a file's mark."""
NO_ROOM = (
    "There isn't enough space on the server's disk: {needed} are needed and {free} can be used. What has arrived is "
    "kept; choose the file again once there is space."
)


class DamagedPiece(Refused):
    """The piece isn't what was sent: its checksum is another."""


class WrongOffset(Exception):
    """The piece doesn't begin where the file goes on: at `offset`."""

    def __init__(self, offset: int) -> None:
        super().__init__(f"The file goes on at byte {offset}.")
        self.offset = offset


class UploadBusy(Exception):
    """Another piece of this file is arriving at this moment."""


class Arriving(Protocol):
    """The row of a file in pieces. LOCK: the name of the advisory lock, which whoever adds to the file holds."""

    LOCK: str
    pk: Any
    size: int
    received: int

    @property
    def part(self) -> Path:
        """Where it lies."""

    @property
    def arriving(self) -> bool:
        """Whether it isn't whole."""

    def refresh_from_db(self) -> None:
        """Read the row anew."""


Row = TypeVar("Row", bound=Arriving)


def add_piece(
    *, upload: Row, offset: int, piece: IO[bytes], length: int, checksum: int | None, finish: Callable[[Row], None]
) -> None:
    """Add a piece to a file, and `finish` the file with its last.

    Args:
        offset: where it begins in the file; it has to be where the file goes on.
        piece: `length` bytes, which are read in blocks.
        checksum: its CRC-32 if the sender knows it.

    Raises: WrongOffset, UploadBusy, Refused, NoSpace. OSError. The model's DoesNotExist if it was removed.
    """
    with alone_at(upload.LOCK, upload.pk, wait=False) as ours:
        if not ours:
            raise UploadBusy("Another piece of this file is arriving at this moment.")
        upload.refresh_from_db()
        if not upload.arriving or offset != upload.received:
            raise WrongOffset(upload.received)
        if offset + length > upload.size:
            raise Refused(
                _("The piece is too long: found %(found)s bytes in all, expected %(expected)s.")
                % {"found": f"{offset + length:,}", "expected": f"{upload.size:,}"}
            )
        if length and length > free_space():
            raise NoSpace(NO_ROOM.format(needed=in_bytes(length), free=in_bytes(max(0, free_space()))))
        _write(upload, piece, length, checksum)
        note_received(upload, offset + length)
        if upload.received == upload.size:
            finish(upload)


def note_received(upload: Arriving, count: int) -> None:
    """Store how many bytes of a file are safe."""
    model: Any = type(upload)
    model.objects.filter(pk=upload.pk).update(received=count, touched_at=Now())
    upload.received = count


def _write(upload: Arriving, piece: IO[bytes], length: int, checksum: int | None) -> None:
    crc, left = 0, length
    try:
        upload.part.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(upload.part, os.O_WRONLY | os.O_CREAT, 0o640), "wb") as part:
            part.seek(upload.received)
            while left and (block := piece.read(min(left, 256 * 1024))):
                part.write(block)
                crc = zlib.crc32(block, crc)
                left -= len(block)
            part.truncate()
            part.flush()
            # What the answer calls safe is on the disk.
            os.fsync(part.fileno())
    except OSError as error:
        if error.errno in NO_SPACE:
            raise NoSpace(NO_ROOM.format(needed=in_bytes(length), free=in_bytes(max(0, free_space())))) from error
        raise
    if left:
        sentence = _("The piece broke off: found %(found)s bytes, expected %(expected)s.")
        raise Refused(sentence % {"found": f"{length - left:,}", "expected": f"{length:,}"})
    if checksum is not None and checksum != crc:
        raise DamagedPiece(_("The piece was damaged on its way. It is sent again."))


def refuse_other_content(upload: Arriving, mark: str) -> None:
    """Remove what arrived if it isn't what was announced. Raises: Refused."""
    if mark_of_file(upload.part) == mark:
        return
    upload.part.unlink(missing_ok=True)
    note_received(upload, 0)
    raise Refused(_("What arrived isn't the file that was chosen; it may have changed. Choose it again."))


def checksum_said(header: str) -> int | None:
    """The CRC-32 in "crc32 BASE64"; None if nothing is said. Raises: ValueError."""
    if not header:
        return None
    try:
        kind, code = header.split()
        checksum = base64.b64decode(code, validate=True)
    except (ValueError, binascii.Error):
        kind, checksum = "", b""
    if kind != "crc32" or len(checksum) != 4:
        raise ValueError(f"Found Upload-Checksum: {header[:40]}, expected crc32 and four bytes in base 64.")
    return int.from_bytes(checksum, "big")


def mark_of_file(path: Path) -> str:
    """A file's mark: the CRC-32 of its first, middle and last block one after the other, in hexadecimal.

    A browser can compute it without reading the whole file (static/js/uploading/marks.js), on plain HTTP too.
    """
    crc = 0
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        for place in (0, max(0, size // 2 - BLOCK // 2), max(0, size - BLOCK)):
            file.seek(place)
            crc = zlib.crc32(file.read(BLOCK), crc)
    return f"{crc:08x}"


def folder_of_parts() -> Path:
    """Where files lie while they arrive."""
    return Path(settings.VIDEO_FOLDER) / ".parts"


def free_space() -> int:
    """Bytes that uploads may still take of the disk, which keeps QREELS_FREE_MB free; may be negative."""
    folder = Path(settings.VIDEO_FOLDER)
    there = next(place for place in (folder, *folder.parents) if place.exists())
    return shutil.disk_usage(there).free - int(settings.FREE_SPACE)


def in_bytes(count: int) -> str:
    """A number of bytes for people.

    >>> in_bytes(999), in_bytes(5_400_000), in_bytes(12_345_678_901)
    ('999 bytes', '5.4 MB', '12.3 GB')
    """
    for unit, factor in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if count >= factor:
            return f"{count / factor:,.1f} {unit}"
    return f"{count:,} byte{'' if count == 1 else 's'}"
