"""503 for a request whose statement PostgreSQL cancelled, for its time limit (config/database.py) or want of space; and
for one whose file an S3 server didn't give."""

import logging
from collections.abc import Callable

import psycopg
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy

from foundation.access.needs_login import is_api
from foundation.lazy import LazyStr

log = logging.getLogger(__name__)

RETRY_SECONDS = 5
TITLE = gettext_lazy("Busy just now")
SAFE = gettext_lazy(
    "Everything that was saved before is safe. What you asked for just now was not finished: try again in a moment."
)
WHY = {
    psycopg.errors.LockNotAvailable: gettext_lazy(
        "Somebody else is changing what this needs, and it took too long to wait for."
    ),
    psycopg.errors.DeadlockDetected: gettext_lazy("Somebody else was changing the same at this very moment."),
    psycopg.errors.QueryCanceled: gettext_lazy("The database has too much to do to answer this in time."),
    psycopg.errors.DiskFull: gettext_lazy("The server has no space left to save anything."),
    psycopg.errors.IdleInTransactionSessionTimeout: gettext_lazy("This took too long."),
}
S3_LIBRARIES = ("botocore", "boto3", "s3transfer")
"""Their errors have no common class, and they are imported only where S3 is used."""
S3_AWAY = gettext_lazy("The storage that has the file can't be reached, or refuses to give it.")


class TimeLimits:
    """Middleware that answers when a view's statement was cancelled or its file can't be had; not to other errors."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return answer_to_time_limit(request, exception)


def answer_to_time_limit(request: HttpRequest, fault: BaseException | None) -> HttpResponse | None:
    """A 503 as page or JSON; None if the error is neither a statement cancelled for one of `WHY` nor the storage's."""
    why = _why(fault)
    if why is None:
        return None
    log.warning("%s %s: %s", request.method, request.path, str(fault).partition("\n")[0])
    text = f"{why} {SAFE}"
    response: HttpResponse
    asks_json = request.content_type == "application/json" or is_api(request)
    if asks_json or not request.accepts("text/html"):
        response = JsonResponse({"error": text, "retry_after": RETRY_SECONDS}, status=503)
    else:
        response = _page(request, text)
    response["Retry-After"] = str(RETRY_SECONDS)
    response["Cache-Control"] = "no-store"
    return response


def _why(fault: BaseException | None) -> LazyStr | None:
    # Django wraps psycopg's errors, except those of prepared statements.
    for one in (fault, fault.__cause__ if fault is not None else None):
        for kind, why in WHY.items():
            if isinstance(one, kind):
                return why
        if type(one).__module__.partition(".")[0] in S3_LIBRARIES:
            return S3_AWAY
    return None


def _page(request: HttpRequest, text: str) -> HttpResponse:
    try:
        return render(request, "foundation/problem.html", {"title": TITLE, "text": text}, status=503)
    except DatabaseError:  # the page says who is logged in
        return HttpResponse(f"{TITLE}. {text}\n", status=503, content_type="text/plain; charset=utf-8")
