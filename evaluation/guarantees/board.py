"""Runs scored by few people's judgments and a machine's: each run, each difference of two, and what is settled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, astuple, dataclass
from itertools import combinations, pairwise
from math import ceil, inf, nan
from typing import Any

import numpy as np

from ..arrays import FloatArray, IntArray
from ..errors import EvaluationError
from ..guarantees.assisted_mean import AssistedMeans, Target, assisted_means
from ..guarantees.critical_values import of_all
from ..guarantees.kappa import quadratic_kappa
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..scores.conventions import PAPER, Convention
from ..scores.scoring import evaluate

LEVEL = 0.95
EQUAL = 1e-12
"""Means of the same values differ by so much at most."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its interval."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """A run's score. `weight`: how far the machine was followed. `people_only`: without it. `machine_only`: by the
    machine's grades alone, on the same queries as `people_only`."""

    run: str
    estimate: float
    low: float
    high: float
    weight: float
    people_only: Interval
    machine_only: float


@dataclass(frozen=True, slots=True)
class MoreQueries:
    """How many more queries people have to judge until an order is settled: about so many, and for how large and how
    small the difference may be. None where no number of them would do."""

    fewest: int | None
    about: int | None
    most: int | None


@dataclass(frozen=True, slots=True)
class Difference:
    """The first run's score less the second's. `simultaneous`: the interval that holds for all differences at once;
    the order is settled if 0 lies outside. `more`: None if it is."""

    first: str
    second: str
    estimate: float
    low: float
    high: float
    simultaneous: tuple[float, float]
    people_only: Interval
    more: MoreQueries | None

    @property
    def settled(self) -> bool:
        """Whether the order holds, with all others at once."""
        return self.more is None

    @property
    def sign(self) -> str:
        """Of the first run to the second: > if it is settled that it is better, = that they are alike, else ?."""
        return "?" if not self.settled else "=" if abs(self.estimate) <= EQUAL else ">"


@dataclass(frozen=True, slots=True)
class Board:
    """Runs by one measure, best estimate first, and the differences of every two in that order.

    `judged` of `queries` were judged by people. `machine_above`, `kappa`: by how much the machine's grades are above
    people's, and their agreement with quadratic weights, on `pairs` pairs that both graded; None without any.
    """

    measure: str
    judged: int
    queries: int
    runs: tuple[RunEstimate, ...]
    differences: tuple[Difference, ...]
    machine_above: float | None
    kappa: float | None
    pairs: int

    @property
    def chain(self) -> str:
        """The runs, best estimate first, with the sign of their difference between two neighbours."""
        signs = {(own.first, own.second): own.sign for own in self.differences}
        names = [own.run for own in self.runs]
        return names[0] + "".join(f" {signs[two]} {two[1]}" for two in pairwise(names))

    @property
    def rest(self) -> MoreQueries | None:
        """What settles every order that is open: of each number what the one takes that takes most. None where none is
        open."""
        open_ones = [own.more for own in self.differences if own.more]

        def of_all_open(numbers: Iterable[int | None]) -> int | None:
            most = max(inf if number is None else number for number in numbers)
            return None if most == inf else int(most)

        return MoreQueries(*map(of_all_open, zip(*map(astuple, open_ones), strict=True))) if open_ones else None

    @property
    def in_words(self) -> str:
        """Which orders are settled, and what would settle the rest."""
        rest, orders = self.rest, len(self.differences)
        if rest is None:
            return f"settled: {self.chain}" if orders else ""
        settled = f"settled: {sum(own.settled for own in self.differences):,} of {orders:,} orders; {self.chain}"
        if rest.about is None:
            return f"{settled}; these queries are too few to settle the rest, whoever judges them"
        left = self.queries - self.judged
        most = "all that there are" if rest.most is None or rest.most >= left else f"{rest.most:,}"
        return (
            f"{settled}; about {rest.about:,} more queries settle the rest: {rest.fewest:,} if the differences are "
            f"as large as their intervals allow, {most} if as small"
        )


