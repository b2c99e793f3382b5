"""What opening judging would open, what that takes, and what is still missing."""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from django.db.models import Avg, Exists, F, OuterRef, QuerySet

from annotation.assignment.staffing import staffing
from annotation.batches.opening import queries_to_judge, queries_to_open, to_open
from annotation.people.pay import CENT, pay_for
from annotation.people.time_taken import time_taken
from corpus.models import Moment, clip_ready
from desk.backlog import backlog
from desk.forecast import Work, judgments_left
from foundation.models import Collection
from queries.models import Candidate
from queries.pooling.run_plans import run_plan

SECONDS_TO_DECIDE = 5
"""Estimated seconds of a judgment besides watching, before any was timed."""
SECONDS_UNSEEN = 15
"""Estimated seconds of a judgment where there are no clips, before any was timed."""
RECKONED = "reckoned"


@dataclass(frozen=True, slots=True)
class OpeningPlan:
    """What would be opened now.

    Queries: `drawn` in all, or by a design that draws queries; `opened` before, `ready` to be opened with candidates,
    and those `without_candidates`.
    `pairs` of the first batches; `judgments` until they are decided, round two included where its share is known;
    `seconds_each` per judgment, by `basis`: what judgments took here, in the collection's studies, or reckoned with
    the clips' mean length. `pay` is None without a rate. `without_clip`: moments to be judged that have no clip yet.
    `lacking`: whom the work lacks, in words.
    """

    drawn: int
    opened: int
    ready: int
    without_candidates: int
    pairs: int
    judgments: int
    seconds_each: float
    basis: str
    hours: Decimal
    pay: Decimal | None
    currency: str
    without_clip: int
    guideline: bool
    annotators: int
    lacking: str
    by_runs: bool = False
    """Whether a recipe of runs chooses the candidates: then all that are chosen and not open count."""


def opening_plan(collection: Collection) -> OpeningPlan:
    """The plan. A bounded number of SQL queries."""
    pending = queries_to_open(collection)
    has_candidates = Exists(Candidate.objects.filter(query=OuterRef("pk")))
    ready = pending.filter(has_candidates)
    by_runs = run_plan(collection) is not None
    candidates = to_open(collection)
    drawn, waiting, ready_count = queries_to_judge(collection).count(), pending.count(), ready.count()
    bare = waiting - ready_count
    opened = collection.queries.filter(batches__number=1).count()
    pairs = candidates.count() if ready_count else 0
    judgments = _judgments(collection, pairs, drawn) if pairs else 0
    # What was judged so far is read only where there is something to be reckoned by it.
    seconds, basis, rate = _seconds_each(collection, candidates) if pairs else (0.0, RECKONED, None)
    hours = (Decimal(judgments * seconds) / 3600).quantize(CENT, ROUND_HALF_UP)
    rate = collection.pay_per_hour if rate is None else rate
    people = staffing(collection)
    return OpeningPlan(
        drawn=drawn,
        opened=opened,
        ready=ready_count,
        without_candidates=bare,
        pairs=pairs,
        judgments=judgments,
        seconds_each=seconds,
        basis=basis,
        hours=hours,
        pay=pay_for(hours, rate),
        currency=collection.currency,
        without_clip=_without_clip(collection, candidates),
        guideline=bool(collection.guideline_version),
        annotators=people.admitted,
        lacking=people.lacking,
        by_runs=by_runs,
    )


def _judgments(collection: Collection, pairs: int, drawn: int) -> int:
    """As the forecast counts them: the first round of all pairs, and the known share of the second."""
    so_far = backlog(collection, drawn=drawn).work
    return judgments_left(
        Work(
            unopened=pairs,
            decided=so_far.decided,
            second_round=0,
            went_on=min(so_far.went_on, so_far.decided),
            first_people=so_far.first_people,
            second_people=so_far.second_people,
        )
    )


def _seconds_each(collection: Collection, candidates: QuerySet[Candidate]) -> tuple[float, str, Decimal | None]:
    """Seconds per judgment, where that figure comes from, and the mean rate that was paid there (None: none was)."""
    if (taken := time_taken(collection)) is not None:
        return taken.seconds, taken.basis, taken.rate
    if not collection.has_clips:
        return float(SECONDS_UNSEEN), RECKONED, None
    length = candidates.aggregate(mean=Avg(F("moment__end") - F("moment__start")))["mean"] or 0.0
    return length * collection.played_fraction + SECONDS_TO_DECIDE, RECKONED, None


def _without_clip(collection: Collection, candidates: QuerySet[Candidate]) -> int:
    if not collection.has_clips:
        return 0
    return Moment.objects.filter(pk__in=candidates.values("moment")).exclude(clip_ready("clip__")).count()
