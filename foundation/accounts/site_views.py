"""The page Accounts, for owners of the site."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from foundation.access.needs_login import account_post, login_required
from foundation.access.pages import refusal_told
from foundation.access.site_owner import site_owner
from foundation.accounts.forms import AccountByOwner
from foundation.accounts.password_link_views import answer_with_link
from foundation.accounts.site_accounts import CHANGES, accounts_of_site, change_account, make_account
from foundation.infra.list_pages import numbered_page
from foundation.models import Account

PAGE = 100


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def accounts(request: HttpRequest) -> HttpResponse:
    """All accounts, and a form for another one: its password is set by a one-time link, in the answer to the POST."""
    owner = site_owner(request)
    form = AccountByOwner(request.POST or None)
    if request.method == "POST" and form.is_valid():
        account = make_account(form)
        return answer_with_link(request, maker=owner, account=account, back=request.path, new=True)
    asked = request.GET.get("asked", "").replace("\x00", "").strip()[:100]
    page = numbered_page(accounts_of_site(asked=asked), request.GET, size=PAGE)
    rows = [{"account": account, "changes": _changes(account, owner)} for account in page]
    context = {"form": form, "rows": rows, "page": page, "asked": asked, "total": Account.objects.count()}
    return render(request, "foundation/accounts.html", context)


def _changes(account: Any, owner: Account) -> list[tuple[str, str]]:
    """The changes that a row offers, with their words."""
    if not account.is_active:
        return [("enable", str(CHANGES["enable"].words))]
    offered = []
    if not (account.is_superuser or account.is_staff):
        offered.append("disallow" if account.may_create_collections else "allow")
    if account.pk != owner.pk:
        offered += [*(["factor"] if account.has_factor else []), "disown" if account.is_superuser else "own", "disable"]
    return [(name, str(CHANGES[name].words)) for name in offered]


@account_post
def change(request: HttpRequest, account_id: int) -> HttpResponse:
    """Change an account, as `change` says."""
    owner, power = site_owner(request), request.POST.get("change", "")
    if power == "factor" and not request.POST.get("sure"):
        asked = get_object_or_404(Account, pk=account_id)
        return render(request, "foundation/factor_take.html", {"account": asked})
    with refusal_told(request):
        account = change_account(owner=owner, account_id=account_id, change=power)
        messages.info(request, str(CHANGES[power].told) % {"name": account.username})
    return redirect("accounts")


@never_cache
@account_post
def make_link(request: HttpRequest, account_id: int) -> HttpResponse:
    """Make a one-time password link for any account. It stands in this answer and nowhere else."""
    owner = site_owner(request)
    account = Account.objects.filter(pk=account_id).first()
    return answer_with_link(request, maker=owner, account=account, back=reverse("accounts"))
