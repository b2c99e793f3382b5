"""A clip's file as a response: HTTP Range, nginx, or a signed redirect."""

import re
from collections.abc import Iterator
from urllib.parse import quote

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.utils.http import parse_etags

BLOCK = 64 * 1024
FOR_EVER = "private, max-age=31536000, immutable"
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})\Z", re.ASCII)
"""At most 18 digits: Python refuses to read numbers of thousands of them."""


def redirect_to_storage(request: HttpRequest, file: str) -> HttpResponseBase:
    """Redirect to the storage, by an address signed for this method and a limited time.

    The browser may cache the redirect for half of that time, so it never follows an expired one; what it got from the
    address it caches for good.
    """
    limits = {"expire": settings.CLIP_REDIRECT_SECONDS, "http_method": request.method}
    address = default_storage.url(file, **limits)  # which S3's storage takes
    response = HttpResponseRedirect(address)
    response["Cache-Control"] = f"private, max-age={settings.CLIP_REDIRECT_SECONDS // 2}"
    # Whoever knows the address may read the clip, so it isn't sent as a referrer.
    response["Referrer-Policy"] = "no-referrer"
    return response


def by_nginx(request: HttpRequest, file: str, *, content_type: str, etag: str) -> HttpResponseBase:
    """Let nginx send the file, ranges included, by its internal location."""
    if _known(request, etag):
        return _with_headers(HttpResponse(status=304), etag)
    response = HttpResponse(content_type=content_type)
    response["X-Accel-Redirect"] = quote(settings.CLIP_NGINX_PREFIX + file)
    return _with_headers(response, etag)


def _known(request: HttpRequest, etag: str) -> bool:
    """Whether the browser's copy is current (If-None-Match)."""
    tags = {tag.removeprefix("W/") for tag in parse_etags(request.headers.get("If-None-Match", ""))}
    return bool(tags & {etag, "*"})


def serve(request: HttpRequest, file: str, *, content_type: str, etag: str, cache: str = FOR_EVER) -> HttpResponseBase:
    """A stored file that never changes, whole or a byte range: cached for ever by the browser that may have it, unless
    `cache` (Cache-Control) says otherwise."""
    if _known(request, etag):
        return _with_headers(HttpResponse(status=304), etag, cache)
    size = default_storage.size(file)
    span = None
    # A range means something to GET only, and nothing where the browser's part is of another file.
    if request.method == "GET" and request.headers.get("If-Range", etag) == etag:
        span = _wanted(request.headers.get("Range", ""), size)
    if span is not None and span[0] >= size:
        response: HttpResponseBase = HttpResponse(status=416)
        response["Content-Range"] = f"bytes */{size}"
        return _with_headers(response, etag, cache)
    first, last = span or (0, size - 1)
    status = 200 if span is None else 206
    if request.method == "HEAD":
        response = HttpResponse(status=status, content_type=content_type)
    else:
        content = _blocks(default_storage.open(file), first, last - first + 1)
        response = StreamingHttpResponse(content, status=status, content_type=content_type)
    response["Content-Length"] = str(last - first + 1)
    if span is not None:
        response["Content-Range"] = f"bytes {first}-{last}/{size}"
    return _with_headers(response, etag, cache)


def _with_headers(response: HttpResponseBase, etag: str, cache: str = FOR_EVER) -> HttpResponseBase:
    response["ETag"] = etag
    response["Accept-Ranges"] = "bytes"
    response["Cache-Control"] = cache
    return response


def _wanted(header: str, size: int) -> tuple[int, int] | None:
    """The first and last byte requested; None for the whole file, also for ranges that aren't supported."""
    match = _RANGE.match(header.strip())
    if match is None or match.group() == "bytes=-":
        return None
    start, stop = match.groups()
    if not start:
        return (max(0, size - int(stop)), size - 1) if int(stop) else (size, size)
    first = int(start)
    last = min(int(stop), size - 1) if stop else size - 1
    return None if stop and int(stop) < first else (first, last)


def _blocks(file: "File[bytes]", offset: int, length: int) -> Iterator[bytes]:
    with file:
        file.seek(offset)
        while length > 0:
            block = file.read(min(BLOCK, length))
            if not block:
                return
            length -= len(block)
            yield block
