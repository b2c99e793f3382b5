"""Who is acting, told to the database's session so that its triggers know: a request's person, a command, a task."""

import json
import sys
from pathlib import Path
from typing import Any

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse

from foundation.access.client_address import client_address
from foundation.access.middleware import Middleware
from foundation.access.needs_login import SAFE, View, is_api
from foundation.infra.prepared_sql import rows_of
from foundation.models.sessions import TRACELESS

BY_LINK = {"welcome", "password-link", "join"}
"""Pages on which who isn't logged in changes something that is watched."""
BY_RETURN = "oidc-callback"
"""To where a login elsewhere leads back: a GET, by which an account may come into being."""


def of_this_process() -> dict[str, str]:
    """Who acts where no request does: a command or a worker's tasks; nobody in a web process."""
    program, *arguments = [Path(sys.argv[0]).name, *sys.argv[1:]] if sys.argv else [""]
    if program == "manage.py" and arguments:
        return {"via": "command", "asked": arguments[0][:100]}
    if "celery" in program or "worker" in arguments:
        return {"via": "task"}
    return {}


_SAY = "SELECT set_config('qreels.who', %(who)s, false)"


def say(who: dict[str, Any]) -> None:
    """Tell the session who acts from now on: {"account", "token", "via", "asked", "address", "request"}."""
    with connection.wrap_database_errors:
        rows_of(_SAY, {"who": _as_said(who)})


def _as_said(who: dict[str, Any]) -> str:
    return json.dumps(who) if who else ""


def say_process(sender: Any, connection: Any, **kwargs: Any) -> None:
    """Receiver of `connection_created`: a command's or a worker's connection says so from the start."""
    who = of_this_process()
    if who and connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(_SAY, {"who": _as_said(who)})


def acts(request: HttpRequest, *, account: int | None, via: str, token: int | None = None) -> None:
    """From here on this request's changes are this account's; `Acting` ends it."""
    match = request.resolver_match
    traceless = via == "page" and request.session.get(TRACELESS)
    say(
        {
            "account": account,
            "token": token,
            "via": via,
            "asked": ((match.url_name or "") if match else "")[:100],
            "address": "" if traceless else client_address(request),
            "request": getattr(request, "known_as", ""),
        }
    )
    request.acts = True  # type: ignore[attr-defined]


class Acting(Middleware):
    """Middleware, behind the login: whoever sends a form acts until it is answered.

    Views that `says_who_asks` are left out: what annotators send while judging costs no statement more, and is its own
    trail. Endpoints of the API say it themselves, once they know whose the token is.
    """

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            return self._get_response(request)
        finally:
            if getattr(request, "acts", False):
                _end()

    def process_view(self, request: HttpRequest, view: View, args: Any, kwargs: Any) -> None:
        asked = request.resolver_match.url_name if request.resolver_match else None
        if getattr(view, "says_who_asks", False) or is_api(request):
            return
        if request.method in SAFE and asked != BY_RETURN:
            return
        if request.user.is_authenticated:
            acts(request, account=request.user.pk, via="page")
        elif asked in BY_LINK or asked == BY_RETURN:
            acts(request, account=None, via="page")


def _end() -> None:
    try:
        say(of_this_process())
    except DatabaseError:
        # Nobody else may act under this name: a session that can't be told so ends.
        if not connection.in_atomic_block:
            connection.close()
