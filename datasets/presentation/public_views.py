"""A release's public page: read by anybody while its owner lets them, otherwise 404 as if it did not exist.

It knows no login and sets no cookie, leads nowhere into the site, and names nobody but the authors who were typed in.
What it gives is of one release, and of its sample pairs alone (`still_judged.py` says which may be shown).
"""

import hashlib
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.files.storage import default_storage
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from corpus.clips.media_views import TYPES
from corpus.clips.serving import serve
from corpus.models import Clip
from datasets.certificates.downloads import certificate_json, certificate_svg, done_or_404
from datasets.certificates.jobs import newest_done
from datasets.certificates.selectors import certificate_context, without_names
from datasets.content.still_judged import ended_queries, still_judged
from datasets.models import ReleasePage
from datasets.presentation.article import (
    ReleasedFile,
    SampleMoment,
    SampleQuery,
    article_of,
    clips_of,
    release_before,
    samples_of,
    standings_of,
    without_places,
)
from datasets.presentation.digest import digest_of
from datasets.releases.access import files_without_test
from datasets.releases.downloads import archive_download, file_download
from evaluation.releases.manifest import SIGNATURE
from foundation.access.client_address import client_address
from foundation.access.language import says_who_asks
from foundation.access.throttle import Limit, Throttled, take

FROM_AN_ADDRESS = Limit("published", 3000, 10)
"""Pages and pictures for one address: a page has some thirty."""
FILES_FROM_AN_ADDRESS = Limit("published-files", 300, 10)
ASK_AGAIN = "public, no-cache"
"""Anybody may keep it, but has to ask each time whether it is still public."""

View = Callable[..., HttpResponseBase]


def published(limit: Limit) -> Callable[[View], View]:
    """`view(request, page, ...)` for whoever asks while the release's page is public; 429 to who asks too often."""

    def decorate(view: View) -> View:
        @require_safe
        @wraps(view)
        def guarded(request: HttpRequest, name: str, release: str, *args: Any, **kwargs: Any) -> HttpResponseBase:
            pages = ReleasePage.objects.select_related("release__collection").filter(public_since__isnull=False)
            page = pages.filter(
                release__collection__name=name, release__collection__study_of=None, release__name=release
            ).first()
            if page is None:
                raise Http404("no such release")
            try:
                take(limit, client_address(request), what=_("Too many requests came from your address."))
            except Throttled as refusal:
                answer: HttpResponseBase = HttpResponse(
                    str(refusal), status=429, content_type="text/plain; charset=utf-8"
                )
                answer["Retry-After"] = str(refusal.seconds)
                return answer
            # In the browser's language (the middleware's): nobody's login is looked at.
            answer = view(request, page, *args, **kwargs)
            if not page.indexed:
                answer["X-Robots-Tag"] = "noindex"
            answer["Referrer-Policy"] = "no-referrer"
            return answer

        return says_who_asks(guarded)

    return decorate


@published(FROM_AN_ADDRESS)
def page(request: HttpRequest, page: ReleasePage) -> HttpResponseBase:
    """The page, in the browser's language. Its ETag is of what it says, so that who has read it before gets a 304."""
    release = page.release
    names = [release.collection.name, release.name]
    digest = digest_of(release)
    samples, judged = _samples(page, digest), still_judged(release.collection)
    held_back = page.files != ReleasePage.Files.NONE and bool(judged)
    if judged:
        samples = [without_places(sample) for sample in samples]
    article = article_of(
        release,
        page,
        digest=digest,
        samples=samples,
        files=_files(page, held_back=held_back),
        boards=standings_of(release, public=True),
        before=release_before(release, public=True),
    )
    poster = next((moment.poster for sample in samples for moment in sample.moments if moment.poster), "")
    certificate = newest_done(release)
    whole = page.files == ReleasePage.Files.ALL and not held_back
    content = render_to_string(
        "datasets/published.html",
        {
            "article": article,
            "indexed": page.indexed,
            "absolute": request.build_absolute_uri(reverse("published", args=names)),
            "poster": request.build_absolute_uri(poster) if poster else "",
            "archive": reverse("published-archive", args=names) if whole else "",
            "held_back": held_back,
            "signature_address": reverse("published-file", args=[*names, SIGNATURE]) if whole else "",
            "certified": certificate_context(certificate, without_names(certificate.results)) if certificate else None,
            "certificate_address": reverse("published-certificate", args=names).removesuffix(".json"),
            "is_public": True,
        },
    )
    etag = f'"{hashlib.sha256(content.encode()).hexdigest()[:32]}"'
    answer = get_conditional_response(request, etag=etag, response=HttpResponse(content))
    assert answer is not None
    answer["ETag"] = etag
    patch_vary_headers(answer, ["Accept-Language"])
    answer["Cache-Control"] = ASK_AGAIN
    return answer


