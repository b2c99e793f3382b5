"""Teams of a campaign, their members, and the links by which these join."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext

from campaigns.models.campaign import Campaign
from foundation.models import Account


class Team(models.Model):
    """A team. `number` is what an anonymous one is called by, and what files call every team in the pool."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="teams")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=80)
    affiliation = models.CharField(max_length=200, blank=True)
    contact = models.CharField(max_length=200, blank=True, help_text="For the organiser alone.")
    anonymous = models.BooleanField(default=False, help_text="Whether boards call it by its number.")
    extended_until = models.DateTimeField(null=True, blank=True, help_text="Its own later deadline.")
    disqualified_at = models.DateTimeField(null=True, blank=True)
    disqualified_reason = models.TextField(blank=True)
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint("campaign", Lower("name"), name="one_team_a_name"),
            models.UniqueConstraint(fields=["campaign", "number"], name="one_team_a_number"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def shown_name(self) -> str:
        """What boards call it."""
        return gettext("Team %(number)s") % {"number": self.number} if self.anonymous else self.name


class TeamMember(models.Model):
    """An account in a team; in one team of a campaign at most."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="members")
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="+", help_text="That of the team.")
    account = models.ForeignKey(Account, models.CASCADE, related_name="team_places")
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "account"], name="one_team_an_account"),
        ]

    def __str__(self) -> str:
        return f"{self.team_id} {self.account_id}"


class TeamLink(models.Model):
    """A link by which one person joins a team. Only its token's digest is stored."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="links")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token, in hexadecimal.")
    made_at = models.DateTimeField(auto_now_add=True)
    made_by = models.ForeignKey(Account, models.SET_NULL, null=True, related_name="+")
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"link to team {self.team_id}"
