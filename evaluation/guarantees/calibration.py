"""How a machine's grades lie beside people's: above or below them, how far they agree, how sure it may be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..errors import EvaluationError
from ..judgments.agreement import Estimate, figures_of_tables
from ..judgments.recalibration import recalibrated
from ..significance.resampling import TAIL, drawn_counts

DRAWS = 1_000
FEW = 20
"""Below so many queries an interval by drawing them again is narrower than it should be."""
SURENESS_BINS = 10

Groups = Mapping[str, tuple[Sequence[str], IntArray]]
"""What pairs are grouped by -> the groups' names, and each pair's place among them, shape (P,)."""


@dataclass(frozen=True, slots=True)
class Above:
    """By how many grades a machine is above people on some pairs, on average: below 0 where it is stricter."""

    name: str
    pairs: int
    queries: int
    above: Estimate


@dataclass(frozen=True, slots=True)
class Bin:
    """Pairs of which a machine says about the same: the mean of what it says, and of what people say."""

    said: float
    people: float
    pairs: int


@dataclass(frozen=True, slots=True)
class Beside:
    """A machine beside people.

    Attributes:
        above: by how many grades it is above them. kappa: Cohen's with quadratic weights.
        error: by how many grades people's mean is from what it expects, over bins of half a grade; 0 is calibrated.
        confusion: pairs by people's grade (row) and its own (column).
        by_grade: by people's grade. by_group: by what the pairs were grouped by. curve: the bins.
    """

    above: Estimate
    kappa: Estimate
    error: Estimate
    confusion: list[list[int]]
    by_grade: list[Above]
    by_group: dict[str, list[Above]]
    curve: list[Bin]


@dataclass(frozen=True, slots=True)
class Sureness:
    """How often a machine's likeliest grade is people's, beside how probable it says that is.

    `error`: the expected calibration error over ten bins of that probability; 0 is calibrated, and of few pairs it is
    above 0 by chance alone.
    """

    pairs: int
    error: Estimate
    curve: list[Bin]


@dataclass(frozen=True, slots=True)
class Calibration:
    """A machine on pairs that people decided, of which it was asked about all: on those of them that it `graded`.

    `abstained`: the share that it didn't. `raw`: as it graded; `recalibrated`: what it expects, moved to where people's
    grades lie (see `recalibrated`). None where it graded nothing, or nothing in a second query to learn from.
    `sureness`: None where it told no distributions.
    """

    pairs: int
    queries: int
    graded: int
    abstained: Estimate
    raw: Beside | None
    recalibrated: Beside | None
    sureness: Sureness | None

    @property
    def few(self) -> bool:
        """Whether intervals rest on fewer queries than they should."""
        return self.queries < FEW


def calibration(
    people: IntArray,
    machine: FloatArray,
    query: IntArray,
    *,
    top_grade: int,
    distribution: FloatArray | None = None,
    groups: Groups | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Calibration:
    """Compare a machine's grades with those that people decided on, with 95 % intervals.

    Intervals are percentiles over queries drawn again with replacement: pairs of one query are judged alike. There is
    none of one query.

    Args: people: shape (P,), 0 to top_grade. machine: shape (P,), its grades, NaN where it abstained. query: shape
        (P,), any numbers. distribution: shape (P, top_grade + 1), rows of NaN where it told none.
    Raises: EvaluationError where a grade is beyond the top one.
    Source: Guo et al., On Calibration of Modern Neural Networks (ICML 2017), of the calibration error; Cohen 1968.
    """
    size = top_grade + 1
    graded = ~np.isnan(machine)
    for grades in (people, machine[graded]):
        if len(grades) and (grades.min() < 0 or grades.max() > top_grade):
            raise EvaluationError(f"found the grades {grades.min():g} to {grades.max():g}, expected 0 to {top_grade}")
    sums = _Sums(query)
    asked = sums.of(np.zeros(len(people), dtype=np.int64), 1)
    abstained = sums.of(np.zeros(len(people), dtype=np.int64), 1, (~graded).astype(float))
    expected = machine
    sure: _SurenessSums | None = None
    if distribution is not None and not np.isnan(distribution).all():
        told: BoolArray = ~np.isnan(distribution[:, 0])
        expected = np.where(told, distribution @ np.arange(size), machine)
        sure = _SurenessSums(sums, people, distribution, told)
    compared = {"raw": _BesideSums(sums, people, machine, expected, graded, size, groups or {})}
    if len(np.unique(query[graded])) > 1:
        moved = recalibrated(np.where(graded, expected, 0.0), people.astype(float), query, graded)
        compared["recalibrated"] = _BesideSums(sums, people, moved, moved, graded, size, groups or {})
    sums.draw(draws, seed)
    found = {name: beside.figures() for name, beside in compared.items() if graded.any()}
    return Calibration(
        pairs=len(people),
        queries=sums.queries,
        graded=int(graded.sum()),
        abstained=sums.estimate(sums[abstained][:, 0], sums[asked][:, 0]),
        raw=found.get("raw"),
        recalibrated=found.get("recalibrated"),
        sureness=None if sure is None else sure.figures(),
    )


@dataclass
class _Sums:
    """Sums over the pairs of each query, collected, then of all queries and of the draws: row 0 is all queries."""

    query: IntArray
    _by_query: list[FloatArray] = field(default_factory=list)
    _drawn: list[FloatArray] = field(default_factory=list)

    def __post_init__(self) -> None:
        names, self.place = np.unique(self.query, return_inverse=True)
        self.queries = len(names)

    def of(self, code: IntArray, count: int, values: FloatArray | None = None, which: BoolArray | None = None) -> int:
        """Have values (or the pairs) summed by a code from 0 to count - 1; returns where `draw` puts the sums."""
        chosen = slice(None) if which is None else which
        cell = self.place[chosen] * count + code[chosen]
        weights = None if values is None else values[chosen]
        total = np.bincount(cell, weights, minlength=self.queries * count).astype(np.float64)
        self._by_query.append(total.reshape(self.queries, count))
        return len(self._by_query) - 1

    def draw(self, draws: int, seed: int) -> None:
        """Draw the queries again, the same ones for all sums; none of a single query."""
        ends = np.cumsum([block.shape[1] for block in self._by_query])[:-1]
        table = np.concatenate(self._by_query, axis=1)
        rows: Iterable[FloatArray] = drawn_counts(self.queries, draws=draws, seed=seed) if self.queries > 1 else ()
        drawn = np.concatenate([table.sum(axis=0, keepdims=True), *(counts @ table for counts in rows)])
        self._drawn = np.split(drawn, ends, axis=1)

    def __getitem__(self, place: int) -> FloatArray:
        return self._drawn[place]

    def queries_of(self, place: int) -> IntArray:
        """How many queries have something in each column."""
        counts: IntArray = (self._by_query[place] != 0).sum(axis=0)
        return counts

    def estimate(self, above: FloatArray, below: FloatArray | None = None) -> Estimate:
        """A figure of all and of the draws, or a ratio of two, as an estimate."""
        values = above if below is None else _ratio(above, below)
        drawn = values[1:][~np.isnan(values[1:])]
        if len(drawn) < 2 or len(drawn) <= (len(values) - 1) / 2:
            return Estimate(float(values[0]))
        low, high = np.quantile(drawn, [TAIL, 1 - TAIL])
        return Estimate(float(values[0]), float(low), float(high))


class _BesideSums:
    """The sums that `Beside` follows from."""

    def __init__(
        self,
        sums: _Sums,
        people: IntArray,
        said: FloatArray,
        expected: FloatArray,
        graded: BoolArray,
        size: int,
        groups: Groups,
    ) -> None:
        self.sums, self.size = sums, size
        known = np.where(graded, said, 0.0)
        rounded = np.floor(known + 0.5).astype(np.int64)
        self.table = sums.of(people * size + rounded, size * size, which=graded)
        apart: FloatArray = known - people
        by = {"": ([str(grade) for grade in range(size)], people), **groups}
        self.groups = {
            name: (labels, sums.of(code, len(labels), which=graded), sums.of(code, len(labels), apart, graded))
            for name, (labels, code) in by.items()
        }
        self.curve = _CurveSums(
            sums,
            np.floor(2 * np.where(graded, expected, 0.0) + 0.5).astype(np.int64),
            2 * size,
            expected,
            people,
            graded,
        )

    def figures(self) -> Beside:
        sums, size = self.sums, self.size
        tables = sums[self.table].reshape(-1, size, size)
        pairs, apart = (sums[place] for place in self.groups[""][1:])
        rows = {name: self._rows(*group) for name, group in self.groups.items()}
        return Beside(
            above=sums.estimate(apart.sum(axis=1), pairs.sum(axis=1)),
            kappa=sums.estimate(figures_of_tables(tables)[2]),
            error=self.curve.error(),
            confusion=tables[0].astype(int).tolist(),
            by_grade=rows.pop(""),
            by_group=rows,
            curve=self.curve.bins(),
        )

    def _rows(self, labels: Sequence[str], pairs: int, apart: int) -> list[Above]:
        sums = self.sums
        queries = sums.queries_of(pairs)
        return [
            Above(
                label,
                int(sums[pairs][0, at]),
                int(queries[at]),
                sums.estimate(sums[apart][:, at], sums[pairs][:, at]),
            )
            for at, label in enumerate(labels)
            if queries[at]
        ]


class _CurveSums:
    """Pairs by bins of what is said of them, beside what is."""

    def __init__(
        self, sums: _Sums, code: IntArray, count: int, said: FloatArray, true: FloatArray | IntArray, which: BoolArray
    ) -> None:
        self.sums = sums
        self.pairs = sums.of(code, count, which=which)
        self.said = sums.of(code, count, said, which)
        self.true = sums.of(code, count, true.astype(float), which)

    def error(self) -> Estimate:
        """The mean distance of a bin's two means, bins weighed by their pairs."""
        apart = np.abs(self.sums[self.said] - self.sums[self.true]).sum(axis=1)
        return self.sums.estimate(apart, self.sums[self.pairs].sum(axis=1))

    def bins(self) -> list[Bin]:
        columns = (self.sums[place][0].tolist() for place in (self.said, self.true, self.pairs))
        return [
            Bin(said / pairs, true / pairs, int(pairs)) for said, true, pairs in zip(*columns, strict=True) if pairs
        ]


class _SurenessSums:
    """The sums that `Sureness` follows from."""

    def __init__(self, sums: _Sums, people: IntArray, distribution: FloatArray, told: BoolArray) -> None:
        known = np.where(told[:, None], distribution, 0.0)
        sure = known.max(axis=1)
        bins = np.minimum((sure * SURENESS_BINS).astype(np.int64), SURENESS_BINS - 1)
        self.pairs = int(told.sum())
        self.curve = _CurveSums(sums, bins, SURENESS_BINS, sure, known.argmax(axis=1) == people, told)

    def figures(self) -> Sureness:
        return Sureness(self.pairs, self.curve.error(), self.curve.bins())


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    ratio: FloatArray = np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0)
    return ratio
