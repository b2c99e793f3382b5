"""What teams and leads decide of submissions: withdrawn, put in another order, excluded, let in again."""

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns.models import Submission
from campaigns.submissions.receive import refuse_priority
from campaigns.teams.teams import reason_told
from foundation.access.arrival_time import database_now
from foundation.refused import Refused


def withdraw_submission(*, submission: Submission) -> None:
    """Withdraw a team's run: it counts nowhere, but stays counted against limits. Repeating it changes nothing.

    Raises: Refused once submissions have closed for the team: then a lead decides.
    """
    _refuse_late(submission)
    Submission.objects.filter(pk=submission.pk, withdrawn_at=None).update(withdrawn_at=timezone.now())


def set_priority(*, submission: Submission, priority: int) -> None:
    """Set which of a team's runs comes first. Raises: Refused for a number that isn't 1 to 99, or late."""
    refuse_priority(priority)
    _refuse_late(submission)
    Submission.objects.filter(pk=submission.pk).update(priority=priority)


def may_change(submission: Submission) -> bool:
    """Whether its team may withdraw it or change its priority still: until submissions close for the team."""
    campaign = submission.team.campaign
    return campaign.results_opened_at is None and database_now() <= campaign.closes_for(submission.team)


def _refuse_late(submission: Submission) -> None:
    if not may_change(submission):
        raise Refused(_("Submissions have closed, so your runs stay as they are: ask the organiser."))


def exclude_submission(*, submission: Submission, reason: str) -> None:
    """Have a run count nowhere; its team reads the reason. Raises: Refused without one."""
    Submission.objects.filter(pk=submission.pk, excluded_at=None).update(
        excluded_at=timezone.now(), excluded_reason=reason_told(reason)
    )


@transaction.atomic
def include_submission(*, submission: Submission) -> None:
    """Have a run count again that a lead excluded, or that its team withdrew by mistake.

    Raises: Refused where another run of the team has its name or file meanwhile.
    """
    try:
        with transaction.atomic():
            Submission.objects.filter(pk=submission.pk).update(excluded_at=None, excluded_reason="", withdrawn_at=None)
    except IntegrityError as error:
        raise Refused(_("Another run of the team has this name or file now, so this one stays out.")) from error
