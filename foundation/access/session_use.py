"""Note when, from where and with what device a login was last used: at most one write an hour for each login."""

from datetime import datetime, timedelta

from django.db.models import Case, Value, When
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from foundation.access.client_address import client_address
from foundation.access.middleware import Middleware
from foundation.models import Session

EVERY = timedelta(hours=1)


class SessionUse(Middleware):
    """Middleware around that of the sessions, so that a new login is already stored."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        session = getattr(request, "session", None)
        # Who never asked for the session, as judging's requests don't (fast_login.py), costs nothing here.
        if session is not None and session.stored and session.session_key:
            note_use(request, session.session_key, session.used_at)
        return response


def note_use(request: HttpRequest, key: str, noted: datetime | None) -> None:
    """Note this use of the session of this key, unless `noted`, the last that was, is less than EVERY ago."""
    now = timezone.now()
    if not request.META:
        return  # whether an upload may come is asked before there is a whole request (config/web/limits.py)
    if noted is not None and now - noted < EVERY:
        return
    seen = {"device": request.headers.get("User-Agent", "")[:200], "address": client_address(request)[:45]}
    traces = {name: Case(When(traceless=True, then=Value("")), default=Value(text)) for name, text in seen.items()}
    Session.objects.filter(pk=key).update(used_at=now, **traces)
