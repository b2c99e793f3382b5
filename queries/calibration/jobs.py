"""Jobs that calibrate the checks for a lead in the browser or a program."""

from celery import shared_task

from foundation.infra.jobs import JobProgress, run_job
from foundation.models import Membership
from queries.calibration.calibrate import USUAL, calibrate, refuse_too_few, refuse_unfit, right_captions
from queries.models import CheckCalibration


def ask_for_calibration(*, member: Membership, captions: int = USUAL, seed: int = 1) -> CheckCalibration:
    """The job that calibrates, or the one that waits or runs; the caller sends it.

    Args: captions: how many right ones to take at most. Raises: Refused where there are too few.
    """
    refuse_unfit(captions, seed)
    refuse_too_few(right_captions(member.collection).count())
    standing = CheckCalibration.objects.filter(collection=member.collection, state__in=CheckCalibration.TURN)
    about = {"member": member, "captions": captions, "seed": seed}
    return standing.get_or_create(collection=member.collection, defaults=about)[0]


@shared_task(name=CheckCalibration.TASK)
def calibrate_checks(job_id: int) -> None:
    """Celery task: measure, and keep what was found (`run_job`)."""
    run_job(CheckCalibration, job_id, _calibrate)


def _calibrate(job: CheckCalibration, progress: JobProgress) -> None:
    progress.note(done=0, total=min(job.captions, right_captions(job.collection).count()))
    calibrate(calibration=job, progress=progress.count)
