"""Who is told when a submission was checked: its team by mail where it was refused, and webhooks, which are leads'."""

from typing import Any

from campaigns.mails import tell_of_refusal
from campaigns.models import Submission
from foundation.webhooks.kinds import SUBMISSION_ACCEPTED, SUBMISSION_REFUSED
from foundation.webhooks.outbox import note


def notify(job: Any) -> None:
    """Called for every job that ends, in the transaction in which it does (`foundation.models.jobs.ENDED`)."""
    if not isinstance(job, Submission) or job.state not in (Submission.State.ACCEPTED, Submission.State.REFUSED):
        return
    campaign = job.team.campaign
    data = {
        "campaign": campaign.name,
        "team": job.team.name,
        "submission": job.pk,
        "name": job.name,
        "late": job.late,
        "problem": job.problem,
    }
    refused = job.state == Submission.State.REFUSED
    note(SUBMISSION_REFUSED if refused else SUBMISSION_ACCEPTED, collection=campaign.collection, data=data)
    if refused:
        tell_of_refusal(job)