def _samples(page: ReleasePage, digest: Any) -> list[SampleQuery]:
    if not digest or (digest["split"] == "test" and page.files != ReleasePage.Files.ALL):
        return []
    collection = page.release.collection
    clips = clips_of(collection, digest) if page.pictures != ReleasePage.Pictures.NONE else {}

    def address(kind: str, moment: SampleMoment) -> str:
        clip = clips[moment.video_name, moment.start, moment.end]
        there = clip.poster_file if kind == "poster" else page.pictures == ReleasePage.Pictures.CLIPS
        if not there:
            return ""
        return reverse(f"published-{kind}", args=[collection.name, page.release.name, moment.place])

    return samples_of(digest, lambda ids: ended_queries(collection, ids), address, clips)


def _given(page: ReleasePage) -> list[str]:
    if page.files == ReleasePage.Files.NONE:
        return []
    return (
        files_without_test(page.release) if page.files == ReleasePage.Files.WITHOUT_TEST else list(page.release.files)
    )


def _files(page: ReleasePage, *, held_back: bool) -> list[ReleasedFile]:
    release = page.release
    given = set() if held_back else set(_given(page))
    return [
        ReleasedFile(
            path,
            release.manifest["files"].get(path, {}).get("size"),
            sha256,
            reverse("published-file", args=[release.collection.name, release.name, path]) if path in given else "",
        )
        for path, sha256 in sorted(release.files.items())
    ]


@published(FILES_FROM_AN_ADDRESS)
def file(request: HttpRequest, page: ReleasePage, path: str) -> HttpResponseBase:
    """One file of the release, where its owner gives files out and nothing of the collection is judged any more."""
    allowed = [] if still_judged(page.release.collection) else _given(page)
    return file_download(request, page.release, path, allowed=allowed, cache=ASK_AGAIN)


@published(FROM_AN_ADDRESS)
def certificate(request: HttpRequest, page: ReleasePage) -> HttpResponseBase:
    """The newest certificate as JSON, without the names of systems."""
    done = done_or_404(page.release)
    return certificate_json(done, without_names(done.results))


@published(FROM_AN_ADDRESS)
def certificate_figure(request: HttpRequest, page: ReleasePage, split: str) -> HttpResponseBase:
    """The newest certificate's figure of a split as SVG, without the names of systems."""
    done = done_or_404(page.release)
    return certificate_svg(done, without_names(done.results), split)


@published(FILES_FROM_AN_ADDRESS)
def archive(request: HttpRequest, page: ReleasePage) -> HttpResponseBase:
    """The whole release as .tar.gz, where all of its files are given out."""
    if page.files != ReleasePage.Files.ALL or still_judged(page.release.collection):
        raise Http404("no such file")
    return archive_download(request, page.release, cache=ASK_AGAIN)


@published(FROM_AN_ADDRESS)
def poster(request: HttpRequest, page: ReleasePage, place: int) -> HttpResponseBase:
    """A frame of the clip of a sample moment."""
    return _picture(request, page, place, "poster")


@published(FROM_AN_ADDRESS)
def clip(request: HttpRequest, page: ReleasePage, place: int) -> HttpResponseBase:
    """The clip of a sample moment."""
    return _picture(request, page, place, "clip")


def _picture(request: HttpRequest, page: ReleasePage, place: int, kind: str) -> HttpResponseBase:
    """A picture that the page shows at this moment; 404 for every other."""
    digest = digest_of(page.release)
    moments = [moment for sample in _samples(page, digest) for moment in sample.moments]
    shown = next((moment for moment in moments if moment.place == place and getattr(moment, kind)), None)
    if shown is None:
        raise Http404("no such clip")
    clip: Clip = clips_of(page.release.collection, digest)[shown.video_name, shown.start, shown.end]
    file, suffix = (clip.poster_file, "jpg") if kind == "poster" else (clip.video_file, "mp4")
    if not default_storage.exists(file):
        raise Http404("no such clip")
    etag = hashlib.sha256(f"{page.release_id} {file}".encode()).hexdigest()[:32]
    return serve(request, file, content_type=TYPES[suffix], etag=f'"{etag}"', cache=ASK_AGAIN)
