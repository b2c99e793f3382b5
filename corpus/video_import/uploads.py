"""Resumable uploads: files are announced by name, size and mark, arrive in pieces, and are kept once they are whole.

The row says how many bytes are safe on the disk; a piece is taken only there. So a piece that is sent twice changes
nothing, and after a lost connection, a reload or in another tab the same file goes on where it stopped.
"""

import os
import shutil
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path, PurePosixPath
from typing import IO

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import F, Sum
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from corpus.clips.video_reader import BLOCK
from corpus.description_formats import Choices
from corpus.description_import.previews import keep_for_preview
from corpus.infra.advisory_lock import alone_at
from corpus.infra.jobs import ask
from corpus.infra.storage import NO_SPACE, NoSpace, StoringError
from corpus.models import Collection, Membership, VideoUpload
from corpus.video_import.file_names import is_description_file, why_no_name, why_no_video

KEPT_FOR = timedelta(days=7)
"""After so long without a piece, a part is removed."""
STRAYS_AT_ONCE = 100
NO_ROOM = (
    "There isn't enough space on the server's disk: {needed} are needed and {free} can be used. What has arrived is "
    "kept; choose the file again once there is space."
)

S3_MARK = "s3:"
"""Begins the mark of an object of S3."""

State = VideoUpload.State


@dataclass(frozen=True, slots=True)
class Announced:
    """A file that somebody wants to send. `mark`: as `mark_of_file`; another file has another."""

    name: str
    size: int
    mark: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What becomes of an announced file: its upload, to go on or already here, or a sentence why it isn't taken."""

    upload: VideoUpload | None
    problem: str = ""


class UploadRefused(Exception):
    """The piece is no good; the message is a sentence. Nothing of it was kept."""


class DamagedPiece(UploadRefused):
    """The piece isn't what was sent: its checksum is another."""


class WrongOffset(Exception):
    """The piece doesn't begin where the file goes on: at `offset`."""

    def __init__(self, offset: int) -> None:
        super().__init__(f"The file goes on at byte {offset}.")
        self.offset = offset


class UploadBusy(Exception):
    """Another piece of this file is arriving at this moment."""


def announce(*, member: Membership, files: Sequence[Announced], replace: bool = False) -> list[Answer]:
    """Find or begin the upload of each file.

    Args: replace: whether a file may take the place of another one of its name.
    """
    names = set(member.collection.videos.values_list("name", flat=True)) if files else set()
    answers = []
    for file in files:
        try:
            answers.append(_announced(member, file, names, replace))
        except (UploadRefused, StoringError) as refusal:
            answers.append(Answer(None, str(refusal)))
    return answers


def _announced(member: Membership, file: Announced, names: set[str], replace: bool) -> Answer:
    uploads = member.collection.video_uploads
    problem = _why_not(member.collection, file, names)
    if problem:
        return Answer(None, problem)
    begun = uploads.filter(name=file.name, state=State.ARRIVING).first()
    if begun is not None and (begun.size, begun.mark) == (file.size, file.mark):
        return _finished(begun) if begun.received == begun.size else Answer(begun)
    here = _already_here(member.collection, file)
    if here is not None:
        return Answer(here, here.problem)
    arrived = uploads.filter(name=file.name, state=State.ARRIVED)
    if not replace and (arrived.exists() or VideoUpload(collection=member.collection, name=file.name).path.exists()):
        return Answer(
            None, _('Another file of this name is here. Tick "Replace files of the same name" to replace it.')
        )
    room = _room()
    if file.size > room:
        return Answer(None, NO_ROOM.format(needed=in_bytes(file.size), free=in_bytes(max(0, room))))
    if begun is not None:
        forget(upload=begun)
    arrived.delete()
    made, _made_now = uploads.get_or_create(
        name=file.name, state=State.ARRIVING, defaults={"member": member, "size": file.size, "mark": file.mark}
    )
    made.collection = member.collection
    if (made.size, made.mark) != (file.size, file.mark):
        return Answer(None, _("Another file of this name is arriving, from another page. Wait until it is here."))
    return Answer(made)


