"""The phases of a campaign, told by the clock alone."""

from datetime import datetime
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from campaigns.models import Campaign


class Phase(StrEnum):
    """Where a campaign is."""

    ANNOUNCED = "announced"
    OPEN = "open"
    CLOSED = "closed"
    RESULTS = "results"


WORDS: dict[Phase, Promise] = {
    Phase.ANNOUNCED: _("not open yet"),
    Phase.OPEN: _("open"),
    Phase.CLOSED: _("closed, results follow"),
    Phase.RESULTS: _("results are open"),
}


def phase_of(campaign: Campaign, now: datetime) -> Phase:
    """The campaign's phase at a moment; a team's own later deadline doesn't change it."""
    if campaign.results_opened_at is not None:
        return Phase.RESULTS
    if now < campaign.opens_at:
        return Phase.ANNOUNCED
    return Phase.OPEN if now <= campaign.closes_at else Phase.CLOSED
