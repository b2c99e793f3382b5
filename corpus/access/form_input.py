"""Sanitise form input."""

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def drop_nul(request: HttpRequest) -> None:
    """Take the NUL characters out of a form's text: no keyboard makes one, and no PostgreSQL text can hold one."""
    if request.method != "POST" or not any("\x00" in said for _, every in request.POST.lists() for said in every):
        return
    cleaned = request.POST.copy()
    for name, every in request.POST.lists():
        cleaned.setlist(name, [said.replace("\x00", "") for said in every])
    request.POST = cleaned  # type: ignore[assignment]


def is_own_address(said: str) -> bool:
    """Whether it is a path of this site, and so somewhere to lead back to."""
    return said.startswith("/") and url_has_allowed_host_and_scheme(said, allowed_hosts=None)
