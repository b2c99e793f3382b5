"""The page behind the one-time address of a site that has no owner."""

import logging

from django.contrib import messages
from django.contrib.auth import login
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from foundation.access.client_address import client_address
from foundation.access.error_pages import problem_page
from foundation.access.needs_login import account_of
from foundation.access.throttle import Limit, count, refuse_when_full
from foundation.accounts.first_owner import check_owner_link, claim_site
from foundation.accounts.forms import NewAccount, password_rules
from foundation.models import Account
from foundation.refused import LinkUnknown, Refused

WRONG_LINKS = Limit("owner-links", 30, 10)
"""From one address."""
log = logging.getLogger("qreels.logins")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def welcome(request: HttpRequest, token: str) -> HttpResponse:
    """Become the site's owner: a form for a new account, or one button for who is logged in.

    404 for an unknown address, 410 where there is an owner already.
    """
    form = NewAccount(request.POST or None)
    try:
        _check(request, token)
        if request.method == "POST":
            with transaction.atomic():
                account = _account(request, form)
                if account is not None:
                    claim_site(token=token, account=account)
            if account is not None:
                return _begin(request, account)
    except Refused as refusal:
        status = 404 if isinstance(refusal, LinkUnknown) else 410
        return problem_page(request, status, _("This address doesn't work"), str(refusal))
    context = {"form": form, "fresh": not form.errors, "password_help": password_rules()}
    return render(request, "foundation/welcome.html", context)


def _check(request: HttpRequest, token: str) -> None:
    address = client_address(request)
    refuse_when_full(WRONG_LINKS, address, what=_("Too many wrong addresses came from you."))
    try:
        check_owner_link(token)
    except LinkUnknown:
        log.warning("wrong address for the owner from %s", address)
        count(WRONG_LINKS, address)
        raise


def _account(request: HttpRequest, form: NewAccount) -> Account | None:
    """Who is logged in, or a new account that isn't stored yet; None if the form has errors."""
    if request.user.is_authenticated:
        return account_of(request)
    return form.save(commit=False) if form.is_valid() else None


def _begin(request: HttpRequest, account: Account) -> HttpResponse:
    log.warning("%r owns the site, from %s", account.username, client_address(request))
    if not request.user.is_authenticated:
        login(request, account)
    messages.info(request, _("You now own this site. The one-time address no longer works."))
    return redirect("home")
