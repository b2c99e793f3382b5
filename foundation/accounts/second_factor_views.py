"""Pages of the second factor: the step of a login that asks for it, and one's own, set up and turned off."""

import base64
import logging

from allauth.account.internal.decorators import login_stage_required
from allauth.account.internal.flows.login import record_authentication
from allauth.account.internal.stagekit import clear_login
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.internal.flows import post_authentication
from allauth.mfa.models import Authenticator
from allauth.mfa.stages import AuthenticateStage
from allauth.mfa.totp.internal.auth import generate_totp_secret
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from foundation.access.allauth_adapters import HALF_LOGIN
from foundation.access.client_address import client_address
from foundation.access.form_input import is_own_address
from foundation.access.fresh_login import FRESH_MINUTES, is_fresh
from foundation.access.logins import known_browser, remember_browser
from foundation.access.needs_login import account_of, account_post, login_required
from foundation.access.relying_party import party_or_reason, passkeys_allowed
from foundation.access.second_factor import factors_of
from foundation.access.throttle import Limit, Throttled, forget, take
from foundation.accounts.account_views import OWN_PASSWORD
from foundation.accounts.forms import WRONG_PASSWORD
from foundation.accounts.passkeys import passkeys_of, prove
from foundation.accounts.second_factors import new_recovery_codes, second_factor_of, set_up, take_code, turn_off
from foundation.infra.sealed import SealBroken, seal, unseal
from foundation.models import Account
from foundation.refused import Refused

HERE = Limit("factor", 10, 10)
"""Codes for one account from one address, or from one known browser."""
ANYWHERE = Limit("factor-account", 30, 60)
"""Codes for one account from all browsers that aren't known: who is here has the password already."""
OWN = Limit("own-factor", 10, 10)
"""Codes on one's own page."""
SECRET = "second_factor_secret"
log = logging.getLogger("qreels.logins")


@require_http_methods(["GET", "HEAD", "POST"])
@login_stage_required(stage=AuthenticateStage.key, redirect_urlname="login")  # type: ignore[untyped-decorator]  # allauth has no types
def step(request: HttpRequest) -> HttpResponse:
    """The second step of a login. Until it is done nobody is logged in, and every other page says so."""
    stage = request._login_stage  # type: ignore[attr-defined]
    account = Account.objects.get(pk=stage.login.user.pk)
    # A password that was changed meanwhile ends the half of a login, too.
    half = request.session.get(HALF_LOGIN, "")
    if not account.is_active or not constant_time_compare(half, account.get_session_auth_hash()):
        clear_login(request)
        return redirect(f"{reverse('login')}?why=ended")
    problem = ""
    if request.method == "POST":
        try:
            place = _count(request, account)
            authenticator = _proof(request, account)
        except Throttled:
            log.warning("second factor throttled: %r from %s", account.username, client_address(request))
            raise
        except Refused as refusal:
            log.warning("second factor failed: %r from %s", account.username, client_address(request))
            problem = str(refusal)
        else:
            forget(HERE, str(account.pk), place)
            post_authentication(request, authenticator)
            response: HttpResponse = stage.exit()
            remember_browser(request, response, account.username)
            return response
    party, why_not = party_or_reason(request)
    context = {
        "problem": problem,
        "named": account.username,
        "factor": second_factor_of(account),
        "passkeys_work": party is not None,
        "why_no_passkeys": why_not,
    }
    return render(request, "foundation/second_factor_step.html", context, status=400 if problem else 200)


def _proof(request: HttpRequest, account: Account) -> Authenticator:
    """What the answer of a passkey, or a code, proves. Raises: Refused."""
    answer = request.POST.get("credential", "")
    if answer:
        return prove(request, account=account, answer=answer)
    return take_code(account=account, code=request.POST.get("code", "")[:20])


