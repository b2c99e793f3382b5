"""A request's id: taken from the proxy before us or made here, in every log line and in the response."""

import re
import secrets
from collections.abc import Callable
from contextvars import ContextVar

from django.http import HttpRequest, HttpResponse

HEADER = "X-Request-ID"
_GOOD = re.compile(r"[A-Za-z0-9._-]{8,64}\Z")
_current: ContextVar[str] = ContextVar("request_id", default="")


def current_request_id() -> str:
    """The id of the request that this thread answers; "" outside of one."""
    return _current.get()


class RequestId:
    """Middleware, the outermost. An id from outside is kept if it has 8 to 64 letters, digits, dots, dashes."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        sent = request.headers.get(HEADER, "")
        known = sent if _GOOD.match(sent) else secrets.token_hex(8)
        request.known_as = known  # type: ignore[attr-defined]  # ours, for log lines
        before = _current.set(known)
        try:
            response = self._get_response(request)
        finally:
            _current.reset(before)
        response[HEADER] = known
        return response
