"""Start, stop and resume a job from a page, with the messages that the page shows."""

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _

from foundation.infra.job_control import resume_job
from foundation.infra.jobs import ask
from foundation.infra.task_queue import KEPT
from foundation.models import Job, Membership, Queued
from foundation.refused import Refused


def ask_on_page(request: HttpRequest, row: Queued) -> None:
    """Send a job to a worker; if the queue is away, say that it starts later by itself."""
    if not ask(row):
        messages.warning(request, KEPT)


def resume_on_page(request: HttpRequest, job: Job, member: Membership) -> bool:
    """Resume a job that was stopped, or that no worker is at. Returns: whether it was sent."""
    try:
        resumed = resume_job(job, by=member)
    except Refused as refusal:
        messages.error(request, str(refusal))
        return False
    if resumed:
        ask_on_page(request, job)
    else:
        messages.info(request, _("The job has ended, or a worker is at it. There is nothing to start again."))
    return resumed
