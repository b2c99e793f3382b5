"""A release's files as downloads: one of them, or the whole archive, also by range; each ETag is its SHA-256."""

from collections.abc import Container

from django.core.files.storage import default_storage
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.http import content_disposition_header, quote_etag

from corpus.clips.serving import serve
from datasets.models import Release
from datasets.releases.archive import DamagedArchive
from datasets.releases.file_cache import open_file, stored_name
from datasets.releases.signing import signature_of
from evaluation.releases.manifest import MANIFEST, SIGNATURE

PRIVATE = "private, no-cache"
"""Cache-Control: the browser asks each time whether it still may have it."""


def file_download(
    request: HttpRequest, release: Release, path: str, *, allowed: Container[str], cache: str = PRIVATE
) -> HttpResponseBase:
    """One file, or the signature. Args: allowed: the paths that whoever asks may have, the signature if the manifest.

    Raises: Http404 for others and damaged ones.
    """
    if path == SIGNATURE and MANIFEST in allowed and (signed := signature_of(release)):
        response = HttpResponse(signed.content, content_type="application/octet-stream")
        response["ETag"], response["Cache-Control"] = quote_etag(signed.sha256), cache
        response["Content-Disposition"] = content_disposition_header(True, SIGNATURE) or "attachment"
        return response
    if path not in allowed:
        raise Http404("no such file")
    try:
        open_file(release, path).close()  # taken out of the archive the first time
    except DamagedArchive as error:
        raise Http404(str(error)) from error
    sha256 = release.files[path]
    return _download(request, stored_name(sha256), sha256, path.rpartition("/")[2], "application/octet-stream", cache)


def archive_download(request: HttpRequest, release: Release, *, cache: str = PRIVATE) -> HttpResponseBase:
    """The whole release as .tar.gz. Raises: Http404 if the storage has lost it."""
    if not default_storage.exists(release.archive):
        raise Http404("its archive is no longer in the storage")
    name = f"{release.collection.name}-{release.name}.tar.gz"
    return _download(request, release.archive, release.archive_sha256, name, "application/gzip", cache)


def _download(
    request: HttpRequest, stored: str, sha256: str, name: str, content_type: str, cache: str
) -> HttpResponseBase:
    response = serve(request, stored, content_type=content_type, etag=quote_etag(sha256), cache=cache)
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return response
