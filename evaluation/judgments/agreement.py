"""Agreement of couples of judgments: kappas and alpha, with intervals that resample queries and workers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..arrays import BoolArray, FloatArray, IntArray
from ..reading.judgments import Judgments

DRAWS = 1_000
LEVEL = 0.95
MOST_COMPARED = 12
"""Judgments of a pair, the first ones, of which each two are compared: of n there are n (n - 1) / 2 couples."""
MOST_DRAWN = 200_000_000
"""Queries, or workers, in all draws."""
AT_ONCE = 4_000_000
"""Numbers of a table that is worked on at once."""

CountArray = NDArray[np.uint8]
SmallArray = NDArray[np.int8 | np.int32]
"""Of few bytes a number, since there are several couples a judgment."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure of at most 1, and the middle 95 % of it over the draws; NaN where undefined."""

    value: float
    low: float = np.nan
    high: float = np.nan


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of so many couples of judgments: 1 is perfect, 0 what chance gives.

    `kappa`, `linear`, `quadratic`: Cohen's, by weights of the difference. `alpha`: Krippendorff's for ordinal grades.
    """

    couples: int
    kappa: Estimate
    linear: Estimate
    quadratic: Estimate
    alpha: Estimate


@dataclass(frozen=True, eq=False)
class Couples:
    """Two judgments of one pair each.

    Attributes (C couples): place: of the earlier one, in the file. query: the pair's, 0 throughout if it isn't known.
    worker, grade, nth: shape (C, 2), who, the grade, and which judgment of its pair it is, from 0. weight:
    1 / (judgments of the pair - 1). queries, workers, grades: how many there are in all.
    """

    place: IntArray
    query: SmallArray
    worker: SmallArray
    grade: SmallArray
    nth: SmallArray
    weight: FloatArray
    queries: int
    workers: int
    grades: int

    def __len__(self) -> int:
        return len(self.query)

    def chosen(self, which: BoolArray | IntArray) -> Couples:
        """Some of them."""
        columns = ("place", "query", "worker", "grade", "nth", "weight")
        return replace(self, **{name: getattr(self, name)[which] for name in columns})

    def of_worker(self, worker: int) -> Couples:
        """Those of one worker with others, whose own grade comes first."""
        own = self.chosen((self.worker == worker).any(axis=1) & (self.worker[:, 0] != self.worker[:, 1]))
        turned = (own.worker[:, 0] != worker)[:, None]
        return replace(
            own,
            worker=np.where(turned, own.worker[:, ::-1], own.worker),
            grade=np.where(turned, own.grade[:, ::-1], own.grade),
            nth=np.where(turned, own.nth[:, ::-1], own.nth),
            weight=np.ones(len(own)),
        )

    @property
    def of_one_id(self) -> BoolArray:
        """Which are of one worker's id twice: shape (C,)."""
        same: BoolArray = self.worker[:, 0] == self.worker[:, 1]
        return same


def couples_of(judgments: Judgments, top_grade: int) -> Couples:
    """Every two of a pair's first `MOST_COMPARED` judgments, the earlier one first."""
    order = np.argsort(judgments.pair, kind="stable")
    sizes = np.bincount(judgments.pair, minlength=len(judgments.pair_ids))
    starts = np.cumsum(sizes) - sizes
    compared = np.minimum(sizes, MOST_COMPARED)
    first, second, nth, weight = [], [], [], []
    for size in np.unique(compared[compared > 1]).tolist():
        begin = starts[compared == size]
        for one, other in combinations(range(size), 2):
            first.append(order[begin + one])
            second.append(order[begin + other])
            nth.append(np.full((len(begin), 2), (one, other), dtype=np.int8))
            weight.append(np.full(len(begin), 1 / (size - 1)))
    nothing = [np.zeros(0, dtype=np.int64)]
    ends = np.stack([np.concatenate(first or nothing), np.concatenate(second or nothing)], axis=1)
    names: dict[str | int, int] = {}
    # A pair whose query isn't known is a query of its own.
    queries = [moment[0] if moment else pair for pair, moment in enumerate(judgments.moments or ())]
    query = np.array([names.setdefault(name, len(names)) for name in queries] or [0] * len(sizes))
    return Couples(
        place=ends[:, 0],
        query=query[judgments.pair[ends[:, 0]]].astype(np.int32),
        worker=judgments.worker[ends].astype(np.int32),
        grade=judgments.grade[ends].astype(np.int8),
        nth=np.concatenate(nth or [np.zeros((0, 2), dtype=np.int8)]),
        weight=np.concatenate(weight or [np.zeros(0)]),
        queries=len(names),
        workers=len(judgments.workers),
        grades=top_grade + 1,
    )


@dataclass(frozen=True, eq=False)
class Draws:
    """How often each query and worker is drawn: shapes (queries, draws) and (workers, draws)."""

    queries: CountArray
    workers: CountArray

    def __len__(self) -> int:
        return int(self.workers.shape[1])