def _count(request: HttpRequest, account: Account) -> str:
    """Count a code, and return its place. Raises: Throttled."""
    known = known_browser(request, account.username)
    place = known or client_address(request)
    take(HERE, str(account.pk), place, what=_("Too many wrong codes came."))
    if not known:
        take(ANYWHERE, str(account.pk), what=_("Too many wrong codes came."))
    return place


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def second_factor(request: HttpRequest) -> HttpResponse:
    """One's own second factor. POST sets it up: recovery codes are shown in that answer and nowhere else."""
    if settings.TWO_FACTORS == "off":
        raise Http404("this site asks for no second factor")
    own = account_of(request)
    following = request.GET.get("next", "") if is_own_address(request.GET.get("next", "")) else ""
    if request.method != "POST":
        return factor_page(request, own, following=following)
    try:
        take(OWN, str(own.pk), what=_("Too many wrong codes came."))
        if own.has_usable_password():
            take(OWN_PASSWORD, str(own.pk), what=_("Too many wrong passwords."))
            if not own.check_password(request.POST.get("password", "")):
                return factor_page(request, own, following=following, bad_password=str(WRONG_PASSWORD))
        key, secret = request.session.session_key, _secret(request)
        codes = set_up(account=own, secret=secret, code=request.POST.get("code", "")[:20], current_key=key)
    except Refused as refusal:
        return factor_page(request, own, following=following, bad_code=str(refusal))
    for limit in (OWN, OWN_PASSWORD):
        forget(limit, str(own.pk))
    del request.session[SECRET]
    # Whoever sets it up has proved it, and goes on as with it.
    record_authentication(request, own, "mfa", type="totp")
    return codes_page(request, codes, following=following)


@never_cache
@account_post
def change(request: HttpRequest) -> HttpResponse:
    """Turn one's own app off, or make new recovery codes, by a code; the latter without one where there is no app."""
    own, code = account_of(request), request.POST.get("code", "")[:20]
    now = second_factor_of(own)
    if settings.TWO_FACTORS == "off" or now is None:
        return redirect("account")
    try:
        take(OWN, str(own.pk), what=_("Too many wrong codes came."))
        if request.POST.get("do") == "codes":
            if now.app_since is None and not is_fresh(request):
                return redirect("second-factor")
            codes = new_recovery_codes(account=own, code=code if now.app_since else None)
            forget(OWN, str(own.pk))
            return codes_page(request, codes)
        turn_off(account=own, code=code)
    except Refused as refusal:
        return factor_page(request, own, bad_code=str(refusal))
    forget(OWN, str(own.pk))
    note_what_is_left(request, own)
    return redirect("second-factor")


def note_what_is_left(request: HttpRequest, own: Account) -> bool:
    """After a factor is gone, whether one is left: without any, what this login proved by it is proved no longer."""
    left = factors_of(own.pk).exists()
    if not left:
        request.session.pop("account_authentication_methods", None)
    return left


def _secret(request: HttpRequest) -> str:
    """The secret that is being set up: one for all tabs of a login, kept sealed."""
    try:
        return unseal(request.session[SECRET])
    except (KeyError, SealBroken):
        secret = str(generate_totp_secret())
        request.session[SECRET] = seal(secret)
        return secret


def codes_page(request: HttpRequest, codes: list[str], *, following: str = "") -> HttpResponse:
    """The recovery codes, shown once; where none were made, on to the page that was asked for, or one's factors."""
    if not codes:
        return redirect(following or "second-factor")
    return render(request, "foundation/recovery_codes.html", {"codes": codes, "following": following})


def factor_page(request: HttpRequest, own: Account, *, following: str = "", **wrong: str) -> HttpResponse:
    """One's own second factor; with what was wrong by its name in the template, and status 400 where something was."""
    now = second_factor_of(own)
    party, why_not = party_or_reason(request)
    context = {
        "factor": now,
        "needed": settings.TWO_FACTORS == "leads",
        "following": following,
        **wrong,
        "has_password": own.has_usable_password(),
        "passkeys": passkeys_of(own),
        "passkeys_work": party is not None,
        "passkeys_log_in": passkeys_allowed(as_login=True),
        "why_no_passkeys": why_not,
        "fresh": is_fresh(request),
        "fresh_minutes": FRESH_MINUTES,
    }
    if now is None or now.app_since is None:
        adapter, secret = get_adapter(), _secret(request)
        address = adapter.build_totp_url(own, secret)
        context |= {"secret": " ".join(secret[at : at + 4] for at in range(0, len(secret), 4)), "address": address}
        picture = base64.b64encode(adapter.build_totp_svg(address).encode()).decode()
        context["qr"] = f"data:image/svg+xml;base64,{picture}"
    return render(request, "foundation/second_factor.html", context, status=400 if wrong else 200)
