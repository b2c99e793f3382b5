"""Limits on request bodies by address, and who may send large ones; used by the web server and by Django."""

from collections.abc import Callable, Collection
from typing import Any

from django.conf import settings
from django.db import close_old_connections
from django.http import HttpRequest, parse_cookie
from django.urls import Resolver404, resolve
from django.utils import timezone

LONGEST_BODY = 1 << 20
"""Bytes of a form or JSON; a guideline of two hundred pages fits."""


class BodyRefused(Exception):
    """The request is answered with this status and sentence, before its body is read."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


def too_large(longest: int) -> str:
    """The message for a body of more than `longest` bytes."""
    return f"This is larger than the {longest / (1 << 20):,.0f} MB that are taken here. Nothing of it was kept."


def longest_upload(method: str, path: str) -> int:
    """The largest upload at this address in bytes; 0 if it takes none."""
    view = _view(path)
    if not getattr(view, "uploaders", "") or method != view.upload_method:
        return 0
    return int(settings.LONGEST_UPLOAD if view.longest_upload is None else view.longest_upload)


def _view(path: str) -> Any:
    try:
        return resolve(path).func
    except Resolver404:
        return None


def admit_upload(path: str, cookies: str, authorization: str) -> int:
    """Check an upload's sender before its body is read; the view's guard checks again.

    Returns: the account that sends it. Raises: BodyRefused.
    """
    from foundation.infra.upgrade_state import is_held

    if is_held():
        raise BodyRefused(503, "The site is being upgraded. Try again in a minute.")
    close_old_connections()
    try:
        return refuse_stranger(path, parse_cookie(cookies), authorization)
    finally:
        close_old_connections()


def refuse_stranger(path: str, cookies: dict[str, str], authorization: str = "") -> int:
    """The account that sends a large body.

    Raises: BodyRefused for senders without a login or a token, no members, or no leads where only leads upload.
    """
    match = resolve(path)
    admits = getattr(match.func, "admits", None)
    if admits is not None:
        return _refuse_unless_admitted(admits, match.kwargs, cookies)
    scopes = getattr(match.func, "upload_scopes", ())
    name = match.kwargs["name"]
    if scopes and authorization.lower().startswith("bearer "):
        member = _member_by_token(authorization[len("bearer ") :].strip(), scopes, name)
    else:
        member = _member_by_login(cookies, name)
    if member is None:
        raise BodyRefused(404, "There is no such page, or it isn't yours to see.")
    if getattr(match.func, "uploaders", "") == "leads" and not member.leads:
        raise BodyRefused(403, "This page is for the lead annotator.")
    return int(member.account_id)


# What follows imports when it is called: the web server reads this file before Django is set up.


def _member_by_login(cookies: dict[str, str], name: str) -> Any:
    from foundation.access.fast_login import NotLoggedIn, read_login
    from foundation.access.second_factor import SecondFactorNeeded

    request = HttpRequest()
    request.COOKIES = cookies
    try:
        return read_login(request, name).member
    except NotLoggedIn:
        raise BodyRefused(401, "Log in first. Nothing of the file was kept.") from None
    except SecondFactorNeeded as needed:
        raise BodyRefused(403, str(needed)) from None


def _member_by_token(token: str, scopes: Collection[str], name: str) -> Any:
    from foundation.access.api_tokens import find_token
    from foundation.models import Membership

    known = find_token(token)
    if known is None:
        raise BodyRefused(401, "This token is unknown, was revoked, or has expired. Nothing of the file was kept.")
    if not set(scopes) & set(known.scopes):
        raise BodyRefused(403, f"This token lacks the scope “{'” or “'.join(scopes)}”. Nothing of the file was kept.")
    places = Membership.objects.select_related("collection").filter(account=known.account, collection__name=name)
    if known.collection_id is not None:
        places = places.filter(collection=known.collection_id)
    return places.first()


def _refuse_unless_admitted(admits: Callable[[int, Any], bool], kwargs: Any, cookies: dict[str, str]) -> int:
    """For a view outside collections, which says itself whom it takes an upload from; the account.

    Raises: BodyRefused.
    """
    from foundation.models import Session

    key = cookies.get(settings.SESSION_COOKIE_NAME, "")
    logins = Session.objects.filter(session_key=key, expire_date__gt=timezone.now(), account__is_active=True)
    account = logins.values_list("account", flat=True).first() if key else None
    if account is None:
        raise BodyRefused(401, "Log in first. Nothing of the file was kept.")
    if not admits(account, kwargs):
        raise BodyRefused(404, "There is no such page, or it isn't yours to see.")
    return int(account)


class BodyLimit:
    """Middleware: the same limits under other servers, before a body is read."""

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> Any:
        from foundation.access.error_pages import refused_body

        length = request.META.get("CONTENT_LENGTH") or "0"
        weighs = int(length) if length.isdecimal() and len(length) < 16 else 0
        if weighs > LONGEST_BODY:
            try:
                _refuse_too_large(request, weighs)
            except BodyRefused as refusal:
                return refused_body(request, refusal.status, str(refusal))
        return self.get_response(request)


def _refuse_too_large(request: HttpRequest, weighs: int) -> None:
    longest = max(LONGEST_BODY, longest_upload(request.method or "", request.path_info))
    if weighs > longest:
        raise BodyRefused(413, too_large(longest))
    refuse_stranger(request.path_info, request.COOKIES, request.headers.get("Authorization", ""))
