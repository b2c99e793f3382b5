"""Requests of the page that uploads videos: announce files, ask where one goes on, send a piece, remove a part.

HEAD, PATCH and DELETE of an upload follow tus 1.0 (https://tus.io/protocols/resumable-upload), its headers included;
files are announced many at a time, since a folder has hundreds.
"""

import json
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.request import RawPostDataException
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from corpus.models import VideoUpload
from corpus.video_import.uploads import Announced, UploadAnswer, announce, append_piece, forget
from foundation.access.form_input import whole_number
from foundation.access.guards import lead_api, takes_uploads
from foundation.infra.storage import StoringError
from foundation.models import Collection, Membership
from foundation.refused import Refused
from foundation.uploads.pieces import LONGEST_PIECE, DamagedPiece, UploadBusy, WrongOffset, checksum_said

MOST_FILES = 200
"""Announced at a time."""
OF_PIECES = "application/offset+octet-stream"
DAMAGED = 460
"""What tus answers where a checksum doesn't fit."""


@require_POST
@lead_api
def uploads(request: HttpRequest, member: Membership) -> HttpResponse:
    """Announce files: {"files": [{"name", "size", "mark"}], "replace"}. Leads only.

    Answers {"files": [{"name", "state", "address", "offset", "size", "problem", "report"}]} in the same order; `state`
    is "" for one that isn't taken, `report` the preview of a file of descriptions, or its import.
    """
    try:
        body = json.loads(request.body)
        files = [Announced(str(file["name"]), _size(file["size"]), str(file["mark"])[:80]) for file in body["files"]]
        replace = bool(body.get("replace"))
    except (ValueError, KeyError, TypeError, RecursionError, RawPostDataException):
        return _refusal(400, "Expected JSON with the files' names, sizes and marks.")
    if len(files) > MOST_FILES:
        return _refusal(400, f"Found {len(files):,} files, expected at most {MOST_FILES} at a time.")
    answers = announce(member=member, files=files, replace=replace)
    shown = [_shown(member.collection, file, answer) for file, answer in zip(files, answers, strict=True)]
    return JsonResponse({"files": shown})


def _size(size: object) -> int:
    if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size < 1 << 60:
        raise ValueError(size)
    return size


def _shown(collection: Collection, file: Announced, answer: UploadAnswer) -> dict[str, Any]:
    upload = answer.upload
    if upload is None:
        none = {"state": "", "address": "", "offset": 0, "report": ""}
        return {"name": file.name, "size": file.size, "problem": answer.problem, **none}
    return {
        "name": file.name,
        "state": upload.state,
        "address": reverse("video-upload", args=[collection.name, upload.public_name]),
        "offset": upload.received,
        "size": upload.size,
        "problem": answer.problem,
        "report": _report(collection, upload),
    }


def _report(collection: Collection, upload: VideoUpload) -> str:
    """The preview of a file of descriptions, or its import; "" for a video."""
    if upload.preview_id is not None:
        return reverse("import-preview", args=[collection.name, upload.preview_id])
    known = upload.descriptions_id is not None
    return reverse("import-report", args=[collection.name, upload.descriptions_id]) if known else ""


@takes_uploads("leads", method="PATCH", longest=LONGEST_PIECE)
@require_http_methods(["HEAD", "PATCH", "DELETE"])
@lead_api
def upload(request: HttpRequest, member: Membership, key: str) -> HttpResponse:
    """One upload of the collection, whoever of its leads began it.

    HEAD says its `Upload-Offset`; PATCH adds a piece there, with its CRC-32 as `Upload-Checksum` if it is known; DELETE
    removes one that isn't a video's; 404 where there is none.
    """
    uploads = VideoUpload.objects.select_related("collection", "member")
    upload = get_object_or_404(uploads, collection=member.collection_id, public_name=key)
    if request.method == "DELETE":
        removed = forget(upload=upload)
        return HttpResponse(status=204) if removed else _refusal(404, "This file is a video's. Nothing was deleted.")
    if request.method == "HEAD":
        return _where(upload, 200)
    return _take_piece(request, upload)


def _take_piece(request: HttpRequest, upload: VideoUpload) -> HttpResponse:
    try:
        offset, length = _number(request, "Upload-Offset"), _number(request, "Content-Length")
        checksum = checksum_said(request.headers.get("Upload-Checksum", ""))
    except ValueError as problem:
        return _refusal(400, str(problem))
    if length and request.content_type != OF_PIECES:
        return _refusal(415, f"Found {request.content_type or 'no content type'}, expected {OF_PIECES}.")
    try:
        piece: Any = request  # it can be read like a file
        append_piece(upload=upload, offset=offset, piece=piece, length=length, checksum=checksum)
    except WrongOffset as wrong:
        return _where(upload, 409, str(wrong))
    except UploadBusy:
        return _where(upload, 423, "Another page is sending this file. It goes on by itself.")
    except DamagedPiece as refusal:
        return _where(upload, DAMAGED, str(refusal))
    except StoringError as refusal:
        return _where(upload, refusal.status, str(refusal))
    except Refused as refusal:
        return _where(upload, 400, str(refusal))
    except VideoUpload.DoesNotExist:
        return _refusal(404, "This file was removed. Choose it again.")
    except OSError as fault:
        return _where(upload, 507, f"The server can't write the file ({fault.strerror}). What has arrived is kept.")
    return _where(upload, 204)


def _number(request: HttpRequest, header: str) -> int:
    # An empty piece, which only finishes a file, may come without its length.
    value = request.headers.get(header) or ("0" if header == "Content-Length" else "")
    number = whole_number(value)
    if number is None:
        raise ValueError(f"Found {header}: {value[:40] or 'nothing'}, expected a number of bytes.")
    return number


def _where(upload: VideoUpload, status: int, text: str = "") -> HttpResponse:
    """A response that says where the file goes on."""
    response = HttpResponse(text, status=status, content_type="text/plain; charset=utf-8")
    response["Upload-Offset"] = str(upload.received)
    response["Upload-Length"] = str(upload.size)
    response["Upload-State"] = upload.state
    response["Cache-Control"] = "no-store"
    if report := _report(upload.collection, upload):
        response["Upload-Report"] = report
    return response


def _refusal(status: int, text: str) -> HttpResponse:
    return HttpResponse(text, status=status, content_type="text/plain; charset=utf-8")