def _why_not(collection: Collection, file: Announced, names: set[str]) -> str:
    problem = why_no_name(file.name)
    if not problem and len(str(VideoUpload(collection=collection, name=file.name).path)) > 1000:
        problem = "Its name is too long for the folder in which the server keeps videos."
    if problem:
        return problem
    descriptions = is_description_file(file.name)
    if not descriptions and (problem := why_no_video(file.name, names)):
        return problem
    if not file.size:
        return "The file is empty."
    longest = settings.LONGEST_UPLOAD if descriptions else settings.LONGEST_VIDEO
    if file.size > longest:
        variable = "QREELS_UPLOAD_MB" if descriptions else "QREELS_VIDEO_MB"
        return f"It is too large: found {in_bytes(file.size)}, expected at most {in_bytes(longest)} ({variable})."
    return ""


def _already_here(collection: Collection, file: Announced) -> VideoUpload | None:
    """The same file as it came before, under this name or in another folder."""
    alike = collection.video_uploads.exclude(state=State.ARRIVING).filter(size=file.size, mark=file.mark)
    last = PurePosixPath(file.name).name
    # Under this very name first.
    for upload in sorted(alike.select_related("descriptions"), key=lambda one: one.name != file.name):
        if PurePosixPath(upload.name).name == last and _still_there(upload):
            return upload
    return None


def _still_there(upload: VideoUpload) -> bool:
    if upload.state == State.REFUSED:
        return True
    if is_description_file(upload.name):
        # One that wasn't imported may be tried again, with a better format for instance.
        imported = upload.descriptions is not None and upload.descriptions.state != "refused"
        return imported or upload.preview_id is not None
    return upload.part.exists() if upload.state == State.ARRIVED else upload.path.exists()


def append_piece(*, upload: VideoUpload, offset: int, piece: IO[bytes], length: int, checksum: int | None) -> None:
    """Add a piece to a file, and finish the file with its last.

    Args:
        offset: where it begins in the file; it has to be where the file goes on.
        piece: `length` bytes, which are read in blocks.
        checksum: its CRC-32 if the sender knows it.

    Raises: WrongOffset, UploadBusy, UploadRefused, NoSpace. OSError. VideoUpload.DoesNotExist if it was removed.
    """
    with alone_at("corpus.video_upload", upload.pk, wait=False) as ours:
        if not ours:
            raise UploadBusy
        upload.refresh_from_db(fields=["state", "received", "size", "mark"])
        if upload.state != State.ARRIVING or offset != upload.received:
            raise WrongOffset(upload.received)
        if offset + length > upload.size:
            raise UploadRefused(
                _("The piece is too long: found %(found)s bytes in all, expected %(expected)s.")
                % {"found": f"{offset + length:,}", "expected": f"{upload.size:,}"}
            )
        if length and length > free_space():
            raise NoSpace(NO_ROOM.format(needed=in_bytes(length), free=in_bytes(max(0, free_space()))))
        _write(upload, piece, length, checksum)
        VideoUpload.objects.filter(pk=upload.pk).update(received=offset + length, touched_at=Now())
        upload.received = offset + length
        if upload.received == upload.size:
            _finish(upload)


def _write(upload: VideoUpload, piece: IO[bytes], length: int, checksum: int | None) -> None:
    found, left = 0, length
    try:
        upload.part.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(upload.part, os.O_WRONLY | os.O_CREAT, 0o640), "wb") as part:
            part.seek(upload.received)
            while left and (block := piece.read(min(left, 256 * 1024))):
                part.write(block)
                found = zlib.crc32(block, found)
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
        said = _("The piece broke off: found %(found)s bytes, expected %(expected)s.")
        raise UploadRefused(said % {"found": f"{length - left:,}", "expected": f"{length:,}"})
    if checksum is not None and checksum != found:
        raise DamagedPiece(_("The piece was damaged on its way. It is sent again."))


def _finished(upload: VideoUpload) -> Answer:
    """An upload whose last piece is here, and whose end a killed process may have missed."""
    with alone_at("corpus.video_upload", upload.pk, wait=True):
        upload.refresh_from_db()
        if upload.state == State.ARRIVING:
            _finish(upload)
    return Answer(upload, upload.problem)


def _finish(upload: VideoUpload) -> None:
    """Note that a file is whole, if it is what was announced. Safe to repeat."""
    # S3 tells by other means that nothing was mixed up (fetch_s3.py).
    if not upload.mark.startswith(S3_MARK) and mark_of_file(upload.part) != upload.mark:
        upload.part.unlink(missing_ok=True)
        VideoUpload.objects.filter(pk=upload.pk).update(received=0)
        upload.received = 0
        raise UploadRefused(_("What arrived isn't the file that was chosen; it may have changed. Choose it again."))
    if is_description_file(upload.name):
        _preview_descriptions(upload)
    else:
        _settle(upload, state=State.ARRIVED)


