"""Answers to probes: `/healthz`, `/readyz`, `/metrics`, before anything else looks at a request.

So they need no host name that is allowed, no session and no page. What they say is for machines; the sentences with
addresses and names of servers are on the page System, for owners.
"""

import ipaddress
import secrets
import threading
import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse

from foundation.access.client_address import asking_address
from operation.health import checks
from operation.health.findings import Finding

KEPT_SECONDS = 2.0
"""Findings are kept for so long, so that whoever asks again and again costs nothing."""
ADDRESSES = ("/healthz", "/readyz", "/metrics")

_lock = threading.Lock()
_kept: tuple[float, list[Finding]] | None = None


class Probes:
    """Middleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info not in ADDRESSES:
            return self._get_response(request)
        if request.method not in ("GET", "HEAD"):
            return HttpResponse("Only GET is answered here.\n", status=405, headers={"Allow": "GET, HEAD"})
        answer = {"/healthz": healthz, "/readyz": readyz, "/metrics": metrics}[request.path_info](request)
        answer["Cache-Control"] = "no-store"
        answer["X-Content-Type-Options"] = "nosniff"
        return answer


def healthz(request: HttpRequest) -> HttpResponse:
    """200 as long as this process answers; it asks nobody else, so a restart would help where this fails."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> HttpResponse:
    """200 if all that the site needs is there, else 503, with each check's state.

    `?only=database,migrations` asks for some: a load balancer that shouldn't take the site away for want of a worker.
    """
    names = {check.__name__ for check in checks.NEEDED}
    only = [name for name in request.GET.get("only", "").split(",") if name] or sorted(names)
    if unknown := [name for name in only if name not in names]:
        return JsonResponse({"error": f"unknown check {unknown[0]!r}: expected {', '.join(sorted(names))}"}, status=400)
    asked = [finding for finding in findings() if finding.name in only]
    good = all(finding.ok for finding in asked)
    return JsonResponse(
        {"status": "ok" if good else "failed", "checks": {finding.name: finding.state for finding in asked}},
        status=200 if good else 503,
    )


def findings() -> list[Finding]:
    """What `/readyz` tells, at most KEPT_SECONDS old."""
    global _kept
    with _lock:
        if _kept is None or time.monotonic() - _kept[0] > KEPT_SECONDS:
            found = checks.look(checks.NEEDED)
            _kept = (time.monotonic(), found)
        return _kept[1]


def metrics(request: HttpRequest) -> HttpResponse:
    """Figures for Prometheus: 404 to whoever has neither the token nor an address that may ask."""
    if not may_read_metrics(request):
        return HttpResponse("There is no such page.\n", status=404, content_type="text/plain; charset=utf-8")
    from prometheus_client import CONTENT_TYPE_LATEST

    from operation.metrics.exposition import exposed

    return HttpResponse(exposed(), content_type=CONTENT_TYPE_LATEST)


def may_read_metrics(request: HttpRequest) -> bool:
    """By QREELS_METRICS_TOKEN (as "Authorization: Bearer TOKEN") or QREELS_METRICS_FROM (addresses and networks)."""
    given = request.headers.get("Authorization", "")
    if settings.METRICS_TOKEN and secrets.compare_digest(
        given.encode(errors="replace"), f"Bearer {settings.METRICS_TOKEN}".encode()
    ):
        return True
    address = asking_address(request)
    return address is not None and any(address in ipaddress.ip_network(network) for network in settings.METRICS_FROM)
