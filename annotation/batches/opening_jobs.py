"""Jobs that open judging for a lead in the browser."""

from annotation.batches.opening import Opened, open_annotation, queries_to_open
from annotation.models import Opening
from foundation.counted import counted
from foundation.infra.jobs import JobProgress, job_task
from foundation.models import Collection, Membership

CLIPS_MISSING = "moments have no clip yet: a worker cuts them, and their pairs wait for it."


def ask_for_opening(*, member: Membership) -> Opening:
    """Record a job to open judging, or return the one that waits or runs; the caller sends the task."""
    return opening_of(member.collection, member)


def opening_of(collection: Collection, member: Membership | None) -> Opening:
    """As `ask_for_opening`; `member` None: a command or a rule asks."""
    return Opening.to_do().get_or_create(collection=collection, defaults={"member": member})[0]


@job_task(Opening)
def open_batches(job: Opening, progress: JobProgress) -> None:
    """Open judging."""
    progress.note(done=0, total=queries_to_open(job.collection).count())
    opened = open_annotation(collection=job.collection, progress=progress.count)
    job.said = in_words(opened)
    job.save(update_fields=["said"])


def in_words(opened: Opened) -> str:
    """What an opening did, in sentences."""
    sentence = f"{counted(opened.batches, 'batch', 'batches')} with {counted(opened.pairs, 'pair')} opened"
    sentence += f"; {counted(opened.open_before, 'was', 'were')} open before."
    if opened.without_candidates:
        lacking = counted(opened.without_candidates, "query has", "queries have")
        sentence += f" {lacking} no candidates yet: fetch them, then open again."
    if opened.clips_missing:
        sentence += f" {opened.clips_missing:,} {CLIPS_MISSING}"
    return sentence
