"""Files on their way in, piece by piece: videos, and files that another request names and uses."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Header, Path
from pydantic import BaseModel, Field

from api.frame.answers import From, Out
from api.frame.calls import Call, Scope, Who, found_or_404
from api.frame.endpoints import BYTES, Digits, Endpoints, Storable
from api.frame.lists import AskedPage, Page, page_of
from api.frame.problems import Problem
from corpus.models import VideoUpload
from corpus.video_import.uploads import Announced, UploadAnswer, announce, append_piece, forget
from foundation.access.form_input import whole_number
from foundation.infra.storage import StoringError
from foundation.models import Membership, SentFile
from foundation.refused import FileRefused, Refused
from foundation.uploads.files import NO_FILE, announce_file, append_to_file, forget_file, use_file
from foundation.uploads.pieces import LONGEST_PIECE, Arriving, DamagedPiece, UploadBusy, WrongOffset, checksum_said

endpoints = Endpoints("Uploads")
LARGEST = (1 << 60) - 1
LONGEST_RUN = 900_000
"""Characters of a run that is sent as JSON, whose bodies hold a megabyte."""

Key = Annotated[str, Path(pattern="^[-a-zA-Z0-9_]{1,32}$", examples=["Y3JpbXNvbi1maWxlLWtleQ"])]
Offset = Annotated[
    int,
    Digits,
    Header(alias="Upload-Offset", ge=0, le=LARGEST, description="Where the piece begins: where the file goes on."),
]
Checksum = Annotated[
    str,
    Header(
        alias="Upload-Checksum",
        max_length=40,
        description="The piece's CRC-32, four bytes in base 64, as in tus: crc32 R7WTFg==. Another piece is refused.",
    ),
]


class NewFile(BaseModel):
    """A file that is to be sent."""

    name: Storable = Field(min_length=1, max_length=700, examples=["dune.mp4"])
    size: int = Field(ge=0, le=LARGEST, description="Bytes.", examples=[81_920])
    mark: str = Field(
        pattern="^[0-9a-f]{8}$",
        description="The CRC-32 of its first, middle and last 64 KiB one after the other, in hexadecimal.",
        examples=["b9d3f1a0"],
    )


class NewVideos(BaseModel):
    """Videos that are to be sent, and files of descriptions that belong to them."""

    files: list[NewFile] = Field(min_length=1, max_length=200)
    replace: bool = Field(False, description="A file may take the place of another one of its name.")


class VideoUploadOut(Out):
    """A video on its way, or here. Of a file of descriptions a preview is made once it is here."""

    upload: str | None = From("public_name", description="Its key; null: it isn't taken, as `problem` says.")
    name: str
    size: int
    offset: int = From("received", description="Where it goes on: so many bytes are safe.")
    state: Literal["", "arriving", "arrived", "taken", "refused"]
    problem: str
    preview: int | None = From("preview_id", default=None, description="Where a file of descriptions waits.")
    import_id: int | None = From("descriptions_id", default=None, description="What became of a file of descriptions.")


class FileOut(Out):
    """A file for one request that names it. After a day without a piece it is removed."""

    file: str = From("public_name", description="Its key, by which the request names it that uses it.")
    name: str
    size: int
    offset: int = From("received", description="Where it goes on: so many bytes are safe.")
    whole: bool = Field(description="It is here and can be used.")
    begun_at: datetime


def _announced(new: NewFile, answer: UploadAnswer) -> VideoUploadOut:
    if answer.upload is not None:
        return VideoUploadOut.of(answer.upload)
    return VideoUploadOut(upload=None, name=new.name, size=new.size, offset=0, state="", problem=answer.problem)


def _piece(request: HttpRequest, upload: Arriving, add: Callable[..., None], offset: int, checksum: str) -> None:
    """Add the request's body to a file by `add`. Raises: Problem, each with where the file goes on."""
    length = whole_number(request.headers.get("Content-Length") or "0")
    if length is None or length > LONGEST_PIECE:
        raise Problem(413, f"A piece has at most {LONGEST_PIECE:,} bytes.")
    if length and request.content_type != BYTES:
        raise Problem(415, f"Found {request.content_type or 'no content type'}, expected {BYTES}.")
    try:
        code = checksum_said(checksum)
    except ValueError as fault:
        raise Problem(422, str(fault), field="header.Upload-Checksum") from fault
    try:
        add(offset=offset, piece=request, length=length, checksum=code)
    except WrongOffset as wrong:
        raise Problem(409, str(wrong), field="header.Upload-Offset", Upload_Offset=str(wrong.offset)) from wrong
    except UploadBusy as busy:
        raise Problem(409, str(busy), Upload_Offset=str(upload.received), Retry_After="1") from busy
    except StoringError:
        raise
    except Refused as refusal:
        field = "header.Upload-Checksum" if isinstance(refusal, DamagedPiece) else "body"
        raise Problem(422, str(refusal), field=field, Upload_Offset=str(upload.received)) from refusal
    except (VideoUpload.DoesNotExist, SentFile.DoesNotExist) as gone:
        raise Problem(404) from gone
    except OSError as fault:
        raise Problem(507, f"The server can't write the file ({fault.strerror}). What has arrived is kept.") from fault


# --- videos ---


FileKey = Annotated[
    str,
    Field(
        pattern="^[-a-zA-Z0-9_]{1,32}$", description="The key of a file of yours that has arrived whole; it is taken."
    ),
]


IndicesKey = Annotated[
    FileKey | Literal[""],
    Field(description="The key of a file that you sent: the videos' indices, where the run names videos by them."),
]


