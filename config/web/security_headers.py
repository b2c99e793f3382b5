"""Security headers of every response: what a page may load and do, said by a content security policy.

The policy has no nonces since no page has a script or style sheet of its own in it: all are files of this site
(`tests/test_security_headers.py` holds that). Attributes `style`, which only size bars, are allowed. A constant header
needs no package.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse

_UNUSED = "accelerometer camera display-capture geolocation gyroscope magnetometer microphone midi payment usb".split()
PERMISSIONS = ", ".join(f"{feature}=()" for feature in _UNUSED)
"""What no page of ours asks a browser for."""


def policy(storage_origins: Iterable[str], *, forms_to: Iterable[str] = (), framed_by: Iterable[str] = ()) -> str:
    """The content security policy of a site whose clips lie at these origins; none where Qreels sends them itself.

    Args: forms_to: origins that a page's form may be sent to besides; framed_by: those that may show it in a frame.
    """
    clips = " ".join(["'self'", "blob:", *storage_origins])
    return "; ".join(
        [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "style-src-attr 'unsafe-inline'",
            f"img-src {clips} data:",
            f"media-src {clips}",
            f"connect-src {clips}",
            "font-src 'self'",
            "worker-src 'self'",
            "manifest-src 'self'",
            " ".join(["form-action 'self'", *forms_to]),
            " ".join(["frame-ancestors", *(framed_by or ["'none'"])]),
            "base-uri 'none'",
        ]
    )


def origins_of(storage: dict[str, Any]) -> list[str]:
    """Where a storage's signed addresses lead, as origins; empty for a local folder."""
    options = storage.get("OPTIONS", {})
    bucket = options.get("bucket_name")
    if not bucket:
        return []
    if endpoint := options.get("endpoint_url"):
        parts = urlsplit(endpoint)
        return [f"{parts.scheme}://{parts.netloc}"]
    region = options.get("region_name")
    hosts = [f"{bucket}.s3.amazonaws.com", *([f"{bucket}.s3.{region}.amazonaws.com"] if region else [])]
    return [f"https://{host}" for host in hosts]


@lru_cache(maxsize=8)
def _policy_of(origins: tuple[str, ...], forms_to: tuple[str, ...], framed_by: tuple[str, ...]) -> str:
    return policy(origins, forms_to=forms_to, framed_by=framed_by)


class SecurityHeaders:
    """Middleware. Django's own sets HSTS, nosniff, Referrer-Policy and Cross-Origin-Opener-Policy."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        origins = origins_of(settings.STORAGES["default"]) if settings.CLIP_REDIRECT_SECONDS else []
        # A view names origins that its one page needs besides.
        besides = (tuple(getattr(response, more, ())) for more in ("forms_to", "framed_by"))
        response.headers.setdefault("Content-Security-Policy", _policy_of(tuple(origins), *besides))
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        # What says nothing itself is its reader's own: no cache between keeps it, and a browser asks again.
        response.headers.setdefault("Cache-Control", "private, no-cache")
        # Django says it of what passes all middleware; without it a connection is closed after the response.
        if not response.streaming:
            response.headers.setdefault("Content-Length", str(len(response.content)))
        return response
