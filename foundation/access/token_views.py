"""The account's page of API tokens."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from foundation.access.api_tokens import make_token, revoke_token, tokens_of
from foundation.access.form_input import LastDayField
from foundation.access.needs_login import account_of, account_post, login_required
from foundation.access.pages import refusal_in
from foundation.access.second_factor import require_second_factor
from foundation.access.throttle import Limit, take
from foundation.models import Account, ApiToken, Collection, Membership

NEW_TOKENS = Limit("new-tokens", 30, 60)
"""Forms sent by one account."""


class TokenForm(forms.Form):
    """The form for a new token; whether it may be made is `make_token`'s to say."""

    name = forms.CharField(required=False)
    scopes = forms.MultipleChoiceField(choices=ApiToken.Scope.choices, required=False)
    collection = forms.ChoiceField(required=False)
    last_day = LastDayField(required=False)

    def __init__(self, *args: Any, account: Account, **options: Any) -> None:
        super().__init__(*args, **options)
        own = Collection.objects.filter(memberships__account=account).order_by("name")
        all_of_them = [("", _("All of yours"))]
        self.fields["collection"].choices = [*all_of_them, *((collection.name, collection.title) for collection in own)]  # type: ignore[attr-defined]

    @property
    def chosen(self) -> list[str]:
        """The scopes to show as chosen."""
        return list(self["scopes"].value() or [ApiToken.Scope.READ])


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def tokens(request: HttpRequest) -> HttpResponse:
    """The user's tokens, and a form for another. A new token is shown only in the answer to the POST."""
    account = account_of(request)
    token, form = "", TokenForm(account=account)
    if request.method == "POST":
        if account.owns_site or Membership.objects.filter(account=account, role__in=["owner", "lead"]).exists():
            require_second_factor(request)
        form = TokenForm(request.POST, account=account)
        take(NEW_TOKENS, str(account.pk), what=_("You made too many tokens."))
        token = _make(account, form)
    context = {
        "tokens": tokens_of(account),
        "made": token,
        "form": TokenForm(account=account) if token else form,
        "scopes": ApiToken.Scope.choices,
    }
    return render(request, "foundation/tokens.html", context)


def _make(account: Account, form: TokenForm) -> str:
    """The new token; "" where the form has errors, which it then shows."""
    if not form.is_valid():
        return ""
    sent = form.cleaned_data
    with refusal_in(form):
        return make_token(
            account=account,
            name=sent["name"],
            scopes=sent["scopes"] or [ApiToken.Scope.READ],
            collection=sent["collection"],
            expires_at=sent["last_day"],
        ).token
    return ""


@account_post
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    """Revoke one of the reader's own tokens."""
    revoke_token(account=account_of(request), token_id=token_id)
    messages.info(request, _("That token is revoked."))
    return redirect("tokens")
