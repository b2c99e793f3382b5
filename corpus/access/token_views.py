"""The account's page of API tokens."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from corpus.access.api_tokens import TokenRefused, make_token, revoke_token, tokens_of
from corpus.access.form_input import drop_nul
from corpus.access.logins import too_many
from corpus.access.needs_login import login_required
from corpus.access.second_factor import require_second_factor
from corpus.access.throttle import Limit, Throttled, take
from corpus.models import Account, Membership

NEW_TOKENS = Limit("new-tokens", 30, 60)
"""Forms sent by one account."""


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def tokens(request: HttpRequest) -> HttpResponse:
    """The user's tokens, and a form for another. A new token is shown only in the answer to the POST."""
    account = Account.objects.get(pk=request.user.pk)
    made, problem = "", ""
    if request.method == "POST":
        drop_nul(request)
        if account.owns_site or Membership.objects.filter(account=account, role__in=["owner", "lead"]).exists():
            require_second_factor(request)
        try:
            take(NEW_TOKENS, str(account.pk), what=_("You made too many tokens."))
            made = make_token(account=account, name=request.POST.get("name", "")).token
        except Throttled as refusal:
            return too_many(request, refusal)
        except TokenRefused as refusal:
            problem = str(refusal)
    sent = "" if made else request.POST.get("name", "")
    context = {"tokens": tokens_of(account), "made": made, "problem": problem, "sent": sent}
    return render(request, "corpus/tokens.html", context)


@require_POST
@login_required
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    """Revoke one of the reader's own tokens."""
    revoke_token(account=Account.objects.get(pk=request.user.pk), token_id=token_id)
    messages.info(request, _("That token is revoked."))
    return redirect("tokens")
