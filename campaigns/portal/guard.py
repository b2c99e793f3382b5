"""Who may see a campaign's pages: its teams, and everybody where it is public."""

from collections.abc import Mapping
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase
from django.utils.translation import gettext_lazy as _

from campaigns.models import Campaign, TeamMember
from campaigns.teams.joining import has_conflict
from foundation.access.guards import takes_uploads
from foundation.access.needs_login import SAFE, View, login_required, to_login
from foundation.infra.uploads import refuse_without_space

CONFLICT = _(
    "You belong to the collection that this campaign is judged in, so your place in a team is closed: who prepares or "
    "judges it knows too much. Ask the organiser."
)
ARCHIVED = _("This campaign's collection is archived: its pages can be read, but nothing is changed.")


def place_of(account_id: int, campaign: str) -> TeamMember | None:
    """The account's place in the campaign of this name; None for a stranger."""
    places = TeamMember.objects.select_related("team__campaign__collection", "account")
    return places.filter(account_id=account_id, campaign__name=campaign).first()


def team_required(view: View) -> View:
    """`view(request, place, ...)` for a campaign's teams; strangers get 404, the logged-out the login page.

    Whoever belongs to the collection as well gets 403, and in the archive nothing is changed.
    """

    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, campaign: str, *args: Any, **kwargs: Any) -> HttpResponseBase:
        place = place_of(request.user.pk or 0, campaign)
        if place is None:
            raise Http404("no such campaign")
        if has_conflict(place.team.campaign, place.account):
            raise PermissionDenied(CONFLICT)
        if request.method not in SAFE and place.team.campaign.collection.archived_at is not None:
            raise PermissionDenied(ARCHIVED)
        return refuse_without_space(request) or view(request, place, *args, **kwargs)

    return guarded


def seen_or_login(view: View) -> View:
    """`view(request, campaign, place)` for whom `campaign_seen` lets in; the logged-out get the login page."""

    @wraps(view)
    def guarded(request: HttpRequest, campaign: str) -> HttpResponseBase:
        try:
            seen, place = campaign_seen(request, campaign)
        except Http404:
            if request.user.is_authenticated:
                raise
            return to_login(request)
        return view(request, seen, place)

    return guarded


def admits_team(account_id: int, kwargs: Mapping[str, Any]) -> bool:
    """Whether a large body may come from this account: asked before it is read (config/web/limits.py)."""
    return place_of(account_id, kwargs["campaign"]) is not None


takes_runs = takes_uploads("teams", admits=admits_team)
"""Outermost decorator of a view to which a campaign's teams upload."""


def campaign_seen(request: HttpRequest, name: str) -> tuple[Campaign, TeamMember | None]:
    """The campaign of this name, for its teams, and for everybody where its board is public; and the place of whoever
    asks, None of a visitor's. Raises: Http404, PermissionDenied for somebody with a conflict of interest."""
    place = place_of(request.user.pk or 0, name) if request.user.is_authenticated else None
    if place is not None:
        if has_conflict(place.team.campaign, place.account):
            raise PermissionDenied(CONFLICT)
        return place.team.campaign, place
    campaign = Campaign.objects.select_related("collection").filter(name=name).first()
    if campaign is None or campaign.audience != Campaign.Audience.PUBLIC:
        raise Http404("no such campaign")
    return campaign, None
