"""The page behind a team's link (no login needed): sign up, or one button for accounts that are logged in."""

import logging

from django.contrib.auth import login
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from campaigns.models import TeamLink, TeamMember
from campaigns.teams.joining import LinkUnknown, TeamRefused, find_link, join_team, refuse_closed
from corpus.access.client_address import client_address
from corpus.access.form_input import drop_nul
from corpus.access.logins import too_many
from corpus.access.throttle import Limit, Throttled, count, refuse_when_full, take
from corpus.accounts.forms import NewAccount, password_rules
from corpus.models import Account

WRONG_LINKS = Limit("team-links", 30, 10)
"""From one address."""
NEW_ACCOUNTS = Limit("accounts", 200, 60)
"""Forms sent from one address, as of invitations."""
JOINED = Limit("joined", 30, 60)
"""Forms sent by one account."""
log = logging.getLogger("qreels.logins")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def join(request: HttpRequest, token: str) -> HttpResponse:
    """404 for an unknown link, 410 for one by which nobody can join any more; both say why. Members are redirected."""
    drop_nul(request)
    try:
        link = _link(request, token)
        campaign = link.team.campaign
        if request.user.is_authenticated and link.team.members.filter(account_id=request.user.pk).exists():
            return redirect("campaign-home", campaign.name)
        refuse_closed(link)
        account = request.user if request.user.is_authenticated else None
        form = NewAccount(request.POST if request.method == "POST" and account is None else None)
        if request.method == "POST":
            place = _join(request, form, token)
            if place is not None:
                return redirect("campaign-home", campaign.name)
    except Throttled as refusal:
        return too_many(request, refusal)
    except TeamRefused as refusal:
        status = 404 if isinstance(refusal, LinkUnknown) else 410
        context = {"title": _("You can't join by this link"), "text": str(refusal)}
        return render(request, "corpus/problem.html", context, status=status)
    context = {"team": link.team, "found": campaign, "form": form, "password_help": password_rules()}
    return render(request, "campaigns/join.html", context, status=400 if form.errors else 200)


def _link(request: HttpRequest, token: str) -> TeamLink:
    """The link behind a token. Raises: TeamRefused if there is none; Throttled after too many tries."""
    address = client_address(request)
    try:
        link = find_link(token)
    except LinkUnknown:
        refuse_when_full(WRONG_LINKS, address, what=_("Too many invalid links came from your address."))
        log.warning("wrong team link from %s", address)
        count(WRONG_LINKS, address)
        raise
    if request.method == "POST":
        if request.user.is_authenticated:
            take(JOINED, str(request.user.pk), what=_("You joined too often."))
        else:
            take(NEW_ACCOUNTS, address, what=_("Too many new accounts came from your address."))
    return link


def _join(request: HttpRequest, form: NewAccount, token: str) -> TeamMember | None:
    """Join by a link; None if the form has errors. A refused link leaves no account behind."""
    with transaction.atomic():
        if request.user.is_authenticated:
            account = Account.objects.get(pk=request.user.pk)
        elif form.is_valid():
            account = form.save()
        else:
            return None
        place = join_team(token=token, account=account)
    if not request.user.is_authenticated:
        login(request, account)
    return place
