"""View guards: who may see what of a collection."""

import logging
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from foundation.access.api_tokens import find_token
from foundation.access.client_address import client_address
from foundation.access.fast_login import NotLoggedIn, find_member, read_login
from foundation.access.language import answer_in, says_who_asks
from foundation.access.needs_login import LEADS_ONLY, SAFE, View, login_required
from foundation.access.second_factor import SecondFactorNeeded, require_second_factor
from foundation.access.study_pages import NOT_OF_STUDIES, NotOfStudies
from foundation.access.throttle import Limit, Throttled, count, refuse_when_full
from foundation.infra.uploads import refuse_without_space
from foundation.lazy import LazyStr
from foundation.models import Account, ApiToken, Membership

WRONG_TOKENS = Limit("tokens", 60, 10)
"""From one address."""
log = logging.getLogger("qreels.logins")


def membership(request: HttpRequest, name: str) -> Membership:
    """The membership of whoever asks. Raises: Http404 for a stranger, PermissionDenied for the token of who was removed
    or barred, SecondFactorNeeded."""
    member = find_member(request.user.pk, name)
    token = getattr(request, "by_token", None)
    if member is None or (token is not None and token.collection_id not in (None, member.collection_id)):
        # Not 403: a stranger doesn't even learn that the collection exists.
        raise Http404("no such collection")
    if token is not None and member.status == Membership.Status.BARRED:
        # What they may see still, such as their own time, is for them and not for a program.
        raise PermissionDenied(NO_WORK[member.status])
    if member.collection.is_study and request.resolver_match and request.resolver_match.url_name in NOT_OF_STUDIES:
        raise NotOfStudies(member.collection)
    assert isinstance(request.user, Account)  # others are no members
    answer_in(request, request.user.language, leads=member.leads)
    if member.leads:
        require_second_factor(request)
    return member


ARCHIVED = gettext_lazy("This collection is archived: it can be read, but not changed.")


def member_required(view: View) -> View:
    """`view(request, member, ...)` for the collection's members; strangers get 404, the logged-out the login page.

    A collection in the archive is only read.
    """
    return login_required(_guarded(view, membership))


def member_of_archived(view: View) -> View:
    """Like `member_required`, but also allowed in an archived collection: for erasing oneself."""
    return login_required(_guarded(view, membership, archived_too=True))


def refuse_change_in_archive(request: HttpRequest, member: Membership) -> None:
    """Raises: PermissionDenied for a request that may change something in an archived collection."""
    if member.collection.archived_at is not None and request.method not in SAFE:
        raise PermissionDenied(ARCHIVED)


def lead_required(view: View) -> View:
    """`view(request, member, ...)` for owners and leads; other members get 403, strangers 404.

    A token (api_tokens.py) in the place of a login is good for reading, never for changes. A collection in the archive
    is only read, too.
    """
    return _with_token(_guarded(view, _lead))


def member_or_token_required(view: View) -> View:
    """Like `lead_required`, for every member: the view itself says who of them may."""
    return _with_token(_guarded(view, membership))


def lead_of_archived(view: View) -> View:
    """Like `lead_required`, without tokens and also allowed in an archived collection: for restoring it."""
    return login_required(_guarded(view, _lead, archived_too=True))


def _guarded(view: View, find: Callable[[HttpRequest, str], Membership], *, archived_too: bool = False) -> View:
    @wraps(view)
    def guarded(request: HttpRequest, name: str, *args: Any, **kwargs: Any) -> HttpResponseBase:
        member = find(request, name)
        if not archived_too:
            refuse_change_in_archive(request, member)
        return refuse_without_space(request) or view(request, member, *args, **kwargs)

    return guarded


def _lead(request: HttpRequest, name: str) -> Membership:
    member = membership(request, name)
    if not member.leads:
        raise PermissionDenied(LEADS_ONLY)
    return member


def _with_token(view: View) -> View:
    """The view behind a login, or behind a token where one is shown; a wrong one is 401, not the login page."""
    behind_login = login_required(view)

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            token = shown_token(request)
        except TokenUnknown as refusal:
            return _refused(401, str(refusal))
        except Throttled as refusal:
            return _refused(429, str(refusal), seconds=refusal.seconds)
        if token is None:
            return behind_login(request, *args, **kwargs)
        if request.method not in SAFE:
            return _refused(403, "A token reads pages and changes nothing here: use /api/v1/, or log in.")
        if ApiToken.Scope.READ not in token.scopes:
            return _refused(403, "This token lacks the scope “read”.")
        request.user = token.account
        request.by_token = token  # type: ignore[attr-defined]  # the guards below it read it
        return view(request, *args, **kwargs)

    return guarded


class TokenUnknown(Exception):
    """The token that a request shows opens nothing."""


def shown_token(request: HttpRequest) -> ApiToken | None:
    """The token in a request's header `Authorization`; None if it shows none.

    Raises: TokenUnknown for one that doesn't work (any longer); Throttled after too many of these from one address.
    """
    header = request.headers.get("Authorization", "")
    if not header.lower().startswith("bearer "):
        return None
    address = client_address(request)
    try:
        refuse_when_full(WRONG_TOKENS, address, what="Too many wrong tokens came from your address.")
    except Throttled:
        log.warning("token throttled: from %s", address)
        raise
    token = find_token(header[len("bearer ") :].strip())
    if token is None:
        log.warning("wrong token from %s", address)
        count(WRONG_TOKENS, address)
        raise TokenUnknown("This token is unknown, was revoked, or has expired. Make another one on the page Tokens.")
    return token


