"""Fetch the videos below an S3 prefix into the installation's folder; what was broken off goes on."""

import io
import time
from collections.abc import Iterator
from pathlib import Path

from corpus.models import VideoImport, VideoUpload, folder_of_uploads
from corpus.video_import.file_names import why_no_name
from corpus.video_import.sources import S3Object, S3Source
from corpus.video_import.uploads import S3_MARK, append_piece, forget
from foundation.infra.jobs import JobProgress
from foundation.refused import Refused
from foundation.text import composed
from foundation.uploads.pieces import NO_ROOM, free_space, in_bytes

PIECE = 8 << 20
State = VideoUpload.State


def folder_of(job: VideoImport, source: S3Source) -> Path:
    """Where the prefix's videos lie once they are fetched."""
    return folder_of_uploads(job.collection) / _name(source, "")


def _name(source: S3Source, below: str) -> str:
    return composed("/".join(part for part in ("s3", source.bucket, source.prefix, below) if part))


def fetch(job: VideoImport, source: S3Source, progress: JobProgress, *, until: float) -> list[tuple[str, str]] | None:
    """Fetch every video that is new or has changed.

    Args: until: by time.monotonic(); then the job is to go on another time.

    Returns: (file, reason) of those that can't be kept; None if the time was over before all was done.
    Raises: Refused, NoSpace. JobStopped.
    """
    objects = list(source.objects())
    refused = [(s3_object.name, why) for s3_object in objects if (why := why_no_name(_name(source, s3_object.name)))]
    bad = {name for name, _ in refused}
    due = [s3_object for s3_object in objects if s3_object.name not in bad and not _is_here(job, source, s3_object)]
    begun = {upload.name: upload.received for upload in job.collection.video_uploads.filter(state=State.ARRIVING)}
    needed = sum(s3_object.size - begun.get(_name(source, s3_object.name), 0) for s3_object in due)
    if needed > free_space():
        raise Refused(NO_ROOM.format(needed=in_bytes(needed), free=in_bytes(max(0, free_space()))))
    done = len(objects) - len(refused) - len(due)
    progress.note(done=done, total=len(objects) - len(refused), step=f"Fetching {in_bytes(needed)} from S3"[:200])
    for number, s3_object in enumerate(due):
        for _ in _pieces(job, source, s3_object):
            progress.count(0)
            if time.monotonic() > until:
                return None
        progress.note(done=done + number + 1)
    return refused


def _is_here(job: VideoImport, source: S3Source, s3_object: S3Object) -> bool:
    same = job.collection.video_uploads.filter(
        name=_name(source, s3_object.name), size=s3_object.size, mark=S3_MARK + s3_object.etag
    )
    for upload in same.exclude(state=State.ARRIVING):
        if upload.state == State.REFUSED or (upload.path if upload.state == State.TAKEN else upload.part).exists():
            return True
    return False


def _pieces(job: VideoImport, source: S3Source, s3_object: S3Object) -> Iterator[None]:
    """Fetch an object, a piece at each step."""
    from botocore.exceptions import BotoCoreError, ClientError

    upload = _upload_of(job, source, s3_object)
    if upload.received == s3_object.size:  # a worker was killed before it could note that this is all
        append_piece(upload=upload, offset=s3_object.size, piece=io.BytesIO(), length=0, checksum=None)
        return
    try:
        part = f"bytes={upload.received}-"
        # If the object has changed since it was listed, this fails, and the next import fetches it.
        answer = source.client().get_object(Bucket=source.bucket, Key=s3_object.key, Range=part, IfMatch=s3_object.etag)
        with answer["Body"] as body:
            while upload.received < s3_object.size and (piece := bytes(body.read(PIECE))):
                append_piece(
                    upload=upload, offset=upload.received, piece=io.BytesIO(piece), length=len(piece), checksum=None
                )
                yield
    except (BotoCoreError, ClientError) as error:
        raise Refused(f"s3://{source.bucket}/{s3_object.key} can't be fetched: {error}. Try it again.") from error
    if upload.received < s3_object.size:
        raise Refused(f"s3://{source.bucket}/{s3_object.key} broke off. Try it again: it goes on there.")


def _upload_of(job: VideoImport, source: S3Source, s3_object: S3Object) -> VideoUpload:
    name, mark = _name(source, s3_object.name), S3_MARK + s3_object.etag
    uploads = job.collection.video_uploads
    for other in uploads.filter(name=name, state__in=[State.ARRIVING, State.ARRIVED]).exclude(
        size=s3_object.size, mark=mark
    ):
        forget(upload=other)
    uploads.filter(name=name, state=State.ARRIVED).delete()
    upload, _ = uploads.get_or_create(
        name=name, state=State.ARRIVING, defaults={"member": job.member, "size": s3_object.size, "mark": mark}
    )
    return upload
