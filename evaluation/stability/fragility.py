"""How fragile is the order of systems: how few changed grades flip two of them, and which grades move whom."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np

from ..arrays import FloatArray
from ..errors import EvaluationError
from ..measures import parse_measure
from ..measures.measure import Measure, RunMeasure
from ..measures.ndcg import NDCG
from ..measures.plain import Plain
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..reading.grade_scale import HIGHEST, GradeScale
from ..scores.scoring import evaluate
from ..stability.flips import TIE, Flip, FlipSearch
from ..stability.ndcg_gain_bound import NdcgGainBound
from ..stability.regrading import Regrading
from ..stability.single_changes import SingleChanges

TIED = Flip(0, 0, ())
"""Runs without an order."""
BUDGET = 20_000
"""Regraded queries that the search of one pair of runs may score."""


@dataclass(frozen=True)
class PairFragility:
    """Two runs, the better first, and how few changed grades flip their order.

    Attributes: difference: of their means. low, high: it takes at least and at most so many; exact: they are the
    same. low None: no grades flip it. high None: no flip was found. Both are 0 for runs that are tied. queries: in how
    many queries the changes found are.
    """

    first: str
    second: str
    difference: float
    low: int | None
    high: int | None
    exact: bool
    queries: int


@dataclass(frozen=True)
class GradeMove:
    """A judged pair, and how far another grade of the scale for it could move the runs.

    Attributes: run, moved: whose mean moves most, and by how much. moves: by run, the largest change of its mean, with
    its sign.
    """

    query_id: str
    video_name: str
    start: float
    end: float
    pair_id: str | None
    grade: float
    run: str
    moved: float
    moves: dict[str, float]


@dataclass(frozen=True)
class Fragility:
    """Attributes: top_grade, step: of the scale, from 0 on. judged: how many pairs have a grade. pairs: every two runs
    in the order of the board. moving: the grades that move a run most, the largest move first."""

    measure: str
    top_grade: int
    step: int
    queries: int
    judged: int
    pairs: tuple[PairFragility, ...]
    moving: tuple[GradeMove, ...]


def usual_scale(ground_truth: GroundTruth) -> GradeScale:
    """The smallest usual scale that has the grades of a ground truth: 0 to 1, 2, 3, 4 or 100.

    Raises: EvaluationError for a grade above 100.
    """
    highest = float(ground_truth.grade.max(initial=0.0))
    for top in (1, 2, 3, 4, HIGHEST):
        if highest <= top:
            return GradeScale(top)
    raise EvaluationError(f"{ground_truth.name}: found the grade {highest:g}, expected grades from 0 to {HIGHEST}")


def fragility(
    ground_truth: GroundTruth,
    runs: Sequence[Run],
    *,
    measure: str = "NDCG@20,IoU>=0.5",
    scale: GradeScale | None = None,
    budget: int = BUDGET,
    most: int = 10,
    progress: Callable[[int, int], None] = lambda done, of: None,
    every: Callable[[GradeMove], None] | None = None,
) -> Fragility:
    """Find for each two runs the least number of changed grades that flips their order, and which grades move whom.

    A grade may become any grade of the scale; which moments are judged stays. The order of two runs is that of their
    means over all queries, a query without a value counting 0, and it flips when the other mean becomes the larger
    one: a tie, that is means within 1e-9 of each other, is no flip. Runs that are tied have no order to flip.

    Args:
        measure: one with values per query that follow from the query's own grades.
        scale: of the grades; by default the smallest usual one that has them (`usual_scale`).
        budget: how many regraded queries the search of each pair of runs may score, at least 0. Where it ends before
        the search, low and high of a pair differ: they are bounds.
        most: how many grades that move a run most are told. progress: (parts done, of how many).
        every: is told each judged pair, in the ground truth's order.
    Raises: EvaluationError for fewer than two runs, another kind of measure, or a grade above the scale.
    Source: ours, after the question of Zobel (SIGIR 1998) and Voorhees (SIGIR 1998) how far an order of systems
    depends on who judged.

    >>> from evaluation.moments.ground_truth import JudgedMoment
    >>> from evaluation.moments.run import Prediction
    >>> truth = GroundTruth.of([("q", [JudgedMoment("v", 0, 5, 2), JudgedMoment("v", 5, 9, 1)])])
    >>> runs = [
    ...     Run.of("one", [("q", [Prediction("v", 0, 5), Prediction("v", 5, 9)])]),
    ...     Run.of("two", [("q", [Prediction("v", 5, 9), Prediction("v", 0, 5)])]),
    ... ]
    >>> found = fragility(truth, runs, scale=GradeScale(4))
    >>> found.pairs[0].first, found.pairs[0].low, found.pairs[0].exact
    ('one', 1, True)
    """
    parsed, scale = _checked(runs, measure), scale or usual_scale(ground_truth)
    highest = float(ground_truth.grade.max(initial=0.0))
    if highest > scale.top:
        raise EvaluationError(f"{ground_truth.name}: found the grade {highest:g}, expected at most {scale.top}")
    values = np.array([record.per_query for record in evaluate(ground_truth, runs, [parsed])], dtype=np.float64)
    values = np.nan_to_num(values)
    means = values.mean(axis=1)
    board = np.argsort(-means, kind="stable").tolist()
    ordered = [(one, two) for one, two in combinations(board, 2) if means[one] - means[two] > TIE]
    regrading = Regrading(ground_truth, runs, parsed)
    single = SingleChanges(regrading, np.array(scale.grades, dtype=np.float64), values, ordered)
    steps = len(single.blocks()) + len(ordered)
    moving = _moving(single, most, every, partial(_from, progress, 0, steps))
    flips = _flips(single, scale, ordered, budget, partial(_from, progress, steps - len(ordered), steps))
    return Fragility(
        str(parsed),
        scale.top,
        scale.step,
        len(ground_truth),
        len(ground_truth.grade),
        tuple(
            _pair(regrading, pair, float(means[pair[0]] - means[pair[1]]), flips.get(pair, TIED))
            for pair in combinations(board, 2)
        ),
        moving,
    )


def has_fragility(measure: str) -> bool:
    """Whether a query's value by a measure follows from that query's judged moments alone. Raises: EvaluationError."""
    parsed = parse_measure(measure)
    return not isinstance(parsed, RunMeasure | Plain) and not parsed.of_whole_truth


def _checked(runs: Sequence[Run], measure: str) -> Measure:
    if len(runs) < 2:
        raise EvaluationError("an order is of systems: found one run, expected two or more")
    if not has_fragility(measure):
        raise EvaluationError(
            f"{measure}: found a measure whose value of a query doesn't follow from that query's judged moments alone, "
            "expected one such as NDCG@20,IoU>=0.5"
        )
    return parse_measure(measure)


def _from(progress: Callable[[int, int], None], before: int, of: int, done: int) -> None:
    progress(before + done, of)


def _moving(
    single: SingleChanges,
    most: int,
    every: Callable[[GradeMove], None] | None,
    progress: Callable[[int], None],
) -> tuple[GradeMove, ...]:
    """Try all single changes, and tell those that move a run most."""
    found: list[tuple[int, FloatArray]] = []
    for done, (low, high) in enumerate(single.blocks(), start=1):
        moves = single.take(low, high)
        if every is not None:
            for place in range(low, high):
                every(_move(single, place, moves[place - low]))
        largest = np.abs(moves).max(axis=1)
        first = [place for place in np.argsort(-largest, kind="stable")[:most].tolist() if largest[place] > 0]
        found = sorted([*found, *((low + place, moves[place]) for place in first)], key=_largest)[:most]
        progress(done)
    return tuple(_move(single, place, moves) for place, moves in found)


def _largest(found: tuple[int, FloatArray]) -> float:
    return -float(np.abs(found[1]).max())


def _move(single: SingleChanges, place: int, moves: FloatArray) -> GradeMove:
    truth, runs = single.regrading.ground_truth, single.regrading.runs
    run = int(np.argmax(np.abs(moves)))
    return GradeMove(
        truth.query_ids[truth.query[place]],
        truth.video_names[truth.video[place]],
        float(truth.start[place]),
        float(truth.end[place]),
        truth.pair_ids[place] if truth.pair_ids else None,
        float(truth.grade[place]),
        runs[run].name,
        float(moves[run]),
        {own.name: float(moved) for own, moved in zip(runs, moves, strict=True)},
    )


def _flips(
    single: SingleChanges,
    scale: GradeScale,
    ordered: Sequence[tuple[int, int]],
    budget: int,
    progress: Callable[[int], None],
) -> dict[tuple[int, int], Flip]:
    """The flips of runs that are not tied."""
    if not ordered:
        return {}
    regrading = single.regrading
    search = FlipSearch(regrading, single.grades.tolist(), budget=budget)
    bound = None
    if isinstance(regrading.measure, NDCG):
        bound = NdcgGainBound.of(regrading.ground_truth, regrading.runs, regrading.measure, top_grade=scale.top)
    found = {}
    for number, pair in enumerate(ordered):
        singles = single.singles(number)
        limits = None if bound is None else bound.least_difference(*pair, singles.difference, search.changes - 1)
        found[pair] = search.flip(*pair, singles, limits)
        progress(number + 1)
    return found


def _pair(regrading: Regrading, pair: tuple[int, int], difference: float, flip: Flip) -> PairFragility:
    one, two = (regrading.runs[place].name for place in pair)
    queries = {int(regrading.ground_truth.query[moment]) for moment, _ in flip.changes}
    return PairFragility(
        one, two, difference, flip.low, flip.high, flip.low is None or flip.low == flip.high, len(queries)
    )
