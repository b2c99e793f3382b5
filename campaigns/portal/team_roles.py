"""The campaigns of an account's teams, for the home page and for the person's own data."""

from typing import Any

from django.db.models import F
from django.urls import reverse

from campaigns.models import Submission, TeamMember
from foundation.access.outside_roles import OutsideRole, register
from foundation.models import Account


def roles_in_teams(account: Account) -> list[OutsideRole]:
    """Campaigns in which the account is in a team, the latest first."""
    places = TeamMember.objects.filter(account=account).select_related("team__campaign").order_by("-pk")
    return [
        OutsideRole(
            place.team.campaign.title, place.team.name, reverse("campaign-home", args=[place.team.campaign.name])
        )
        for place in places
    ]


def told_of_teams(account: Account) -> dict[str, Any]:
    """The person's teams, and the runs that they sent."""
    places = TeamMember.objects.filter(account=account).order_by("pk")
    runs = Submission.objects.filter(account=account).order_by("pk")
    return {
        "campaigns": {
            "teams": list(places.values("joined_at", campaign_name=F("campaign__title"), team_name=F("team__name"))),
            "runs": list(
                runs.values(
                    *("name", "description", "file_name", "sha256", "begun_at", "state", "withdrawn_at"),
                    campaign_name=F("team__campaign__title"),
                )
            ),
        }
    }


def register_roles() -> None:
    """Called when Django starts."""
    register(roles_in_teams, told_of_teams)
