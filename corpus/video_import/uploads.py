"""Uploads of videos: files are announced by name, size and mark, arrive in pieces, and are kept once they are whole."""

import dataclasses
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import PurePosixPath
from typing import IO

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import F, Sum
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from corpus.description_import.previews import keep_for_preview
from corpus.models import VideoUpload
from corpus.subtitles.reading import holds_subtitles
from corpus.video_import.file_names import is_description_file, why_no_name, why_no_video
from corpus.video_import.unfinished import Unfinished
from foundation.infra.advisory_lock import alone_at
from foundation.infra.jobs import ask
from foundation.models import Collection, Membership, SentFile
from foundation.refused import Refused
from foundation.text import composed
from foundation.uploads.files import remove_unused
from foundation.uploads.pieces import NO_ROOM, add_piece, folder_of_parts, free_space, in_bytes, refuse_other_content

KEPT_FOR = timedelta(days=7)
"""After so long without a piece, a part is removed."""
STRAYS_AT_ONCE = 100

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
class UploadAnswer:
    """What becomes of an announced file: its upload, to go on or already here, or a sentence why it isn't taken."""

    upload: VideoUpload | None
    problem: str = ""


def announce(*, member: Membership, files: Sequence[Announced], replace: bool = False) -> list[UploadAnswer]:
    """Find or begin the upload of each file.

    Args: replace: whether a file may take the place of another one of its name.
    """
    names = set(member.collection.videos.values_list("name", flat=True)) if files else set()
    answers = []
    # One announcement at a time, so that the account's limit holds.
    with alone_at("corpus.announcing", member.account_id or 0, wait=True):
        unfinished = Unfinished(member)
        for sent in files:
            file = dataclasses.replace(sent, name=composed(sent.name))
            try:
                answers.append(_announced(member, file, names, replace, unfinished))
            except Refused as refusal:
                answers.append(UploadAnswer(None, str(refusal)))
    return answers


def _announced(
    member: Membership, file: Announced, names: set[str], replace: bool, unfinished: Unfinished
) -> UploadAnswer:
    uploads = member.collection.video_uploads
    problem = _why_not(file, names)
    if problem:
        return UploadAnswer(None, problem)
    begun = uploads.filter(name=file.name, state=State.ARRIVING).first()
    if begun is not None and (begun.size, begun.mark) == (file.size, file.mark):
        return _finished(begun) if begun.received == begun.size else UploadAnswer(begun)
    here = _already_here(member.collection, file)
    if here is not None:
        return UploadAnswer(here, here.problem)
    arrived = uploads.filter(name=file.name, state=State.ARRIVED)
    taken = uploads.filter(name=file.name, state=State.TAKEN).first()
    if not replace and (arrived.exists() or (taken is not None and taken.path.exists())):
        return UploadAnswer(
            None, _('Another file of this name is here. Tick "Replace files of the same name" to replace it.')
        )
    room = _room(member.collection)
    if file.size > room:
        return UploadAnswer(None, NO_ROOM.format(needed=in_bytes(file.size), free=in_bytes(max(0, room))))
    unfinished.add(file.size, instead_of=begun)
    if begun is not None:
        forget(upload=begun)
    arrived.delete()
    upload, _made_now = uploads.get_or_create(
        name=file.name, state=State.ARRIVING, defaults={"member": member, "size": file.size, "mark": file.mark}
    )
    upload.collection = member.collection
    if (upload.size, upload.mark) != (file.size, file.mark):
        return UploadAnswer(None, _("Another file of this name is arriving, from another page. Wait until it is here."))
    return UploadAnswer(upload)


def _why_not(file: Announced, names: set[str]) -> str:
    if problem := why_no_name(file.name):
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
    for upload in sorted(alike.select_related("descriptions"), key=lambda upload: upload.name != file.name):
        if PurePosixPath(upload.name).name == last and _still_there(upload):
            return upload
    return None


def _still_there(upload: VideoUpload) -> bool:
    if upload.state == State.REFUSED:
        return True
    if is_description_file(upload.name) and not holds_subtitles(upload.path, upload.name):
        # One that wasn't imported may be tried again, with a better format for instance.
        imported = upload.descriptions is not None and upload.descriptions.state != "refused"
        return imported or upload.preview_id is not None
    return upload.part.exists() if upload.state == State.ARRIVED else upload.path.exists()


def append_piece(*, upload: VideoUpload, offset: int, piece: IO[bytes], length: int, checksum: int | None) -> None:
    """Add a piece to a file, and finish the file with its last: as `add_piece`, with what it raises."""
    add_piece(upload=upload, offset=offset, piece=piece, length=length, checksum=checksum, finish=_finish)


