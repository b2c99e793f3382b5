"""Jobs that calibrate the checks for a lead in the browser or a program."""

from foundation.infra.jobs import JobProgress, job_task
from foundation.models import Membership
from queries.calibration.calibrate import USUAL, calibrate, refuse_too_few, refuse_unfit, right_captions
from queries.models import CheckCalibration


def ask_for_calibration(*, member: Membership, captions: int = USUAL, seed: int = 1) -> CheckCalibration:
    """The job that calibrates, or the one that waits or runs; the caller sends it.

    Args: captions: how many right ones to take at most. Raises: Refused where there are too few.
    """
    refuse_unfit(captions, seed)
    refuse_too_few(right_captions(member.collection).count())
    about = {"member": member, "captions": captions, "seed": seed}
    return CheckCalibration.to_do().get_or_create(collection=member.collection, defaults=about)[0]


@job_task(CheckCalibration)
def calibrate_checks(job: CheckCalibration, progress: JobProgress) -> None:
    """Measure, and keep what was found."""
    progress.note(done=0, total=min(job.captions, right_captions(job.collection).count()))
    calibrate(calibration=job, progress=progress.count)
