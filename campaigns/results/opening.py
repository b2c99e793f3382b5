"""Results opened by a lead, and taken back."""

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.mails import tell_of_results
from campaigns.models import Campaign, CampaignScoring, Submission
from campaigns.scoring.score import unscored
from campaigns.submissions.receive import utc
from foundation.access.arrival_time import database_now


class ResultsRefused(Exception):
    """The results stay as they are; the message says why."""


def why_not_open(campaign: Campaign) -> str:
    """Why the results can't be opened yet, in a sentence; "" if they can."""
    if campaign.release_id is None:
        return _("The campaign has no release yet: judge the runs' pool, make a release, and choose it here.")
    last = campaign.teams.aggregate(last=Max("extended_until"))["last"]
    closes = max(campaign.closes_at, last or campaign.closes_at)
    if database_now() <= closes:
        return _("Submissions are open until %(at)s.") % {"at": utc(closes)}
    waiting = Submission.objects.filter(team__campaign=campaign, state__in=Submission.TURN, withdrawn_at=None).count()
    if waiting:
        return ngettext("%(count)s run is still being checked.", "%(count)s runs are still being checked.", waiting) % {
            "count": waiting
        }
    if CampaignScoring.objects.filter(campaign=campaign, state__in=CampaignScoring.TURN).exists():
        return _("The runs are being scored.")
    left = sum(1 for row in unscored(campaign) if row.excluded_at is None and row.team.disqualified_at is None)
    if left:
        return ngettext("%(count)s run isn't scored yet.", "%(count)s runs aren't scored yet.", left) % {"count": left}
    return ""


@transaction.atomic
def open_results(*, campaign: Campaign) -> Campaign:
    """Open the results to the campaign's audience; teams are told by mail. Repeating it changes nothing.

    Raises: ResultsRefused.
    """
    found = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if found.results_opened_at is not None:
        return found
    refusal = why_not_open(found)
    if refusal:
        raise ResultsRefused(refusal)
    found.results_opened_at = timezone.now()
    found.save(update_fields=["results_opened_at"])
    tell_of_results(found)
    return found


def close_results(*, campaign: Campaign) -> None:
    """Hide the results again; who has seen them has seen them. Repeating it changes nothing."""
    Campaign.objects.filter(pk=campaign.pk).update(results_opened_at=None)
