"""Candidates that a lead asks for in the browser: the row says how far a worker is with fetching them."""

import time
from datetime import timedelta
from typing import Any

from django.utils import timezone

from corpus.infra.advisory_lock import alone_at
from corpus.models import Membership
from queries.models import CandidateFetch
from queries.pooling.candidates import CandidatesError, Fetched, fetch_candidates, pool_captions
from queries.pooling.query_selection import query_captions

TOLD_EVERY = 0.5
"""Seconds between two notes of how far it is."""
SILENT = timedelta(seconds=30)
"""A job that nobody has touched for so long may be started again."""


def ask_for_candidates(*, member: Membership) -> CandidateFetch:
    """Note that candidates are to be fetched; one that waits or runs is that. The caller queues it."""
    unfinished = CandidateFetch.objects.filter(state__in=["queued", "running"])
    return unfinished.get_or_create(collection=member.collection, defaults={"member": member})[0]


def fetch_asked_candidates(*, job_id: int) -> None:
    """Fetch them. Safe to repeat and to run twice at once: one does it, and what is finished stays so."""
    with alone_at("queries.candidate_fetch", job_id, wait=False) as ours:
        job = CandidateFetch.objects.select_related("collection").filter(pk=job_id).first()
        if ours and job is not None and not job.finished:
            _fetch(job)


def _fetch(job: CandidateFetch) -> None:
    row, collection = CandidateFetch.objects.filter(pk=job.pk), job.collection
    now, last, done = timezone.now(), 0.0, 0
    total = pool_captions(collection).count() + query_captions(collection).count()
    row.update(state="running", started_at=now, touched_at=now, done=0, total=total)

    def tell(more: int) -> None:
        nonlocal done, last
        done += more
        if time.monotonic() - last > TOLD_EVERY:
            last = time.monotonic()
            row.update(touched_at=timezone.now(), done=min(done, total))

    try:
        fetched = fetch_candidates(collection=collection, encoding=tell, ranking=tell)
    except CandidatesError as error:
        said = str(error)
        row.update(state="refused", problem=f"{said[0].upper()}{said[1:]}.", finished_at=timezone.now())
    else:
        row.update(state="done", said=_in_words(fetched), done=total, finished_at=timezone.now())


def _in_words(fetched: Fetched) -> str:
    said = [f"{fetched.training:,} descriptions ranked for training out of {fetched.moments:,} moments"]
    if fetched.queries:
        said.append(f"{fetched.queries:,} val and test queries got their first candidates")
    if fetched.reranked:
        said.append(f"{fetched.reranked:,} without an opened batch were ranked again")
    if fetched.kept:
        kept = f"{fetched.kept:,} keep theirs, because their batches are opened"
        said.append(f"{kept} ({fetched.outdated:,} would be ranked differently today)" if fetched.outdated else kept)
    return f"{'; '.join(said)}."


def unfinished_fetches() -> list[int]:
    """The ids of jobs that wait, or whose worker may have died: safe to queue again, whatever they do."""
    return list(
        CandidateFetch.objects.filter(state__in=["queued", "running"]).order_by("pk").values_list("pk", flat=True)
    )


def progress_of_fetch(job: CandidateFetch) -> dict[str, Any]:
    """How far it is: {"state", "finished", "share" (0-100), "words", "silent"}."""
    share = 100.0 if job.finished else min(100.0, 100 * job.done / max(1, job.total))
    if job.finished:
        words = job.problem or job.said
    elif job.state == CandidateFetch.State.QUEUED:
        words = "Waits for a worker."
    else:
        words = f"{job.done:,} of {job.total:,} captions encoded and queries ranked."
    silent = not job.finished and timezone.now() - (job.touched_at or job.asked_at) > SILENT
    return {"state": job.state, "finished": job.finished, "share": round(share, 1), "words": words, "silent": silent}
