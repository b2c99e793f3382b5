"""Results opened by a lead, and taken back."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Count, Max, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.mails import tell_of_results
from campaigns.models import Campaign, CampaignScoring, Submission, Team
from campaigns.scoring.score import unscored
from campaigns.submissions.receive import utc
from foundation.access.arrival_time import database_now
from foundation.refused import Refused


def why_not_open(campaign: Campaign) -> str:
    """Why the results can't be opened yet, in a sentence; "" if they can."""
    return why_not_open_each([campaign])[campaign.pk]


def why_not_open_each(campaigns: Sequence[Campaign]) -> dict[int, str]:
    """The same of several, by their primary keys. Five SQL queries, however many they are."""
    now, own, runs = database_now(), {"campaign__in": campaigns}, {"team__campaign__in": campaigns}
    extended = dict(Team.objects.filter(**own).order_by().values_list("campaign").annotate(last=Max("extended_until")))
    waiting = _by_campaign(Submission.objects.filter(**runs, state__in=Submission.TURN, withdrawn_at=None))
    scorings = CampaignScoring.objects.filter(**own, state__in=CampaignScoring.TURN)
    scoring = set(scorings.values_list("campaign", flat=True))
    left = _by_campaign(unscored(*campaigns).filter(excluded_at=None, team__disqualified_at=None))

    def why(campaign: Campaign) -> str:
        if campaign.release_id is None:
            return _("The campaign has no release yet: judge the runs' pool, make a release, and choose it here.")
        closes = max(campaign.closes_at, extended.get(campaign.pk) or campaign.closes_at)
        if now <= closes:
            return _("Submissions are open until %(at)s.") % {"at": utc(closes)}
        if count := waiting.get(campaign.pk):
            words = ngettext("%(count)s run is still being checked.", "%(count)s runs are still being checked.", count)
            return words % {"count": count}
        if campaign.pk in scoring:
            return _("The runs are being scored.")
        if count := left.get(campaign.pk):
            words = ngettext("%(count)s run isn't scored yet.", "%(count)s runs aren't scored yet.", count)
            return words % {"count": count}
        return ""

    return {campaign.pk: why(campaign) for campaign in campaigns}


def _by_campaign(runs: "QuerySet[Submission]") -> dict[int, int]:
    return dict(runs.order_by().values_list("team__campaign").annotate(number=Count("pk")))


@transaction.atomic
def open_results(*, campaign: Campaign) -> Campaign:
    """Open the results to the campaign's audience; teams are told by mail. Repeating it changes nothing.

    Raises: Refused.
    """
    locked = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if locked.results_opened_at is not None:
        return locked
    refusal = why_not_open(locked)
    if refusal:
        raise Refused(refusal)
    locked.results_opened_at = timezone.now()
    locked.save(update_fields=["results_opened_at"])
    tell_of_results(locked)
    return locked


def close_results(*, campaign: Campaign) -> None:
    """Hide the results again; who has seen them has seen them. Repeating it changes nothing."""
    Campaign.objects.filter(pk=campaign.pk).update(results_opened_at=None)