def _preview_descriptions(upload: VideoUpload) -> None:
    """Have a worker read a file of descriptions for a preview: nothing is imported unseen."""
    if upload.member is None:
        raise UploadRefused(_("Choose the file again: whoever began to send it is no longer here."))
    with upload.part.open("rb") as part:
        file = UploadedFile(part, name=PurePosixPath(upload.name).name, size=upload.size)
        preview = keep_for_preview(member=upload.member, upload=file, choices=Choices())
    with transaction.atomic():
        VideoUpload.objects.filter(collection=upload.collection_id, name=upload.name, state=State.TAKEN).delete()
        _settle(upload, state=State.TAKEN, preview=preview)
    upload.part.unlink(missing_ok=True)
    ask(preview)


def keep_arrived(*, upload: VideoUpload) -> None:
    """Put a whole file that can be read to its place, where it replaces what has its name. Raises: OSError."""
    if upload.part.exists():  # otherwise a killed process has moved it already
        upload.path.parent.mkdir(parents=True, exist_ok=True)
        upload.part.replace(upload.path)
    with transaction.atomic():
        same = VideoUpload.objects.filter(collection=upload.collection_id, name=upload.name)
        same.filter(state__in=[State.TAKEN, State.REFUSED]).exclude(pk=upload.pk).delete()
        _settle(upload, state=State.TAKEN)


def refuse_arrived(*, upload: VideoUpload, problem: str) -> None:
    """Remove a whole file that is no good, with the reason."""
    upload.part.unlink(missing_ok=True)
    _settle(upload, state=State.REFUSED, problem=problem)


def _settle(upload: VideoUpload, **columns: object) -> None:
    VideoUpload.objects.filter(pk=upload.pk).update(touched_at=Now(), **columns)
    for name, value in columns.items():
        setattr(upload, name, value)


def forget(*, upload: VideoUpload) -> None:
    """Remove a file that hasn't arrived whole."""
    if VideoUpload.objects.filter(pk=upload.pk, state=State.ARRIVING).delete()[0]:
        upload.part.unlink(missing_ok=True)


def remove_strays() -> None:
    """Remove parts that nobody has sent a piece of for `KEPT_FOR`, and those that no row knows."""
    late = VideoUpload.objects.filter(state=State.ARRIVING, touched_at__lt=timezone.now() - KEPT_FOR)
    for upload in late[:STRAYS_AT_ONCE]:
        forget(upload=upload)
    folder = Path(settings.VIDEO_FOLDER) / ".parts"
    before = time.time() - KEPT_FOR.total_seconds()
    old = [part for part in folder.iterdir() if part.stat().st_mtime < before] if folder.is_dir() else []
    for part in old[:STRAYS_AT_ONCE]:
        # The rows of a collection that was deleted went with it.
        if not VideoUpload.objects.filter(public_name=part.name).exists():
            part.unlink(missing_ok=True)


def mark_of_file(path: Path) -> str:
    """A file's mark: the CRC-32 of its first, middle and last block one after the other, in hexadecimal.

    A browser can compute it without reading the whole file (static/js/uploads/marks.js), on plain HTTP too.
    """
    found = 0
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        for place in (0, max(0, size // 2 - BLOCK // 2), max(0, size - BLOCK)):
            file.seek(place)
            found = zlib.crc32(file.read(BLOCK), found)
    return f"{found:08x}"


def free_space() -> int:
    """Bytes that uploads may still take of the disk, which keeps QREELS_FREE_MB free; may be negative."""
    folder = Path(settings.VIDEO_FOLDER)
    there = next(place for place in (folder, *folder.parents) if place.exists())
    return shutil.disk_usage(there).free - int(settings.FREE_SPACE)


def _room() -> int:
    """Bytes that aren't spoken for by files under way."""
    lately = VideoUpload.objects.filter(state=State.ARRIVING, touched_at__gte=timezone.now() - timedelta(days=1))
    return free_space() - int(lately.aggregate(left=Sum(F("size") - F("received")))["left"] or 0)


def in_bytes(count: int) -> str:
    """A number of bytes for people.

    >>> in_bytes(999), in_bytes(5_400_000), in_bytes(12_345_678_901)
    ('999 bytes', '5.4 MB', '12.3 GB')
    """
    for unit, factor in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if count >= factor:
            return f"{count / factor:,.1f} {unit}"
    return f"{count:,} byte{'' if count == 1 else 's'}"
