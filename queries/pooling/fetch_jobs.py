"""Jobs that fetch candidates for a lead in the browser: one worker leads, all others encode and search with it."""

import time
from typing import Any

from django.utils.translation import gettext as _

from foundation.counted import counted
from foundation.infra.job_progress import pace_of, progress_of, tells
from foundation.infra.jobs import JobProgress, as_sentence, job_task
from foundation.models import Membership
from queries.models import CandidateFetch
from queries.pooling.candidates import Fetched, fetch_candidates, pool_captions
from queries.pooling.encoder_languages import warn_of_languages
from queries.pooling.query_selection import query_captions
from queries.pooling.selectors import search_in_words

TURN_SECONDS = 40 * 60
"""After so long the job goes on in a task of its own, with what is encoded and searched: a task may take an hour."""


class _TurnOver(Exception):
    """The job has had its turn."""


def ask_for_candidates(*, member: Membership) -> CandidateFetch:
    """Record a job to fetch candidates, or return the one that waits or runs; the caller sends the task."""
    return CandidateFetch.to_do().get_or_create(collection=member.collection, defaults={"member": member})[0]


@job_task(CandidateFetch)
def fetch_asked_candidates(job: CandidateFetch, progress: JobProgress) -> float | None:
    """Fetch candidates."""
    until, parts = time.monotonic() + TURN_SECONDS, ""

    def count(more: int) -> None:
        progress.count(more)
        if time.monotonic() > until:
            raise _TurnOver

    def cells_done(done: int, cells: int) -> None:
        nonlocal parts
        parts = f"{done:,} of {cells:,} parts of the search are done" if cells > 1 else ""
        progress.note(step=parts)

    total = pool_captions(job.collection).count() + query_captions(job.collection).count()
    if not job.done and (warning := warn_of_languages(job.collection)):
        progress.say(warning)
    progress.note(done=0, total=total, step="")
    try:
        fetched = fetch_candidates(collection=job.collection, encoding=count, ranking=count, cells_done=cells_done)
    except _TurnOver:
        progress.say(f"Goes on in a turn of its own: {parts or 'captions are being encoded'}.")
        return 0
    job.said, job.done, job.step = _in_words(fetched), total, ""
    job.save(update_fields=["said", "done", "step"])
    return None


def _in_words(fetched: Fetched) -> str:
    clauses = [
        f"{counted(fetched.training, 'description')} ranked for training out of {counted(fetched.moments, 'moment')}"
    ]
    if fetched.queries:
        clauses.append(f"{counted(fetched.queries, 'query', 'val and test queries')} got their first candidates")
    if fetched.reranked:
        clauses.append(
            f"{counted(fetched.reranked, 'without an opened batch was', 'without an opened batch were')} ranked again"
        )
    if fetched.kept:
        keeping = counted(
            fetched.kept, "keeps its own, because its batch is opened", "keep theirs, because their batches are opened"
        )
        outdated = f" ({fetched.outdated:,} would be ranked differently today)" if fetched.outdated else ""
        clauses.append(f"{keeping}{outdated}")
    if fetched.search:
        clauses.append(search_in_words(fetched.search))
    return f"{'; '.join(clauses)}."


@tells(CandidateFetch)
def progress_of_fetch(job: CandidateFetch) -> dict[str, Any]:
    """The job's progress, as `progress_of`."""
    done = min(job.done, job.total)
    pace = pace_of(job, done / max(1, job.total), count=done)
    values = {"done": f"{done:,}", "total": f"{job.total:,}"}
    under_way = _("%(done)s of %(total)s captions encoded and queries ranked") % values
    parts = f" {as_sentence(job.step)}" if job.step else ""
    words = job.said if job.finished else f"{under_way}{pace}.{parts}"
    return progress_of(job, words=words)