def draws_for(couples: Couples, draws: int = DRAWS, seed: int = 0) -> Draws:
    """Draw as many queries, and as many workers, as there are, with replacement, so many times; of so many that
    `MOST_DRAWN` would be passed, fewer times. Where no query is known, its one row is drawn once each time."""
    rng = np.random.default_rng(seed)
    draws = min(draws, MOST_DRAWN // max(couples.queries, couples.workers, 1))

    def drawn(number: int) -> CountArray:
        counts = np.empty((number, draws), dtype=np.uint8)
        for draw in range(draws):
            counts[:, draw] = np.bincount(rng.integers(number, size=number), minlength=number)
        return counts

    return Draws(drawn(max(couples.queries, 1)), drawn(couples.workers))


def agreement(couples: Couples, draws: Draws | None = None, *, workers_too: bool = True) -> Agreement:
    """Agreement of the couples, with an interval of each figure.

    A draw weighs each couple by how often its query and both workers were drawn. Pairs aren't drawn: those of one query
    are judged alike, and so are those of one worker. Without queries the workers alone are drawn.

    Args: draws: by default `draws_for` the couples. workers_too: False for figures about given people, not drawn.
    Source: Cohen 1960, 1968; Krippendorff, Content Analysis (2019), section 12.3; Owen, The pigeonhole
    bootstrap (2007).
    """
    size = couples.grades
    cell = couples.grade[:, 0].astype(np.int64) * size + couples.grade[:, 1]
    table = np.bincount(cell, couples.weight, size * size).astype(np.float64)
    observed = figures_of_tables(table.reshape(1, size, size))[:, 0]
    low, high = np.full((2, 4), np.nan)
    draws = draws_for(couples) if draws is None else draws
    if len(couples) and len(draws) and (workers_too or couples.queries > 1):
        drawn = figures_of_tables(_drawn(couples, cell, draws, workers_too=workers_too))
        for figure in range(4):
            known = drawn[figure][~np.isnan(drawn[figure])]
            if len(known) > len(draws) / 2:
                low[figure], high[figure] = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    estimates = [Estimate(*map(float, row)) for row in zip(observed, low, high, strict=True)]
    return Agreement(len(couples), *estimates)


def _drawn(couples: Couples, cell: IntArray, draws: Draws, *, workers_too: bool) -> FloatArray:
    """The couples' grades, first by second, in each draw: shape (draws, grades, grades)."""
    from scipy.sparse import csr_array

    size, workers = couples.grades**2, couples.workers
    # A row for each cell and two workers, by cell; a column for each query. Couples alike in all that is drawn are one.
    who = couples.worker[:, 0].astype(np.int64) * workers + couples.worker[:, 1] if workers_too else 0
    rows, place = np.unique(cell * workers**2 + who, return_inverse=True)
    cells, who_of = np.divmod(rows, workers**2)
    one, other = np.divmod(who_of, workers)
    same = (one == other)[:, None]
    shape = (len(rows), len(draws.queries))
    weights = csr_array((couples.weight, (place, couples.query)), shape=shape)
    present, begins = np.unique(cells, return_index=True)
    counts = np.zeros((size, len(draws)))
    step = max(1, AT_ONCE // max(shape))
    for start in range(0, len(draws), step):
        drawn = slice(start, start + step)
        times = weights @ draws.queries[:, drawn].astype(np.float64)
        if workers_too:
            first, second = draws.workers[one, drawn], draws.workers[other, drawn]
            times *= first * np.where(same, 1.0, second)
        counts[present, drawn] = np.add.reduceat(times, begins, axis=0)
    return counts.T.reshape(len(draws), couples.grades, couples.grades)


def figures_of_tables(counts: FloatArray) -> FloatArray:
    """Kappa unweighted, linear and quadratic, and alpha, of tables of grades: (n, G, G) -> (4, n); NaN if undefined."""
    grades = np.arange(counts.shape[1])
    apart = np.abs(grades[:, None] - grades[None, :])
    total = counts.sum(axis=(1, 2))
    chance = counts.sum(axis=2)[:, :, None] * counts.sum(axis=1)[:, None, :]
    both = counts + counts.transpose(0, 2, 1)
    times = both.sum(axis=2)
    # The ordinal distance of c <= k: all grades given from c to k, the two ends counted half, squared.
    below = np.cumsum(times, axis=1) - times / 2
    distance = (below[:, :, None] - below[:, None, :]) ** 2
    values = times.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        kappas = [
            1 - total * (counts * cost).sum(axis=(1, 2)) / (chance * cost).sum(axis=(1, 2))
            for cost in ((apart > 0).astype(float), apart.astype(float), apart.astype(float) ** 2)
        ]
        expected = (times[:, :, None] * times[:, None, :] * distance).sum(axis=(1, 2))
        alpha = 1 - (values - 1) * (both * distance).sum(axis=(1, 2)) / expected
    figures = np.array([*kappas, alpha])
    return np.where(np.isfinite(figures), figures, np.nan)