def boards(
    people: GroundTruth,
    machine: GroundTruth,
    runs: Sequence[Run],
    measures: Sequence[str],
    *,
    level: float = LEVEL,
    target: Target = "these",
    draws: int = 10_000,
    seed: int = 0,
    convention: Convention = PAPER,
    progress: Callable[[int], object] = lambda measures: None,
) -> list[Board]:
    """Score runs by both ground truths and correct the machine's by people's, measure by measure.

    Every run and every difference has a weight of its own (PPI++'s power tuning), so that the estimate of a difference
    isn't quite the difference of the estimates.

    Args:
        people: the queries that people judged, drawn at random among those of `machine`. machine: all queries.
        target: whether scores are of these queries alone or of all such queries.
        progress: called with the number of measures that are done, before each.
    Raises: EvaluationError if people judged a query that the machine's ground truth doesn't have, or fewer than two;
        for a measure without a value for each query; as `evaluate`.
    """
    judged = places_judged(people, machine)
    by_people = values_per_query(people, runs, measures, convention)
    by_machine = values_per_query(machine, runs, measures, convention)
    compared = grades_compared(people, machine)
    names, found = [run.name for run in runs], list[Board]()
    for measure, own, other in zip(measures, by_people, by_machine, strict=True):
        progress(len(found))
        counting = int((~np.isnan(own)).sum(axis=1).min(initial=len(judged)))
        if counting < 2:
            raise EvaluationError(
                f"{people.name}: queries that people judged and that have a value of {measure}: found {counting}, "
                "expected at least 2"
            )
        found.append(
            _board(measure, names, own, other, judged, compared, level=level, target=target, draws=draws, seed=seed)
        )
    return found


def places_judged(people: GroundTruth, machine: GroundTruth) -> IntArray:
    """The places in the machine's ground truth of the queries that people judged.

    Raises: EvaluationError if one isn't there.
    """
    unknown = [query_id for query_id in people.query_ids if query_id not in machine.index]
    if unknown:
        raise EvaluationError(
            f"{people.name}: {len(unknown):,} of {len(people):,} queries aren't in {machine.name}, the first is "
            f"{unknown[0]!r}; expected queries drawn from those that the machine judged"
        )
    return np.array([machine.index[query_id] for query_id in people.query_ids], dtype=np.int64)


def grades_compared(people: GroundTruth, machine: GroundTruth) -> tuple[float | None, float | None, int]:
    """By how much the machine's grades are above people's on the moments that both graded, their quadratic kappa, and
    how many these are."""
    graded = {
        (query_id, moment.video_name, moment.start, moment.end): moment.grade
        for query_id, moments in people.records().items()
        for moment in moments
    }
    both = [
        (graded[place], moment.grade)
        for query_id, moments in machine.records().items()
        for moment in moments
        if (place := (query_id, moment.video_name, moment.start, moment.end)) in graded
    ]
    if not both:
        return None, None, 0
    own, other = np.array(both, dtype=np.float64).T
    return float((other - own).mean()), quadratic_kappa(own, other), len(both)


def values_per_query(
    truth: GroundTruth, runs: Sequence[Run], measures: Sequence[str], convention: Convention
) -> list[FloatArray]:
    """Of each measure the values per query, shape (runs, queries). Raises: EvaluationError for a measure without."""
    rows: dict[str, list[FloatArray]] = {measure: [] for measure in measures}
    for record in evaluate(truth, runs, measures, convention=convention):
        if record.per_query is None:
            raise EvaluationError(f"{record.measure} has no value for each query, an estimate needs them")
        rows[record.measure].append(record.per_query)
    return [np.array(values) for values in rows.values()]


def _board(
    measure: str,
    names: Sequence[str],
    people: FloatArray,
    machine: FloatArray,
    judged: IntArray,
    compared: tuple[float | None, float | None, int],
    *,
    level: float,
    target: Target,
    draws: int,
    seed: int,
) -> Board:
    def means(of_people: FloatArray, of_machine: FloatArray | None) -> AssistedMeans:
        return assisted_means(of_people, of_machine, judged, queries=machine.shape[1], level=level, target=target)

    assisted, alone = means(people, machine), means(people, None)
    order = np.argsort(-assisted.estimate, kind="stable")
    on_same = np.where(np.isnan(people), np.nan, machine[:, judged])
    runs = tuple(
        RunEstimate(
            names[place],
            *_ends(assisted, place),
            float(assisted.weight[place]),
            Interval(*_ends(alone, place)),
            float(np.nanmean(on_same[place])) if np.isfinite(on_same[place]).any() else nan,
        )
        for place in order
    )
    differences: tuple[Difference, ...] = ()
    if len(names) > 1:
        first, second = np.array(list(combinations(order, 2))).T
        apart = means(people[first] - people[second], machine[first] - machine[second])
        apart_alone = means(people[first] - people[second], None)
        critical = of_all(apart.influence, level=level, draws=draws, seed=seed, counting=apart.counting)
        differences = tuple(
            _difference(names[first[place]], names[second[place]], apart, apart_alone, place, critical, target)
            for place in range(len(first))
        )
    return Board(measure, len(judged), machine.shape[1], runs, differences, *compared)


