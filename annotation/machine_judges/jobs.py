"""Jobs that have a machine judge pairs."""

from celery import shared_task

from annotation.machine_judges.judges import refuse_retired
from annotation.machine_judges.ways import way_of
from annotation.models import MachineJudging
from foundation.infra.jobs import JobProgress, run_job
from foundation.refused import Busy


@shared_task(name=MachineJudging.TASK)
def judge_by_machine(job_id: int) -> None:
    """Celery task: have the job's judge judge, in the way of its kind (`run_job`)."""
    try:
        run_job(MachineJudging, job_id, _work)
    except Busy:
        return  # it is in the queue again


def _work(job: MachineJudging, progress: JobProgress) -> float | None:
    refuse_retired(job.judge)
    return way_of(job.judge.kind)(job, progress)
