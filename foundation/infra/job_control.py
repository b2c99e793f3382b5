"""Stop a job, and have it go on. Every kind can: what was done before is kept where the work keeps it."""

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from foundation.infra.job_log import log_line
from foundation.infra.job_progress import is_silent
from foundation.models import Membership
from foundation.models.jobs import Job
from foundation.refused import Refused


def stop_job(job: Job, *, by: Membership | None = None) -> bool:
    """Stop a job. A worker that is at it notices within a second or at its next step; nothing is sent to it.

    Returns: whether it was under way; a job that has ended stays as it is.
    """
    before = job.state
    stopped = job.stop()
    if stopped:
        log_line(job, f"Stop requested{_by(by)}.")
    else:
        job.state = before
    return stopped


def resume_job(job: Job, *, by: Membership | None = None) -> bool:
    """Have a stopped job wait for a worker again; the caller sends it (`ask`). One without a worker is sent as well.

    Returns: whether it is to be sent; False where it has ended otherwise, or a worker is at it.
    Raises: Refused if another job of its kind, which excludes it, is under way.
    """
    rows = type(job)._default_manager.filter(pk=job.pk, state=job.STOPPED)
    try:
        with transaction.atomic():
            resumed = rows.update(
                finished_at=None,
                begun=0,
                started_at=None,
                touched_at=None,
                due_at=None,
                problem="",
                **job.values_to_resume(),
            )
    except IntegrityError as error:
        raise Refused(_("Another job of this kind is running here. Wait until it has ended.")) from error
    if resumed:
        log_line(job, f"Resumed{_by(by)}.")
    return bool(resumed) or is_silent(job)


def _by(member: Membership | None) -> str:
    return f" by {member.worker}" if member is not None else ""
