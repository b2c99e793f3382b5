"""Passkeys in the browser: what it is asked, logging in without a password, and one's own, added and changed."""

import logging

from allauth.account.internal.flows.login import record_authentication
from allauth.account.internal.stagekit import get_pending_stage
from allauth.account.models import Login
from allauth.mfa.webauthn.internal.flows import perform_passwordless_login
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from foundation.access.client_address import client_address
from foundation.access.form_input import is_own_address
from foundation.access.fresh_login import FRESH_MINUTES, is_fresh
from foundation.access.logins import login_page, remember_browser
from foundation.access.needs_login import account_of, account_post
from foundation.access.relying_party import passkeys_allowed
from foundation.access.second_factor import FactorRefused, factors_of, had_second_factor
from foundation.access.throttle import Limit, forget, take
from foundation.accounts import passkeys
from foundation.accounts.own_sessions import device_words
from foundation.accounts.second_factor_views import codes_page, factor_page, note_what_is_left

FROM_AN_ADDRESS = Limit("passkey", 200, 10)
"""Questions and answers from one address, which a whole class may share: there is no secret to guess."""
OWN = Limit("own-passkey", 20, 10)
"""New passkeys asked for on one's own page."""
log = logging.getLogger("qreels.logins")


@require_POST
@never_cache
def proof_options(request: HttpRequest) -> HttpResponse:
    """What the browser asks a passkey, as JSON: of who has given the password, else for a login without one."""
    stage = get_pending_stage(request)
    account = stage.login.user if stage and stage.login.user.is_active else None
    if not passkeys_allowed(as_login=account is None):
        raise Http404("this site takes no passkeys here")
    try:
        take(FROM_AN_ADDRESS, client_address(request), what=_("Too many logins came from your address."))
        return JsonResponse(passkeys.ask_for_proof(account))
    except FactorRefused as refusal:
        return JsonResponse({"message": str(refusal)}, status=400)


@never_cache
@account_post
def new_options(request: HttpRequest) -> HttpResponse:
    """What the browser needs to make a passkey, as JSON, for who logged in just now."""
    try:
        take(OWN, str(request.user.pk), what=_("Too many passkeys were asked for."))
        _refuse_stale(request)
        return JsonResponse(passkeys.ask_for_new(request))
    except FactorRefused as refusal:
        return JsonResponse({"message": str(refusal)}, status=400)


@require_POST
@never_cache
def log_in_by_passkey(request: HttpRequest) -> HttpResponse:
    """Log in by a passkey alone: having it, and the PIN, finger or face that it asked for, are two factors."""
    if not passkeys_allowed(as_login=True):
        raise Http404("this site takes no passkeys in the place of a password")
    if request.user.is_authenticated:
        return redirect("home")
    following = request.POST.get("next", "")
    try:
        take(FROM_AN_ADDRESS, client_address(request), what=_("Too many logins came from your address."))
        row = passkeys.prove(request, account=None, answer=request.POST.get("credential", ""))
    except FactorRefused as refusal:
        log.warning("login by a passkey failed: from %s", client_address(request))
        return login_page(request, passkey_problem=str(refusal))
    login = Login(user=row.user, redirect_url=following if is_own_address(following) else "/")
    response: HttpResponse = perform_passwordless_login(request, row, login)
    log.info("login by a passkey: %r from %s", row.user.username, client_address(request))
    remember_browser(request, response, row.user.username)
    return response


@never_cache
@account_post
def add_one(request: HttpRequest) -> HttpResponse:
    """Store the passkey that the browser made. The first second factor's answer shows recovery codes."""
    own = account_of(request)
    following = request.POST.get("next", "") if is_own_address(request.POST.get("next", "")) else ""
    name = request.POST.get("name", "").strip() or device_words(request.headers.get("User-Agent", ""))
    try:
        _refuse_stale(request)
        codes = passkeys.add(request, answer=request.POST.get("credential", ""), name=name)
    except FactorRefused as refusal:
        return factor_page(request, own, following=following, bad_passkey=str(refusal))
    forget(OWN, str(own.pk))
    # Whoever adds one has proved it, and goes on as with it.
    record_authentication(request, own, "mfa", type="webauthn")
    if not codes:
        messages.info(request, _("The passkey is added."))
    return codes_page(request, codes, following=following)


@never_cache
@account_post
def change(request: HttpRequest, passkey_id: int) -> HttpResponse:
    """Rename one of one's own passkeys, or remove it, which asks for a login of just now."""
    own = account_of(request)
    try:
        if request.POST.get("do") == "rename":
            passkeys.rename(request, passkey_id, name=request.POST.get("name", ""))
            messages.info(request, _("The passkey has its new name."))
        else:
            _refuse_stale(request)
            passkeys.remove(request, passkey_id)
            messages.info(request, _("The passkey is removed, and all your other logins have ended."))
            if not note_what_is_left(request, own):
                messages.info(request, _("You have no second factor now: your password alone logs in."))
    except FactorRefused as refusal:
        return factor_page(request, own, bad_passkey=str(refusal))
    return redirect("second-factor")


def _refuse_stale(request: HttpRequest) -> None:
    """Raises: FactorRefused for a login that isn't of just now, or had no second factor where there is one."""
    if not is_fresh(request) or (factors_of(request.user.pk).exists() and not had_second_factor(request.session)):
        raise FactorRefused(
            _("To change your passkeys, log in once more: your login is older than %(minutes)s minutes.")
            % {"minutes": FRESH_MINUTES}
        )