def file_or_none(call: Call, key: str) -> AbstractContextManager["UploadedFile[Any] | None"]:
    """Context with a file that was sent (`use_file`), None without a key. Raises: FileRefused."""
    return use_file(member=call.member, key=key) if key else nullcontext()


@contextmanager
def file_or_text(call: Call, *, file: str, content: str, name: str) -> Iterator["UploadedFile[Any]"]:
    """Context with what is to be read: a file that was sent (`use_file`), or the text itself under this name.

    Raises: Problem unless it is one of them; FileRefused.
    """
    if bool(file) == bool(content):
        given = "both" if file else "neither"
        raise Problem(422, f"Found {given} of file and content, expected one of them.", field="body.file")
    if content:
        yield SimpleUploadedFile(name, content.encode())
        return
    with use_file(member=call.place or _sender(call, file), key=file) as sent:
        yield sent


def _sender(call: Call, key: str) -> Membership:
    """The caller's place to which a file was sent, where the endpoint is of no collection. Raises: FileRefused."""
    sent = SentFile.objects.select_related("member").filter(member__account=call.account, public_name=key).first()
    if sent is None:
        raise FileRefused(NO_FILE)
    return sent.member


def _videos(call: Call) -> QuerySet[VideoUpload]:
    return VideoUpload.objects.filter(collection=call.collection).select_related("collection", "member")


@endpoints.act("/video-uploads", scope=Scope.PREPARE, stores=True)
def announce_videos(call: Call, new: NewVideos) -> list[VideoUploadOut]:
    """Begin to send videos, or hear where each goes on; in the same order.

    The same file again, by name, size and mark, is the upload that is there already. A name with folders is taken.
    """
    files = [Announced(file.name, file.size, file.mark) for file in new.files]
    answers = announce(member=call.member, files=files, replace=new.replace)
    return [_announced(new_file, answer) for new_file, answer in zip(new.files, answers, strict=True)]


@endpoints.read("/video-uploads")
def list_video_uploads(
    call: Call, asked: AskedPage, state: Literal["", "arriving", "arrived", "taken", "refused"] = ""
) -> Page[VideoUploadOut]:
    """Videos that were uploaded or are on their way, of one state or all."""
    rows = _videos(call)
    return page_of(rows.filter(state=state) if state else rows, asked, VideoUploadOut.of)


@endpoints.read("/video-uploads/{slug:upload}")
def get_video_upload(call: Call, upload: Key) -> VideoUploadOut:
    """A video on its way: where it goes on."""
    return VideoUploadOut.of(get_object_or_404(_videos(call), public_name=upload))


@endpoints.piece("/video-uploads/{slug:upload}", scope=Scope.PREPARE, longest=LONGEST_PIECE)
def send_piece_of_video(call: Call, upload: Key, offset: Offset, checksum: Checksum = "") -> VideoUploadOut:
    """Send a video's next piece, of at most 8 MiB; with the last it has arrived, and can be imported.

    409 where it goes on elsewhere, or another piece is arriving: the header `Upload-Offset` says where it goes on.
    """
    video = get_object_or_404(_videos(call), public_name=upload)
    _piece(call.request, video, partial(append_piece, upload=video), offset, checksum)
    return VideoUploadOut.of(video)


@endpoints.remove("/video-uploads/{slug:upload}", scope=Scope.PREPARE)
def forget_video_upload(call: Call, upload: Key) -> None:
    """Remove a file that isn't a video's: what arrived of it, or that it was refused. 404 for one that is."""
    found_or_404(forget(upload=get_object_or_404(_videos(call), public_name=upload)) or None)


# --- files that another request uses ---

EITHER = (Scope.PREPARE, Scope.RELEASE)


def _files(call: Call) -> QuerySet[SentFile]:
    return SentFile.objects.filter(member=call.member)


@endpoints.act("/files", scope=EITHER, who=Who.MEMBER, stores=True)
def announce_a_file(call: Call, new: NewFile) -> FileOut:
    """Begin to send a file, or hear where it goes on. Leads may have 20 at a time, others 3.

    The same file again, by name, size and mark, is the one that is there already. The request that uses it takes it;
    it is yours alone.
    """
    return FileOut.of(announce_file(member=call.member, name=new.name, size=new.size, mark=new.mark))


@endpoints.read("/files", who=Who.MEMBER)
def list_files(call: Call, asked: AskedPage) -> Page[FileOut]:
    """Your own files that nothing has used."""
    return page_of(_files(call), asked, FileOut.of)


@endpoints.read("/files/{slug:file}", who=Who.MEMBER)
def get_file(call: Call, file: Key) -> FileOut:
    """A file of yours: where it goes on."""
    return FileOut.of(get_object_or_404(_files(call), public_name=file))


@endpoints.piece("/files/{slug:file}", scope=EITHER, who=Who.MEMBER, longest=LONGEST_PIECE)
def send_piece_of_file(call: Call, file: Key, offset: Offset, checksum: Checksum = "") -> FileOut:
    """Send a file's next piece, of at most 8 MiB; with the last it is whole.

    409 where it goes on elsewhere, or another piece is arriving: the header `Upload-Offset` says where it goes on.
    """
    sent_file = get_object_or_404(_files(call), public_name=file)
    _piece(call.request, sent_file, partial(append_to_file, file=sent_file), offset, checksum)
    return FileOut.of(sent_file)


@endpoints.remove("/files/{slug:file}", scope=EITHER, who=Who.MEMBER)
def delete_a_file(call: Call, file: Key) -> None:
    """Remove a file of yours that nothing has used."""
    forget_file(file=get_object_or_404(_files(call), public_name=file))
