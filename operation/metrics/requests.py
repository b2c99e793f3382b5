"""Requests counted and timed, in all processes of the server together.

Each process writes to files of its own under PROMETHEUS_MULTIPROC_DIR (`config/run.py` sets it), which whoever answers
`/metrics` adds up; a process that ended keeps its counts there.
"""

import time
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse

if TYPE_CHECKING:
    from prometheus_client import Counter, Histogram

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15)
"""Seconds."""


@cache
def _made_once() -> "tuple[Histogram, Counter]":
    from prometheus_client import Counter, Histogram

    seconds = Histogram(
        "qreels_request_seconds", "Time to answer a request, by the name of its address.", ["view"], buckets=BUCKETS
    )
    labels = ["view", "method", "status"]
    return seconds, Counter("qreels_responses", "Responses, by the name of the address, method and status.", labels)


class CountRequests:
    """Middleware; not there at all where nobody may read figures."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not (settings.METRICS_TOKEN or settings.METRICS_FROM):
            raise MiddlewareNotUsed
        self._get_response = get_response
        self._seconds, self._answers = _made_once()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        begun = time.perf_counter()
        response = self._get_response(request)
        match = request.resolver_match
        # The name and not the address: a label with many values would fill the memory of whoever collects.
        view = (match.url_name if match else "") or "none"
        method = request.method if request.method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE") else "other"
        self._seconds.labels(view).observe(time.perf_counter() - begun)
        self._answers.labels(view, method, str(response.status_code)).inc()
        return response
