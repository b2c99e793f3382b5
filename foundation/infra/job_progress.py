"""How far a job is: what its page and the page's script show."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foundation.infra.advisory_lock import somebody_is_at
from foundation.infra.jobs import as_sentence
from foundation.infra.worker_signs import no_worker
from foundation.models.jobs import Job

SILENT = timedelta(seconds=30)
"""After so long without a worker, a job can be restarted by hand."""
WAITS = _("Waits for a worker.")
NOT_QUEUED = _("Waits for a worker. The job is kept and starts by itself when the task queue can be reached.")
NO_WORKER = _("No worker runs: start script/worker. The job is kept and begins by itself then.")
STOPPING = _("Stopping: the worker finishes its current step.")

Told = dict[str, Any]
Some = TypeVar("Some", bound=Job)
_tellers: dict[type[Job], Callable[[Any], Told]] = {}


def tells(model: type[Some]) -> Callable[[Callable[[Some], Told]], Callable[[Some], Told]]:
    """Decorator of a kind's own `progress_of`, for the pages that show jobs of every kind."""

    def register(tell: Callable[[Some], Told]) -> Callable[[Some], Told]:
        _tellers[model] = tell
        return tell

    return register


def progress_told(job: Job) -> Told:
    """How far a job of any kind is: as `progress_of`."""
    return _tellers.get(type(job), progress_of)(job)


def progress_of(job: Job, *, share: float | None = None, words: str | None = None) -> Told:
    """How far a job is, for its page.

    Args:
        share: in percent, of a job under way; by default of `done` in `total`.
        words: what is said while it is neither waiting nor refused; by default by `step`, `done`, `total`, `said`.

    Returns: {"state", "finished", "share" (0-100), "words", "silent", "stopped" (can be resumed), "kind", "job"}; the
        last two say which job it is.
    """
    stopped = job.state == job.STOPPED
    share = 100 * job.done / max(1, job.total) if share is None else share
    words = _in_words(job) if words is None else words
    if not job.finished and job.touched_at is None:
        words = str(NO_WORKER if no_worker() else WAITS if job.due_at else NOT_QUEUED)
    if stopped and not job.problem:
        words = (
            str(STOPPING) if somebody_is_at(*job.lock) else gettext("Stopped. %(kept)s") % {"kept": gettext(job.KEPT)}
        )
    return {
        "state": job.state,
        "finished": job.finished,
        "share": 100.0 if job.finished and not stopped else round(min(100.0, share), 1),
        "words": job.problem or words,
        "silent": is_silent(job),
        "stopped": stopped,
        "kind": job.KIND,
        "job": job.pk,
    }


def _in_words(job: Job) -> str:
    if job.finished:
        return as_sentence(job.said or gettext("Done"))
    step = f"{as_sentence(job.step)} " if job.step else ""
    if not job.total:
        return step or gettext("Running.")
    pace = pace_of(job, job.done / job.total, count=job.done)
    values = {"done": f"{job.done:,}", "total": f"{job.total:,}", "unit": gettext(job.UNIT)}
    return step + gettext("%(done)s of %(total)s %(unit)s") % values + f"{pace}."


def pace_of(job: Job, share: float, *, count: float | None = None, unit: str = "") -> str:
    """A job's rate and the time left, in words: ", 12 a second, about 3 min left"; empty while nothing is known.

    Args: share: of the work, 0 to 1; count: how many are done, for the rate; unit: of the rate.
    """
    if job.started_at is None or job.touched_at is None or share <= 0:
        return ""
    seconds = (job.touched_at - job.started_at).total_seconds()
    if seconds < 1:
        return ""
    left = gettext(", about %(time)s left") % {"time": duration(seconds * (1 - share) / share)}
    if not count:
        return left
    rate = count / seconds
    if unit:
        return f", {rate:,.1f} {unit}/s{left}"
    if rate >= 1:
        return gettext(", %(rate)s per second") % {"rate": f"{rate:,.0f}"} + left
    return gettext(", %(rate)s per minute") % {"rate": f"{rate * 60:,.1f}"} + left


def duration(seconds: float) -> str:
    """A time in words.

    >>> duration(0.2), duration(200), duration(7800)
    ('1 s', '3 min', '2 h 10 min')
    """
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def is_silent(job: Job) -> bool:
    """Whether an unfinished job has no worker, and hasn't been heard of for a while."""
    since: datetime = max(job.touched_at or job.asked_at, job.asked_at)
    return not job.finished and timezone.now() - since > SILENT and not somebody_is_at(*job.lock)