def _finished(upload: VideoUpload) -> UploadAnswer:
    """An upload whose last piece is here, and whose end a killed process may have missed."""
    with alone_at(upload.LOCK, upload.pk, wait=True):
        upload.refresh_from_db()
        if upload.state == State.ARRIVING:
            _finish(upload)
    return UploadAnswer(upload, upload.problem)


def _finish(upload: VideoUpload) -> None:
    """Note that a file is whole, if it is what was announced. Safe to repeat."""
    # S3 tells by other means that nothing was mixed up (fetch_s3.py).
    if not upload.mark.startswith(S3_MARK):
        refuse_other_content(upload, upload.mark)
    if is_description_file(upload.name) and not holds_subtitles(upload.part, upload.name):
        _preview_descriptions(upload)
    else:
        _settle(upload, state=State.ARRIVED)


def _preview_descriptions(upload: VideoUpload) -> None:
    """Have a worker read a file of descriptions for a preview: nothing is imported unseen."""
    if upload.member is None:
        raise Refused(_("Choose the file again: whoever began to send it is no longer here."))
    with upload.part.open("rb") as part:
        file = UploadedFile(part, name=PurePosixPath(upload.name).name, size=upload.size)
        preview = keep_for_preview(member=upload.member, upload=file)
    with transaction.atomic():
        VideoUpload.objects.filter(collection=upload.collection_id, name=upload.name, state=State.TAKEN).delete()
        _settle(upload, state=State.TAKEN, preview=preview)
    upload.part.unlink(missing_ok=True)
    ask(preview)


def keep_arrived(*, upload: VideoUpload) -> None:
    """Put a whole file that can be read to its place, where it replaces what has its name. Raises: OSError."""
    same = VideoUpload.objects.filter(collection=upload.collection_id, name=upload.name).exclude(pk=upload.pk)
    if (before := same.filter(state=State.TAKEN).first()) is not None:
        _settle(upload, stored_as=before.stored_as or before.public_name)
    if upload.part.exists():  # otherwise a killed process has moved it already
        upload.path.parent.mkdir(parents=True, exist_ok=True)
        upload.part.replace(upload.path)
    with transaction.atomic():
        same.filter(state__in=[State.TAKEN, State.REFUSED]).delete()
        _settle(upload, state=State.TAKEN)


def refuse_arrived(*, upload: VideoUpload, problem: str) -> None:
    """Remove a whole file that is no good, with the reason."""
    upload.part.unlink(missing_ok=True)
    _settle(upload, state=State.REFUSED, problem=problem)


def _settle(upload: VideoUpload, **columns: object) -> None:
    VideoUpload.objects.filter(pk=upload.pk).update(touched_at=Now(), **columns)
    for name, value in columns.items():
        setattr(upload, name, value)


def forget(*, upload: VideoUpload) -> bool:
    """Remove a file that isn't a video's. Returns: whether it was there to be removed."""
    removed = VideoUpload.objects.filter(pk=upload.pk).exclude(state=State.TAKEN).delete()[0] > 0
    if removed:
        upload.part.unlink(missing_ok=True)
    return removed


def remove_strays() -> None:
    """Remove parts that nobody has sent a piece of for `KEPT_FOR`, and those that no row knows."""
    late = VideoUpload.objects.filter(state=State.ARRIVING, touched_at__lt=Now() - KEPT_FOR)
    for upload in late[:STRAYS_AT_ONCE]:
        forget(upload=upload)
    remove_unused()
    folder = folder_of_parts()
    before = time.time() - KEPT_FOR.total_seconds()
    old = [part for part in folder.iterdir() if part.stat().st_mtime < before] if folder.is_dir() else []
    for part in old[:STRAYS_AT_ONCE]:
        # The rows of a collection that was deleted went with it.
        if not any(model.objects.filter(public_name=part.name).exists() for model in (VideoUpload, SentFile)):
            part.unlink(missing_ok=True)


def _room(collection: Collection) -> int:
    """Free bytes that no upload under way has claimed.

    Other collections' count for half of the disk's free space at most: what is announced there and never sent leaves
    the other half.
    """
    lately = VideoUpload.objects.filter(state=State.ARRIVING, touched_at__gte=Now() - timedelta(days=1))
    left, free = Sum(F("size") - F("received")), free_space()
    ours, others = (
        int(rows.aggregate(left=left)["left"] or 0)
        for rows in (lately.filter(collection=collection), lately.exclude(collection=collection))
    )
    return free - ours - min(others, max(0, free) // 2)
