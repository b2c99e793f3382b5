"""Jobs that make or extend a pool for a lead in the browser."""

from annotation.batches.pools import make_pool, queries_to_pool
from foundation.infra.jobs import JobProgress, job_task
from foundation.models import Membership
from queries.models import PoolMaking


def ask_for_pool(*, member: Membership) -> PoolMaking:
    """Record a job to make the pool, or return the one that waits or runs; the caller sends the task."""
    return PoolMaking.to_do().get_or_create(collection=member.collection, defaults={"member": member})[0]


@job_task(PoolMaking)
def make_asked_pool(job: PoolMaking, progress: JobProgress) -> None:
    """Make or extend the pool."""
    progress.note(done=0, total=queries_to_pool(job.collection).count())
    made = make_pool(collection=job.collection, progress=progress.count)
    job.said = made.in_words()
    job.save(update_fields=["said"])
