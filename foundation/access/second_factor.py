"""Two factors (QREELS_TWO_FACTORS): whether a login had a second one, and who may do nothing without it.

A login notes in its session that it was proved by a second factor, so that whether it was costs no statement.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from allauth.account.authentication import AUTHENTICATION_METHODS_SESSION_KEY
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth import SESSION_KEY, logout
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext_lazy

from foundation.refused import Refused

NEEDED = gettext_lazy(
    "Leads and owners log in with a second factor on this site. Set yours up on the page Account, under Second factor."
)
_OF = "account_authentication_methods_user"


class FactorRefused(Refused):
    """The second factor isn't taken, or wasn't changed; the message says why."""


class SecondFactorNeeded(PermissionDenied):
    """This login had no second factor, and what was asked needs one."""

    def __init__(self) -> None:
        super().__init__(NEEDED)


def had_second_factor(session: Mapping[str, Any]) -> bool:
    """Whether the login of this session's data was proved by a second factor of its own account."""
    if session.get(SESSION_KEY) is None or session.get(_OF) != session.get(SESSION_KEY):
        return False
    return any(record.get("method") == "mfa" for record in session.get(AUTHENTICATION_METHODS_SESSION_KEY, []))


def factors_of(account_id: Any) -> QuerySet[Authenticator]:
    """What an account can prove itself by, apps and passkeys, or of an OuterRef; recovery codes alone are none."""
    rows: QuerySet[Authenticator] = Authenticator.objects.filter(user=account_id)
    return rows.exclude(type=Authenticator.Type.RECOVERY_CODES)


def is_missing(session: Mapping[str, Any]) -> bool:
    """Whether this login may not do what a lead or an owner may."""
    return settings.TWO_FACTORS == "leads" and not had_second_factor(session)


def require_second_factor(request: HttpRequest) -> None:
    """For what only leads and owners may. A token was made with the factor, and needs none.

    Raises: SecondFactorNeeded.
    """
    if settings.TWO_FACTORS == "leads" and not getattr(request, "by_token", None) and is_missing(request.session):
        raise SecondFactorNeeded


def lead_to_set_up(request: HttpRequest) -> HttpResponse:
    """To the page that sets a second factor up; or to log in again, for who has one and logged in without it."""
    if factors_of(request.user.pk).exists():
        logout(request)
        query = urlencode({"next": request.get_full_path(), "why": "factor"}, safe="/")
        return redirect(f"{reverse('login')}?{query}")
    return redirect(f"{reverse('second-factor')}?{urlencode({'next': request.get_full_path()}, safe='/')}")
