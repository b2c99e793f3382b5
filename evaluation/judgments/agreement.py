"""Agreement of couples of judgments: kappas and alpha, with intervals that resample queries and workers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.reading.judgments import Judgments

DRAWS = 1_000
LEVEL = 0.95


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
    query: IntArray
    worker: IntArray
    grade: IntArray
    nth: IntArray
    weight: FloatArray
    queries: int
    workers: int
    grades: int

    def __len__(self) -> int:
        return len(self.query)

    def chosen(self, which: BoolArray) -> Couples:
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
    """Every two judgments of a pair, the earlier one first."""
    order = np.argsort(judgments.pair, kind="stable")
    sizes = np.bincount(judgments.pair, minlength=len(judgments.pair_ids))
    starts = np.cumsum(sizes) - sizes
    first, second, nth, weight = [], [], [], []
    for size in np.unique(sizes[sizes > 1]).tolist():
        begin = starts[sizes == size]
        for one, other in combinations(range(size), 2):
            first.append(order[begin + one])
            second.append(order[begin + other])
            nth.append(np.full((len(begin), 2), (one, other)))
            weight.append(np.full(len(begin), 1 / (size - 1)))
    nothing = [np.zeros(0, dtype=np.int64)]
    ends = np.stack([np.concatenate(first or nothing), np.concatenate(second or nothing)], axis=1)
    names: dict[str, int] = {}
    moments = judgments.moments or ()
    query = np.array([names.setdefault(moment[0], len(names)) for moment in moments] or [0] * len(sizes))
    return Couples(
        place=ends[:, 0],
        query=query[judgments.pair[ends[:, 0]]],
        worker=judgments.worker[ends],
        grade=judgments.grade[ends],
        nth=np.concatenate(nth or [np.zeros((0, 2), dtype=np.int64)]),
        weight=np.concatenate(weight or [np.zeros(0)]),
        queries=len(names),
        workers=len(judgments.workers),
        grades=top_grade + 1,
    )


def agreement(couples: Couples, *, draws: int = DRAWS, seed: int = 0, workers_too: bool = True) -> Agreement:
    """Agreement of the couples, with an interval of each figure.

    A draw takes as many queries, and as many workers, as there are, with replacement, and weighs each couple by how
    often its query and both workers were drawn. Pairs aren't drawn: those of one query are judged alike, and so are
    those of one worker. Without queries the workers alone are drawn.

    Args: workers_too: False for figures about given people, who aren't drawn.
    Source: Cohen 1960, 1968; Krippendorff, Content Analysis (2019), section 12.3; Owen, The pigeonhole
    bootstrap (2007).
    """
    size = couples.grades
    cell = couples.grade[:, 0] * size + couples.grade[:, 1]
    table = np.bincount(cell, couples.weight, size * size).astype(np.float64)
    observed = _figures(table.reshape(1, size, size))[:, 0]
    low, high = np.full((2, 4), np.nan)
    if len(couples) and draws and (workers_too or couples.queries > 1):
        drawn = _figures(_drawn(couples, cell, draws, np.random.default_rng(seed), workers_too=workers_too))
        for figure in range(4):
            known = drawn[figure][~np.isnan(drawn[figure])]
            if len(known) > draws / 2:
                low[figure], high[figure] = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    estimates = [Estimate(*map(float, row)) for row in zip(observed, low, high, strict=True)]
    return Agreement(len(couples), *estimates)


def _drawn(couples: Couples, cell: IntArray, draws: int, rng: np.random.Generator, *, workers_too: bool) -> FloatArray:
    """The couples' grades, first by second, in each draw: shape (draws, grades, grades)."""
    size, workers = couples.grades**2, couples.workers
    # Couples alike in all that is drawn are one row.
    key = ((couples.query * workers + couples.worker[:, 0]) * workers + couples.worker[:, 1]) * size + cell
    rows, place = np.unique(key, return_inverse=True)
    weight = np.bincount(place, couples.weight)
    rest, cells = np.divmod(rows, size)
    rest, other = np.divmod(rest, workers)
    query, one = np.divmod(rest, workers)
    counts = np.empty((draws, size))
    for draw in range(draws):
        times = weight
        if couples.queries:
            drawn = np.bincount(rng.integers(couples.queries, size=couples.queries), minlength=couples.queries)
            times = times * drawn[query]
        if workers_too:
            drawn = np.bincount(rng.integers(workers, size=workers), minlength=workers)
            times = times * np.where(one == other, drawn[one], drawn[one] * drawn[other])
        counts[draw] = np.bincount(cells, times, size)
    return counts.reshape(draws, couples.grades, couples.grades)


def _figures(counts: FloatArray) -> FloatArray:
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
