"""Jobs that have a machine judge pairs."""

from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _

from annotation.machine_judges.judges import refuse_files, refuse_retired
from annotation.machine_judges.ways import way_of
from annotation.models import MachineJudge, MachineJudging
from corpus.description_import.jobs import keep_for_one_job, refuse_larger
from foundation.infra.jobs import JobProgress, job_task
from foundation.models import Membership

LARGEST = 200 << 20
"""Bytes of a file: 200 MiB, more than a million distributions."""


def keep_grades(*, judge: MachineJudge, member: Membership, upload: "UploadedFile[Any]") -> MachineJudging:
    """Keep an uploaded file of grades and record a job that stores them; the caller sends the task.

    Raises: StoringError; Refused for a file too large, a judge of another kind or retired, or while another job of the
        judge waits or runs.
    """
    refuse_files(judge)
    refuse_larger(upload.size or 0, LARGEST)
    return keep_for_one_job(
        judge.judgings.filter(state__in=MachineJudging.TURN),
        "machine-judges",
        upload,
        another=_("Another file of this judge waits or is under way. Send this one when that has ended."),
        judge=judge,
        member=member,
    )


@job_task(MachineJudging)
def judge_by_machine(job: MachineJudging, progress: JobProgress) -> float | None:
    """Have the job's judge judge, in the way of its kind."""
    refuse_retired(job.judge)
    return way_of(job.judge.kind)(job, progress)
