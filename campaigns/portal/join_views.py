"""The page behind a team's link (no login needed): sign up, or one button for accounts that are logged in."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from campaigns.models import TeamLink
from campaigns.teams.joining import find_link, join_team, refuse_account, refuse_closed
from foundation.access.error_pages import problem_page
from foundation.access.throttle import Limit
from foundation.accounts.forms import NewAccount, password_rules
from foundation.accounts.joining import behind_link, join_with_account
from foundation.refused import LinkUnknown, Refused

WRONG_LINKS = Limit("team-links", 30, 10)
"""From one address."""


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def join(request: HttpRequest, token: str) -> HttpResponse:
    """404 for an unknown link, 410 for one by which nobody can join any more; both say why. Members are redirected."""
    try:
        link = _link(request, token)
        campaign = link.team.campaign
        if request.user.is_authenticated and link.team.members.filter(account_id=request.user.pk).exists():
            return redirect("campaign-home", campaign.name)
        refuse_closed(link)
        account = request.user if request.user.is_authenticated else None
        if account is not None:
            refuse_account(link.team, account)
        form = NewAccount(request.POST if request.method == "POST" and account is None else None)
        if request.method == "POST":
            place = join_with_account(request, form, lambda account: join_team(token=token, account=account))
            if place is not None:
                return redirect("campaign-home", campaign.name)
    except Refused as refusal:
        status = 404 if isinstance(refusal, LinkUnknown) else 410
        return problem_page(request, status, _("You can't join by this link"), str(refusal))
    context = {"team": link.team, "campaign": campaign, "form": form, "password_help": password_rules()}
    return render(request, "campaigns/join.html", context, status=400 if form.errors else 200)


def _link(request: HttpRequest, token: str) -> TeamLink:
    """The link behind a token. Raises: Refused if there is none; Throttled after too many tries."""
    return behind_link(request, lambda: find_link(token), unknown=LinkUnknown, wrong=WRONG_LINKS, called="team link")
