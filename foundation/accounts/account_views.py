"""The account page: name, mail address, time zone, password, open logins, memberships; and erasing the account."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from foundation.access.language import answer_in
from foundation.access.needs_login import account_get, account_of, account_post
from foundation.access.throttle import Limit, forget, take
from foundation.accounts.forms import OwnAccount, password_rules
from foundation.accounts.mails import tell
from foundation.accounts.outside_logins import links_of
from foundation.accounts.own_sessions import end_other_sessions, end_session, sessions_of
from foundation.accounts.second_factors import second_factor_of
from foundation.mail.choice import choices_of
from foundation.models import Account, Membership

OWN_PASSWORD = Limit("own-password", 10, 10)
"""Guesses of the current password by whoever found somebody logged in."""


@never_cache
@account_get
def account(request: HttpRequest) -> HttpResponse:
    """The account's own page."""
    return _page(request, account_of(request))


@never_cache
@account_post
def change(request: HttpRequest) -> HttpResponse:
    """Change name, mail address or time zone; the page with what is wrong where something is."""
    own = account_of(request)
    form = OwnAccount(request.POST, instance=own)
    if form.needs_password:
        _count_guess(own)
    if not form.is_valid():
        return _page(request, account_of(request), form=form)
    form.save()
    forget(OWN_PASSWORD, str(own.pk))
    answer_in(request, form.cleaned_data["language"])
    messages.info(request, _("Your account is changed.") if form.changed_data else _("Nothing was changed."))
    return redirect("account")


@never_cache
@account_post
def change_password(request: HttpRequest) -> HttpResponse:
    """Set another password. Every other login and all tokens of the account end."""
    own = account_of(request)
    form = PasswordChangeForm(own, request.POST)
    _count_guess(own)
    if not form.is_valid():
        return _page(request, own, password_form=form)
    form.save()
    update_session_auth_hash(request, own)
    tell(own, "password")
    forget(OWN_PASSWORD, str(own.pk))
    messages.info(request, _("Your password is changed. All other logins and all your tokens have ended."))
    return redirect("account")


@account_post
def end_login(request: HttpRequest) -> HttpResponse:
    """End one of one's own logins by its `mark`, or with `others` all but this one."""
    own, key = account_of(request), request.session.session_key
    if request.POST.get("others"):
        ended = end_other_sessions(account=own, current_key=key)
        messages.info(
            request, ngettext("%(ended)s other login ended.", "%(ended)s other logins ended.", ended) % {"ended": ended}
        )
    elif end_session(account=own, mark=request.POST.get("mark", "")):
        messages.info(request, _("That login has ended."))
    else:
        messages.info(request, _("That login had ended already."))
    return redirect("account")


@require_safe
def erased(request: HttpRequest) -> HttpResponse:
    """The page shown after erasing one's account, in the language that it had; visitors are not logged in."""
    if request.user.is_authenticated:
        return redirect("home")
    answer_in(request, request.GET.get("language", ""))
    return render(request, "foundation/erased.html")


def _count_guess(own: Account) -> None:
    take(OWN_PASSWORD, str(own.pk), what=_("Too many wrong passwords."))


def _page(request: HttpRequest, own: Account, **forms: Any) -> HttpResponse:
    places = Membership.objects.filter(account=own, collection__study_of=None)
    context = {
        "places": places.select_related("collection").order_by("collection__title"),
        "form": OwnAccount(instance=own),
        "password_form": PasswordChangeForm(own),
        "password_help": password_rules(),
        "sessions": sessions_of(own, current_key=request.session.session_key),
        "two_factors": settings.TWO_FACTORS,
        "oidc_name": settings.OIDC_NAME,
        "links": links_of(own) if settings.OIDC_NAME else [],
        "factor": second_factor_of(own),
        "mails": choices_of(own) if settings.MAIL_IS_SET else [],
        "tokens": own.api_tokens.filter(revoked_at=None).count(),
        **forms,
    }
    return render(request, "foundation/account.html", context)
