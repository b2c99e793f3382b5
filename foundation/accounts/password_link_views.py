"""One-time password links: made by the site's owner or a lead, and the page behind one (no login needed)."""

import logging

from django.contrib.auth import logout
from django.contrib.auth.forms import SetPasswordForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from foundation.access.client_address import client_address
from foundation.access.error_pages import problem_page
from foundation.access.needs_login import account_of
from foundation.access.pages import lead_post
from foundation.access.throttle import Limit, count, refuse_when_full
from foundation.accounts.forms import password_rules
from foundation.accounts.mails import tell
from foundation.accounts.password_links import VALID_HOURS, account_of_link, make_counted_link, set_password_by_link
from foundation.models import Account, Membership
from foundation.refused import LinkUnknown, Refused

WRONG_LINKS = Limit("password-links", 30, 10)
"""From one address."""
log = logging.getLogger("qreels.logins")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def password_link(request: HttpRequest, token: str) -> HttpResponse:
    """Set a new password by a link; then log in with it. 404 for an unknown link, 410 for one that is void."""
    address = client_address(request)
    try:
        refuse_when_full(WRONG_LINKS, address, what=_("Too many invalid links came from your address."))
        account = account_of_link(token)
        form = SetPasswordForm(account, request.POST or None)
        if request.method == "POST" and form.is_valid():
            changed = set_password_by_link(token=token, password=form.cleaned_data["new_password1"])
            tell(changed, "password")
            logout(request)
            return redirect(f"{reverse('login')}?why=password")
    except Refused as refusal:
        if isinstance(refusal, LinkUnknown):
            log.warning("wrong password link from %s", address)
            count(WRONG_LINKS, address)
        status = 404 if isinstance(refusal, LinkUnknown) else 410
        return problem_page(request, status, _("This link doesn't work"), str(refusal))
    return render(
        request,
        "foundation/password_link.html",
        {"form": form, "named": account.username, "password_help": password_rules()},
    )


@never_cache
@lead_post
def make_for_member(request: HttpRequest, member: Membership, member_id: int) -> HttpResponse:
    """A lead makes a link for an annotator. It stands in this answer and nowhere else."""
    other = member.collection.memberships.select_related("account").filter(pk=member_id).first()
    account = other.account if other is not None else None
    maker = account_of(request)
    more = {"collection": member.collection, "member": member}
    back = reverse("members", args=[member.collection.name])
    return answer_with_link(request, maker=maker, account=account, back=back, **more)


def answer_with_link(
    request: HttpRequest, *, maker: Account, account: Account | None, back: str, **more: object
) -> HttpResponse:
    """The page with a new link, or 403 with the reason why there is none."""
    context = {**more, "back": back, "hours": VALID_HOURS, "link": "", "problem": ""}
    if account is None:
        context["problem"] = _("There is no such account: the person was erased, or isn't here.")
    else:
        context["named"] = account.username
        try:
            new_link = make_counted_link(maker=maker, account=account)
        except Refused as refusal:
            context["problem"] = str(refusal)
        else:
            context["link"] = request.build_absolute_uri(reverse("password-link", args=[new_link.token]))
            context["expires_at"] = new_link.expires_at
    return render(request, "foundation/password_link_made.html", context, status=403 if context["problem"] else 200)
