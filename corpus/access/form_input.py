"""Sanitise form input."""

import re

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def drop_nul(request: HttpRequest) -> None:
    """Remove NUL characters from a form's text: no keyboard types one, and PostgreSQL stores none."""
    if request.method != "POST" or not any("\x00" in said for _, every in request.POST.lists() for said in every):
        return
    cleaned = request.POST.copy()
    for name, every in request.POST.lists():
        cleaned.setlist(name, [said.replace("\x00", "") for said in every])
    request.POST = cleaned  # type: ignore[assignment]


def is_own_address(said: str) -> bool:
    """Whether an address is a path of this site, so that redirecting to it is safe."""
    return said.startswith("/") and url_has_allowed_host_and_scheme(said, allowed_hosts=None)


_DECIMAL_COMMA = re.compile(r"([+-]?(?:0|\d+(?!,\d{3}\Z))),(\d+)", re.ASCII)


def with_point(number: str) -> str:
    """A typed number with its decimal comma replaced by a point.

    A comma before three digits stays, unless a 0 is before it: it may stand for thousands.

    >>> with_point("15,50"), with_point("0,125"), with_point("1,500"), with_point("12.5")
    ('15.50', '0.125', '1,500', '12.5')
    """
    found = _DECIMAL_COMMA.fullmatch(number.strip())
    return f"{found[1]}.{found[2]}" if found else number
