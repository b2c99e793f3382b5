"""Whether somebody logged in just now: what a found, open browser must not be enough for asks for it."""

import time

from django.http import HttpRequest

LOGGED_IN_AT = "logged_in_at"
"""In the session: when its login was done, in seconds of the epoch."""
FRESH_MINUTES = 10


def note_login(request: HttpRequest) -> None:
    """Note that this session's login was done now."""
    request.session[LOGGED_IN_AT] = int(time.time())


def is_fresh(request: HttpRequest) -> bool:
    """Whether the login is at most FRESH_MINUTES old, and not of a time to come, by a clock that was wrong."""
    since = int(request.session.get(LOGGED_IN_AT, 0))
    return abs(time.time() - since) <= FRESH_MINUTES * 60