def _ends(means: AssistedMeans, place: int) -> tuple[float, float, float]:
    return float(means.estimate[place]), float(means.low[place]), float(means.high[place])


def _difference(
    first: str,
    second: str,
    means: AssistedMeans,
    alone: AssistedMeans,
    place: int,
    critical: float,
    target: Target,
) -> Difference:
    estimate, low, high = _ends(means, place)
    half = max(critical * float(means.error[place]), float(means.half_width[place]))
    settled = abs(estimate) > half or half == 0
    return Difference(
        first,
        second,
        estimate,
        low,
        high,
        (estimate - half, estimate + half),
        Interval(*_ends(alone, place)),
        None if settled else _more(estimate, low, high, half, means, target),
    )


def _more(estimate: float, low: float, high: float, half: float, means: AssistedMeans, target: Target) -> MoreQueries:
    """The half width goes with the square root of 1/n - 1/N, or of 1/n where all such queries are meant."""
    n, queries = means.judged, means.queries
    beyond = 0.0 if target == "such" else 1 / queries

    def needed(difference: float) -> int | None:
        found = queries_for(difference, half, judged=n, beyond=beyond)
        return None if found is None or n + found > queries else found

    farthest, nearest = max(abs(low), abs(high)), 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return MoreQueries(needed(farthest), needed(abs(estimate)), needed(nearest))


def queries_for(difference: float, half: float, *, judged: int, beyond: float) -> int | None:
    """How many more queries make an interval that has this half width now half as wide as this difference; None if no
    number does. Args: beyond: 1 / N where all N queries leave no width, 0 where none do."""
    inverse = max(0.0, difference) ** 2 * (1 / judged - beyond) / half**2 + beyond
    # 1 / (1 / 49) is a little more than 49.
    return max(1, ceil(1 / inverse - 1e-6) - judged) if inverse > 0 else None


def as_json(boards: Sequence[Board]) -> dict[str, Any]:
    """Boards as plain values: {"runs": {run: {measure: ...}}, "differences": {"A - B": {measure: ...}}, ...}."""
    runs: dict[str, dict[str, Any]] = {}
    differences: dict[str, dict[str, Any]] = {}
    for board in boards:
        for own in board.runs:
            runs.setdefault(own.run, {})[board.measure] = {
                key: value for key, value in asdict(own).items() if key != "run"
            }
        for apart in board.differences:
            # Every measure has its own order of the runs: one name for a pair, the sign as the name says.
            name, turned = f"{apart.first} - {apart.second}", f"{apart.second} - {apart.first}"
            key, figures = (turned, _turned(apart)) if turned in differences else (name, apart)
            differences.setdefault(key, {})[board.measure] = {
                "estimate": figures.estimate,
                "low": figures.low,
                "high": figures.high,
                "simultaneous": list(figures.simultaneous),
                "people_only": asdict(figures.people_only),
                "settled": figures.settled,
                "more_queries": asdict(figures.more) if figures.more else None,
            }
    return {
        "runs": runs,
        "differences": differences,
        "settled": {board.measure: board.in_words for board in boards},
        "queries": boards[0].queries if boards else 0,
        "judged_by_people": boards[0].judged if boards else 0,
        "machine_above_people": boards[0].machine_above if boards else None,
        "kappa": boards[0].kappa if boards else None,
        "pairs_by_both": boards[0].pairs if boards else 0,
    }


def _turned(apart: Difference) -> Difference:
    low, high = apart.simultaneous
    alone = apart.people_only
    return Difference(
        apart.second,
        apart.first,
        -apart.estimate,
        -apart.high,
        -apart.low,
        (-high, -low),
        Interval(-alone.estimate, -alone.high, -alone.low),
        apart.more,
    )
