"""Release jobs started in the browser: what was asked, and progress."""

import time
from datetime import timedelta
from typing import Any

from django.db import connection
from django.utils import timezone

from corpus.infra.advisory_lock import alone_at
from corpus.models import Membership
from datasets.formats import FORMATS
from datasets.models import ReleaseJob
from datasets.releases.make_release import ReleaseError, create_release
from queries.pooling.query_selection import training_descriptions

TOLD_EVERY = 0.5
"""Seconds between two notes of how far it is."""
SILENT = timedelta(seconds=30)
"""A job that nobody has touched for so long may be started again."""


def ask_for_release(*, member: Membership, name: str, formats: list[str], adjudicated: bool = False) -> ReleaseJob:
    """Note that a release is wanted; one that waits under the same name is that. The caller queues it.

    Raises: ReleaseError if there is a release of the name, or a format is unknown or missing.
    """
    unknown = sorted(set(formats) - set(FORMATS))
    if unknown or not formats:
        raise ReleaseError(
            f"There is no format {unknown[0]!r}." if unknown else "Choose at least one format for the release."
        )
    if name and member.collection.releases.filter(name=name).exists():
        raise ReleaseError(f"There is a release {name} already, and it never changes: choose another name.")
    waiting = ReleaseJob.objects.filter(collection=member.collection, name=name, finished_at=None).first()
    return waiting or ReleaseJob.objects.create(
        collection=member.collection,
        member=member,
        name=name[:60],
        formats=sorted(set(formats)),
        adjudicated=adjudicated,
    )


def make_asked_release(*, job_id: int) -> None:
    """Make it. Safe to repeat and to run twice at once: one does it, and what is finished stays so."""
    # Of the session, since a release needs a transaction of its own.
    with alone_at("datasets.release", job_id, wait=False) as ours:
        if ours:
            _make(job_id)


def _make(job_id: int) -> None:
    job = ReleaseJob.objects.select_related("collection").filter(pk=job_id).first()
    if job is None or job.finished:
        return
    teller = _Teller(job)
    try:
        job.release = create_release(
            collection=job.collection,
            name=job.name,
            formats=job.formats,
            adjudicated=job.adjudicated,
            progress=teller.tell,
        )
        job.state, job.problem = ReleaseJob.State.DONE, ""
    except ReleaseError as error:
        said = str(error)
        job.state, job.problem = ReleaseJob.State.REFUSED, f"{said[0].upper()}{said[1:]}."
    finally:
        teller.close()
    job.finished_at = timezone.now()
    job.save(update_fields=["release", "state", "problem", "finished_at"])


class _Teller:
    """Notes how far it is over a connection of its own: the release's own transaction is read-only."""

    def __init__(self, job: ReleaseJob) -> None:
        self._pk, self._done, self._told = job.pk, 0, 0.0
        total = job.collection.queries.count() + training_descriptions(job.collection).count()
        self._connection = connection.copy()
        self._write("state = 'running', started_at = now(), touched_at = now(), done = 0, total = %s", [total])

    def close(self) -> None:
        self._connection.close()

    def tell(self, queries: int) -> None:
        self._done += queries
        if time.monotonic() - self._told > TOLD_EVERY:
            self._told = time.monotonic()
            self._write("touched_at = now(), done = %s", [self._done])

    def _write(self, values: str, parameters: list[int]) -> None:
        with self._connection.cursor() as cursor:
            cursor.execute(f"UPDATE datasets_releasejob SET {values} WHERE id = %s", [*parameters, self._pk])


def unfinished_release_jobs() -> list[int]:
    """The ids of jobs that wait, or whose worker may have died: safe to queue again, whatever they do."""
    return list(ReleaseJob.objects.filter(finished_at=None).order_by("pk").values_list("pk", flat=True))


def progress_of_job(job: ReleaseJob) -> dict[str, Any]:
    """How far it is: {"state", "finished", "share" (0-100), "words", "silent"}."""
    share = 100.0 if job.finished else min(100.0, 100 * job.done / max(1, job.total))
    if job.state == ReleaseJob.State.QUEUED:
        words = "Waits for a worker."
    elif job.finished:
        words = job.problem or "Made."
    elif job.done >= job.total:
        words = "All queries written; packing the files."
    else:
        words = f"{job.done:,} of {job.total:,} queries written{_rate(job)}."
    silent = not job.finished and timezone.now() - (job.touched_at or job.asked_at) > SILENT
    return {"state": job.state, "finished": job.finished, "share": round(share, 1), "words": words, "silent": silent}


def _rate(job: ReleaseJob) -> str:
    if job.started_at is None or job.touched_at is None or not job.done:
        return ""
    seconds = (job.touched_at - job.started_at).total_seconds()
    if seconds < 1:
        return ""
    left = seconds * (job.total - job.done) / job.done
    return f", {job.done / seconds:,.0f} a second, about {max(1, round(left)):,} s left"
