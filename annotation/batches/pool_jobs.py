"""Jobs that make or extend a pool for a lead in the browser."""

from celery import shared_task

from annotation.batches.pools import make_pool, queries_to_pool
from foundation.infra.jobs import JobProgress, run_job
from foundation.models import Membership
from queries.models import PoolMaking


def ask_for_pool(*, member: Membership) -> PoolMaking:
    """Record a job to make the pool, or return the one that waits or runs; the caller sends the task."""
    unfinished = PoolMaking.objects.filter(state__in=PoolMaking.TURN)
    return unfinished.get_or_create(collection=member.collection, defaults={"member": member})[0]


@shared_task(name="annotation.tasks.make_pool")
def make_asked_pool(job_id: int) -> None:
    """Celery task: run the job (`run_job`)."""
    run_job(PoolMaking, job_id, _make)


def _make(job: PoolMaking, progress: JobProgress) -> None:
    progress.note(done=0, total=queries_to_pool(job.collection).count())
    made = make_pool(collection=job.collection, progress=progress.count)
    job.said = made.in_words()
    job.save(update_fields=["said"])
