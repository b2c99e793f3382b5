"""The phases of a campaign, told by the clock alone."""

from datetime import datetime

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from campaigns.models import Campaign


class Phase(TextChoices):
    """Where a campaign is."""

    ANNOUNCED = "announced", _("not open yet")
    OPEN = "open", _("open")
    CLOSED = "closed", _("closed, results follow")
    RESULTS = "results", _("results are open")


def phase_of(campaign: Campaign, now: datetime) -> Phase:
    """The campaign's phase at a moment; a team's own later deadline doesn't change it."""
    if campaign.results_opened_at is not None:
        return Phase.RESULTS
    if now < campaign.opens_at:
        return Phase.ANNOUNCED
    return Phase.OPEN if now <= campaign.closes_at else Phase.CLOSED
