"""Who calls an endpoint, and whether they may: the pages' guards, asked for a token or a login."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.utils import translation
from ninja.utils import check_csrf

from annotation.judging.guards import why_no_training
from api.frame.problems import Problem
from foundation.access.guards import TokenUnknown, membership, refuse_change_in_archive, shown_token, why_not_judging
from foundation.access.needs_login import LEADS_ONLY, SAFE, account_of
from foundation.access.second_factor import require_second_factor
from foundation.access.site_owner import site_owner
from foundation.access.study_pages import NotOfStudies
from foundation.access.throttle import Limit, take
from foundation.audit.acting import acts
from foundation.models import Account, ApiToken, Collection, Membership

Scope = ApiToken.Scope
LARGEST = 2**63 - 1
BOUND = "This token is good for one collection alone."
T = TypeVar("T")


class Who(StrEnum):
    """Whom an endpoint is for. Strangers to a collection get 404, the others of its members 403."""

    ACCOUNT = "everybody with an account"
    SITE_OWNER = "owners of the site"
    MEMBER = "every member of the collection"
    TRAINEE = "annotators of the collection, in training or admitted"
    ANNOTATOR = "annotators of the collection who may judge"
    LEAD = "owners and leads of the collection"
    OWNER = "owners of the collection"


OF_NO_COLLECTION = (Who.ACCOUNT, Who.SITE_OWNER)


@dataclass(frozen=True, slots=True)
class Call:
    """A call that was let in. `token` is None for a login."""

    request: HttpRequest
    account: Account
    token: ApiToken | None
    place: Membership | None

    @property
    def member(self) -> Membership:
        """The caller's membership in the collection that the path names."""
        assert self.place is not None, "an endpoint of no collection has no member"
        return self.place

    @property
    def collection(self) -> Collection:
        """The collection that the path names."""
        return self.member.collection


@dataclass(frozen=True, slots=True)
class Guard:
    """Ninja's authentication of one endpoint.

    Args:
        scopes: a token needs one of them.
        of_archived: whether it also changes archived collections.
        of_studies: whether studies have it, too.
    """

    scopes: tuple[str, ...]
    who: Who
    of_archived: bool = False
    of_studies: bool = False

    def __call__(self, request: HttpRequest) -> Call:
        token = _token(request)
        account = token.account if token is not None else _logged_in(request)
        limit = Limit("api", settings.API_PER_MINUTE, 1)
        take(limit, f"token {token.pk}" if token else f"account {account.pk}", what="Too many requests came from you.")
        if token is not None and not set(self.scopes) & set(token.scopes):
            raise Problem(
                403,
                f"This token lacks the scope “{'” or “'.join(self.scopes)}”; it has: {', '.join(token.scope_names)}.",
                WWW_Authenticate=f'Bearer error="insufficient_scope", scope="{self.scopes[0]}"',
            )
        if request.method not in SAFE:
            acts(request, account=account.pk, via="api", token=token.pk if token else None)
        # Programs and papers read it, as they read the pages' facts.
        translation.activate(settings.LANGUAGE_CODE)
        place = self._place(request, token)
        assert request.resolver_match is not None
        if any(isinstance(value, int) and value > LARGEST for value in request.resolver_match.kwargs.values()):
            raise Http404("no row has such a number")
        return Call(request, account, token, place)

    def _place(self, request: HttpRequest, token: ApiToken | None) -> Membership | None:
        if self.who is Who.SITE_OWNER:
            site_owner(request)
            if token is not None and token.collection_id is not None:
                raise Problem(403, BOUND)
        if self.who in OF_NO_COLLECTION:
            return None
        assert request.resolver_match is not None
        member = membership(request, request.resolver_match.kwargs["name"])
        translation.activate(settings.LANGUAGE_CODE)
        self._refuse(member)
        if member.collection.is_study and not self.of_studies:
            raise NotOfStudies(member.collection)
        if not self.of_archived:
            refuse_change_in_archive(request, member)
        return member

    def _refuse(self, member: Membership) -> None:
        if self.who in (Who.ANNOTATOR, Who.TRAINEE):
            reason = str(why_not_judging(member) if self.who is Who.ANNOTATOR else why_no_training(member))
            if reason:
                raise PermissionDenied(reason)
        if self.who in (Who.LEAD, Who.OWNER) and not member.leads:
            raise PermissionDenied(str(LEADS_ONLY))
        if self.who is Who.OWNER and member.role != Membership.Role.OWNER:
            raise PermissionDenied("This is for owners of the collection.")


def _token(request: HttpRequest) -> ApiToken | None:
    try:
        token = shown_token(request)
    except TokenUnknown as refusal:
        raise Problem(401, str(refusal), WWW_Authenticate='Bearer error="invalid_token"') from refusal
    if token is not None:
        request.user, request.by_token = token.account, token  # type: ignore[attr-defined]  # `second_factor.py` reads it
    return token


def _logged_in(request: HttpRequest) -> Account:
    """The account that is logged in. A change needs the CSRF token, as every form does."""
    if not request.user.is_authenticated:
        raise Problem(401, WWW_Authenticate="Bearer")
    if request.method not in SAFE and check_csrf(request) is not None:
        raise Problem(
            403,
            "A login changes something here only with the header X-CSRFToken, which scripts of this site send.",
            field="header.X-CSRFToken",
        )
    return account_of(request)


def require_factor(call: Call) -> None:
    """For what only leads and owners of collections, or those who begin one, may do. Raises: SecondFactorNeeded."""
    require_second_factor(call.request)


def not_bound(call: Call) -> None:
    """Raises: Problem for a token that is bound to one collection, where the request concerns all of them."""
    if call.token is not None and call.token.collection_id is not None:
        raise Problem(403, BOUND)


def found_or_404(row: T | None) -> T:
    """Raises: Http404 for None."""
    if row is None:
        raise Http404("no such row")
    return row
