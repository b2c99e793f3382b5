"""Clips that opened pairs lack: a worker cuts them from when their batch is opened, and the pairs wait for them.

A moment that came from a system's run has no clip until somebody is to judge it. Nobody is given a pair without a clip
(`assignment/`), so its batch isn't decided before the clip is there, or the lead has withdrawn the pair.
"""

from collections.abc import Collection as Several
from dataclasses import dataclass
from functools import partial

from django.db import transaction
from django.db.models import Count, Q, QuerySet

from annotation.models import Pair
from corpus.clips.cut_clips import WAITED_FOR, lacking
from corpus.clips.cutting_jobs import ask_for_cutting
from corpus.models import Moment, clip_failed, clip_ready
from foundation.infra.jobs import ask
from foundation.models import Collection

UNDECIDED = (Pair.Status.OPEN, Pair.Status.DISPUTED)
SHOWN = 50
"""Pairs whose clip couldn't be cut that a page lists."""


def home_of(collection: Collection) -> Collection:
    """The collection whose moments and clips these are: a study has those of its collection."""
    return collection.study_of or collection


def waiting_moments(collection: Collection) -> QuerySet[Moment]:
    """The moments of a collection that are to be judged there or in its studies, with a clip or without."""
    pairs = Pair.objects.filter(
        Q(batch__collection=collection) | Q(batch__collection__study_of=collection),
        batch__collection__archived_at=None,
        status__in=UNDECIDED,
    )
    return Moment.objects.filter(pk__in=pairs.values("candidate__moment"))


def ask_for_missing_clips(*, collection: Collection, batches: Several[int] | None = None) -> int:
    """Have a worker cut the clips that undecided pairs of these batches lack, or of all. Where a video has no file yet,
    they wait for that.

    Called in the transaction that opens the batches: with them the job is there or isn't. Safe to repeat.

    Returns: how many moments lack a clip that can be cut.
    """
    if not collection.has_clips:
        return 0
    home = home_of(collection)
    if batches is None:
        missing = lacking(home, WAITED_FOR).count()
    else:
        opened = Pair.objects.filter(batch__in=batches).values("candidate__moment")
        missing = lacking(home).filter(pk__in=opened).exclude(video__path="").count()
    if missing:
        with transaction.atomic():
            job = ask_for_cutting(collection=home, member=None, plan=WAITED_FOR)
            if job.due_at is None:
                transaction.on_commit(partial(ask, job))
    return missing


@dataclass(frozen=True, slots=True)
class PairWithoutClip:
    """A pair that waits since its clip couldn't be cut: its moment (start and end in s), and why."""

    pair: int
    query: str
    video: str
    start: float
    end: float
    problem: str


@dataclass(frozen=True, slots=True)
class PairsWithoutClip:
    """Undecided pairs that wait for their clip, how many of these clips failed, and the first of those."""

    waiting: int
    failed: int
    failures: list[PairWithoutClip]


def pairs_without_clip(collection: Collection) -> PairsWithoutClip:
    """The pairs that nobody can be given. Two SQL queries, one where none waits."""
    if not collection.has_clips:
        return PairsWithoutClip(0, 0, [])
    path = "candidate__moment__clip__"
    pairs = Pair.objects.filter(~clip_ready(path) | Q((f"{path}isnull", True)), batch__collection=collection)
    pairs = pairs.filter(status__in=UNDECIDED)
    counts = pairs.aggregate(waiting=Count("pk"), failed=Count("pk", filter=clip_failed(path)))
    failed = pairs.filter(clip_failed(path)).order_by("batch_id", "pk") if counts["failed"] else pairs.none()
    return PairsWithoutClip(
        **counts,
        failures=[
            PairWithoutClip(*values)
            for values in failed.values_list(
                *("pk", "batch__query__text", "candidate__moment__video__name"),
                *("candidate__moment__start", "candidate__moment__end", f"{path}problem"),
            )[:SHOWN]
        ],
    )
