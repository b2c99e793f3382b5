"""Clips and posters, with HTTP Range, to members of their collection only."""

import re
from collections.abc import Iterator
from typing import BinaryIO

from django.core.files.storage import default_storage
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import parse_etags
from django.views.decorators.http import require_safe

from corpus.models import Clip

BLOCK = 64 * 1024
TYPES = {"mp4": "video/mp4", "jpg": "image/jpeg"}
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})\Z", re.ASCII)
"""At most 18 digits: Python refuses to read numbers of thousands of them."""


@require_safe
def clip(request: HttpRequest, public_name: str, suffix: str) -> HttpResponseBase:
    """A clip (mp4) or its poster (jpg). Strangers, the logged-out and unknown names all get the same 404."""
    if not request.user.is_authenticated:
        raise Http404("no such clip")
    found = Clip.objects.filter(
        public_name=public_name, moment__video__collection__memberships__account_id=request.user.pk
    ).first()
    file = "" if found is None else found.video_file if suffix == "mp4" else found.poster_file
    if not file or not default_storage.exists(file):
        raise Http404("no such clip")
    return serve(request, file, content_type=TYPES[suffix], etag=f'"{public_name}.{suffix}"')


def serve(request: HttpRequest, file: str, *, content_type: str, etag: str) -> HttpResponseBase:
    """A stored file that never changes: cached for ever by the browser that may have it, whole or a byte range."""
    known = {tag.removeprefix("W/") for tag in parse_etags(request.headers.get("If-None-Match", ""))}
    if known & {etag, "*"}:
        return _with_headers(HttpResponse(status=304), etag)
    size = default_storage.size(file)
    wanted = None
    # A range means something to GET only, and nothing where the browser's part is of another file.
    if request.method == "GET" and request.headers.get("If-Range", etag) == etag:
        wanted = _wanted(request.headers.get("Range", ""), size)
    if wanted is not None and wanted[0] >= size:
        response: HttpResponseBase = HttpResponse(status=416)
        response["Content-Range"] = f"bytes */{size}"
        return _with_headers(response, etag)
    first, last = wanted or (0, size - 1)
    status = 200 if wanted is None else 206
    if request.method == "HEAD":
        response = HttpResponse(status=status, content_type=content_type)
    else:
        content = _blocks(default_storage.open(file), first, last - first + 1)
        response = StreamingHttpResponse(content, status=status, content_type=content_type)
    response["Content-Length"] = str(last - first + 1)
    if wanted is not None:
        response["Content-Range"] = f"bytes {first}-{last}/{size}"
    return _with_headers(response, etag)


def _with_headers(response: HttpResponseBase, etag: str) -> HttpResponseBase:
    response["ETag"] = etag
    response["Accept-Ranges"] = "bytes"
    response["Cache-Control"] = "private, max-age=31536000, immutable"
    return response


def _wanted(header: str, size: int) -> tuple[int, int] | None:
    """First and last byte asked for, None for the whole file (also for what this server doesn't slice)."""
    match = _RANGE.match(header.strip())
    if match is None or match.group() == "bytes=-":
        return None
    start, stop = match.groups()
    if not start:
        return (max(0, size - int(stop)), size - 1) if int(stop) else (size, size)
    first = int(start)
    last = min(int(stop), size - 1) if stop else size - 1
    return None if stop and int(stop) < first else (first, last)


def _blocks(file: BinaryIO, offset: int, length: int) -> Iterator[bytes]:
    with file:
        file.seek(offset)
        while length > 0:
            block = file.read(min(BLOCK, length))
            if not block:
                return
            length -= len(block)
            yield block
