"""A line a request in the JSON log. It has the address's pattern: the address itself may hold a secret."""

import logging
import time
from collections.abc import Callable

from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse

log = logging.getLogger("qreels.request")


class RequestLog:
    """Middleware; not there at all where the log is for people."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not log.isEnabledFor(logging.INFO):
            raise MiddlewareNotUsed
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        begun = time.perf_counter()
        response = self._get_response(request)
        match = request.resolver_match
        log.info(
            "%s %s %d",
            request.method,
            match.route if match else "-",
            response.status_code,
            extra={
                "method": request.method,
                "route": match.route if match else "",
                "status": response.status_code,
                "ms": round((time.perf_counter() - begun) * 1000, 1),
            },
        )
        return response