def _refused(status: int, text: str, *, seconds: int = 0) -> HttpResponse:
    response = HttpResponse(text, status=status, content_type="text/plain")
    if seconds:
        response["Retry-After"] = str(seconds)
    if status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response


def takes_uploads(
    uploaders: str,
    *,
    method: str = "POST",
    longest: int | None = None,
    scopes: Collection[str] = (),
    admits: Callable[[int, Mapping[str, Any]], bool] | None = None,
) -> Callable[[View], View]:
    """Outermost decorator of a view that accepts a large body from "leads" or all "members" (config/web/limits.py).

    Args:
        longest: bytes; None: QREELS_UPLOAD_MB.
        scopes: of which a token needs one; none: it is nothing for tokens.
        admits: for a view outside collections: whether the body may come from this account, asked with the address's
            values before it is read.
    """

    def mark(view: View) -> View:
        view.uploaders, view.upload_method, view.longest_upload = uploaders, method, longest  # type: ignore[attr-defined]
        view.upload_scopes = tuple(scopes)  # type: ignore[attr-defined]
        if admits is not None:
            view.admits = admits  # type: ignore[attr-defined]
        return view

    return mark


NO_JUDGING_IN_THE_ARCHIVE = gettext_lazy(
    "This collection is archived, so nothing is judged here. What you judged is kept."
)
LEADS_DO_NOT_JUDGE = gettext_lazy("You lead this collection and see its captions and grades, so you can't judge it.")


WITHDREW = gettext_lazy(
    "You have withdrawn your consent, so nothing more of you is stored here. You can give it again on the page Consent."
)
CONSENT_FIRST = gettext_lazy("Read the consent text and confirm it first, on the page Consent.")
NOT_ADMITTED = gettext_lazy("You can judge here once you have finished the training and the lead has admitted you.")
PAUSED = gettext_lazy("The lead has paused your judging. What you judged is safe; ask them when it goes on.")
NO_WORK: dict[str, LazyStr] = {
    Membership.Status.APPLICANT: NOT_ADMITTED,
    Membership.Status.DECLINED: gettext_lazy(
        "The lead has not admitted you to judging here. Ask them if you think this is a mistake."
    ),
    Membership.Status.BARRED: gettext_lazy("The lead has ended your judging here. What you judged is kept."),
}
"""Statuses that can't open the judging page, and why; applicants are sent to their training.

Paused annotators can: the page tells them."""


def why_not_judging(member: Membership) -> LazyStr:
    if member.leads:
        return LEADS_DO_NOT_JUDGE
    if member.collection.archived_at is not None:
        return NO_JUDGING_IN_THE_ARCHIVE
    return NO_WORK.get(member.status) or (WITHDREW if member.consent_withdrawn_at is not None else "")


def consent_page(member: Membership) -> str:
    """The address of the consent text; a study's is its collection's."""
    home = member.collection.study_of or member.collection
    return reverse("consent", args=[home.name])


def annotator_required(view: View) -> View:
    """Like `member_required`, for annotators only: owners and leads see too much to judge."""

    @member_required
    @wraps(view)
    def guarded(request: HttpRequest, member: Membership, *args: Any, **kwargs: Any) -> HttpResponseBase:
        refusal = why_not_judging(member)
        if refusal == NOT_ADMITTED:
            return redirect("qualification", member.collection.name)
        if refusal == WITHDREW:
            return redirect(consent_page(member))
        if refusal:
            raise PermissionDenied(refusal)
        return view(request, member, *args, **kwargs)

    return guarded


def api_guard(refusal_of: Callable[[HttpRequest, Membership], LazyStr]) -> Callable[[View], View]:
    """A guard of a page's own requests: a lost login is 401, not a redirect; what `refusal_of` says is a 403's text."""

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, name: str, *args: Any, **kwargs: Any) -> HttpResponseBase:
            try:
                member, language = read_login(request, name)
            except NotLoggedIn:
                return HttpResponse(_("Log in again to go on; nothing is lost."), status=401, content_type="text/plain")
            except SecondFactorNeeded as needed:
                return HttpResponse(str(needed), status=403, content_type="text/plain")
            if member is None:
                raise Http404("no such collection")
            answer_in(request, language, leads=member.leads)
            refusal = refusal_of(request, member)
            if refusal:
                return HttpResponse(refusal, status=403, content_type="text/plain")
            return view(request, member, *args, **kwargs)

        return says_who_asks(guarded)

    return decorate


def why_no_change(request: HttpRequest, member: Membership) -> LazyStr:
    """Why a request may not be answered in the archive; "" if it may."""
    archived = member.collection.archived_at is not None and request.method not in SAFE
    return NO_JUDGING_IN_THE_ARCHIVE if archived else ""


_annotator_api = api_guard(lambda request, member: why_not_judging(member))


def annotator_get(view: View) -> View:
    """Like `annotator_required`, for what the judging page's script asks for."""
    return require_safe(_annotator_api(view))


def annotator_post(view: View) -> View:
    """Like `annotator_required`, for what the judging page's script does."""
    return require_POST(_annotator_api(view))


member_api = api_guard(why_no_change)
"""For every member's own requests."""


def _why_not_leading(request: HttpRequest, member: Membership) -> LazyStr:
    if not member.leads:
        return LEADS_ONLY
    if member.collection.is_study:
        raise Http404("a study has no such page")
    return ARCHIVED if member.collection.archived_at is not None and request.method not in SAFE else ""


lead_api = api_guard(_why_not_leading)
"""Like `lead_required`, for a lead's page's own requests; not of studies."""
