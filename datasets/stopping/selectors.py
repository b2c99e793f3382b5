"""A collection's goal as pages and the API tell it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.models import MachineJudge
from datasets.models import StoppingGoal, StoppingLook
from datasets.stopping.goals import current_goal
from datasets.stopping.looking import frame_of, judged_first, last_look, looks_of, names_of, next_at
from evaluation.guarantees.stopping import Look
from foundation.models import Collection


@dataclass(frozen=True, slots=True)
class PairRow:
    """Two runs at the last look. `relation`: ">", "<", "=" or "?"; `at`: queries judged when that was settled."""

    first: str
    second: str
    relation: str
    at: int | None
    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class LookRow:
    """A look that was made: what it found, and the part of the error that it and those before it spent."""

    at: datetime | None
    judged: int
    chain: str
    words: str
    spent: float
    by: str | None


@dataclass(frozen=True, slots=True)
class GoalState:
    """A goal and how far it is. `queries`: of its frame; `drawn`, `judged`: of these; `judged` counts those before the
    first of the random order that isn't. `next_at`: queries judged at the next look; None: there is none."""

    goal: int
    measure: str
    first: int
    level: float
    margin: float | None
    split: str
    judge: str | None
    runs: list[str]
    open_next: int
    made_at: datetime
    queries: int
    drawn: int
    judged: int
    next_at: int | None
    settled: bool
    words: str
    pairs: list[PairRow]
    looks: list[LookRow]


def state_of(goal: StoppingGoal) -> GoalState:
    """All that there is to tell of a goal."""
    made = list(looks_of(goal).select_related("member"))
    last = made[-1].found if made else None
    frame = frame_of(goal)
    return GoalState(
        goal=goal.pk,
        measure=goal.measure,
        first=goal.first,
        level=goal.level,
        margin=goal.margin,
        split=goal.split,
        judge=str(goal.judge) if goal.judge else None,
        runs=list(names_of(goal).values()),
        open_next=goal.open_next,
        made_at=goal.made_at,
        queries=frame.count(),
        drawn=frame.filter(drawn_at__isnull=False).count(),
        judged=len(judged_first(goal)),
        next_at=next_at(goal),
        settled=last is not None and last.settled,
        words=in_words(last),
        pairs=[PairRow(*own) for own in _pairs(last)],
        looks=[_row(own) for own in reversed(made)],
    )


def _pairs(last: Look | None) -> list[tuple[str, str, str, int | None, float, float, float]]:
    pairs = last.pairs if last else ()
    return [(own.first, own.second, own.relation, own.at, own.estimate, own.low, own.high) for own in pairs]


def _row(own: StoppingLook) -> LookRow:
    found = own.found
    by = own.member.worker if own.member else None
    return LookRow(own.finished_at, found.judged, found.chain, in_words(found), found.spent, by)


def in_words(last: Look | None) -> str:
    """What the last look found, in one line."""
    if last is None:
        return _("nothing was looked at yet")
    if last.more is None:
        return _("settled: %(chain)s") % {"chain": last.chain}
    sentence = _(
        "settled: %(chain)s; about %(about)s more queries settle the rest, between %(fewest)s and %(most)s by how far "
        "apart the runs may be"
    )
    if not last.anything:
        sentence = _(
            "nothing is settled: %(chain)s; about %(about)s more queries settle it, between %(fewest)s and %(most)s by "
            "how far apart the runs may be"
        )
    more = last.more
    numbers = {"about": more.about, "fewest": more.fewest, "most": more.most}
    return sentence % {"chain": last.chain, **{name: f"{number:,}" for name, number in numbers.items()}}


def line_of(collection: Collection) -> str:
    """What the lead's overview says of the goal, "" without one. Two SQL queries at most."""
    goal = current_goal(collection)
    return in_words(last_look(goal)) if goal else ""


def judges_of(collection: Collection) -> QuerySet[MachineJudge]:
    """The judges whose grades may help."""
    return MachineJudge.objects.filter(collection=collection, retired_at=None).order_by("name")
