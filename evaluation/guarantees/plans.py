"""How many queries people have to judge for a difference worth finding, planned from a pilot; with a machine or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil
from statistics import NormalDist

import numpy as np

from evaluation.arrays import FloatArray
from evaluation.errors import EvaluationError
from evaluation.guarantees.critical_values import of_all
from evaluation.guarantees.kappa import quadratic_kappa
from evaluation.moments.ground_truth import GroundTruth
from evaluation.moments.run import Run
from evaluation.scores.conventions import PAPER, Convention
from evaluation.scores.score_table import score_table

POWER, LEVEL = 0.8, 0.95
TYPICAL, HARDEST = 0.5, 1.0
"""Which share of the pairs of systems a plan is for: half of them, or all."""
KAPPAS = (0.4, 0.6, 0.8)
DRAWS = 8
"""Times that a machine of a kappa is imitated."""
JUDGMENTS, SECONDS = 2.36, 19.0
"""TVR-Ranking's: 227,808 judgments of 96,483 pairs, in 1,200 hours."""


@dataclass(frozen=True, slots=True)
class Effort:
    """What judging a query takes: pairs, judgments a pair, seconds a judgment, an hour's pay if it is paid."""

    pairs: float
    judgments: float = JUDGMENTS
    seconds: float = SECONDS
    pay: float | None = None

    def hours(self, queries: int) -> float:
        """Hours at work for so many queries."""
        return queries * self.pairs * self.judgments * self.seconds / 3600


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan. `kappa`: the machine's, with quadratic weights, None for people alone. `share`: of the pairs of systems
    whose order is found, each with the power asked for. `queries`: for people to judge. `cost`: None if nobody is paid.
    """

    measure: str
    share: float
    kappa: float | None
    queries: int
    hours: float
    cost: float | None


@dataclass(frozen=True)
class Plan:
    """Plans for one smallest difference. `critical`: the critical value for all differences at once. `noise`: kappa ->
    by what noise on people's grades such a machine was imitated."""

    pilot: int
    smallest: float
    power: float
    level: float
    critical: dict[str, float]
    noise: dict[float, float]
    rows: tuple[Planned, ...]


def plan(
    pilot: GroundTruth,
    runs: Sequence[Run],
    measures: Sequence[str],
    *,
    smallest: float,
    effort: Effort,
    power: float = POWER,
    level: float = LEVEL,
    kappas: Sequence[float] = KAPPAS,
    queries: int | None = None,
    seed: int = 0,
    convention: Convention = PAPER,
) -> Plan:
    """Plan from a pilot, or from another collection with systems like those that are expected.

    A pair's order is found if its interval, which holds for all pairs at once, leaves 0 out; that happens with the
    probability `power` for a true difference of `smallest` from n = ((c + z) s / smallest)^2 queries on, with c the
    critical value of the largest t, z the normal quantile of the power, and s the deviation of the pair's difference
    between queries. A machine, which judges all queries, is imitated by noise on the pilot's grades until it has the
    kappa asked for; it leaves 1 - r^2 of the variance, r being the correlation of the differences by both.

    Args:
        pilot: judged by people. smallest: the difference of two scores that is worth finding. queries: how many the
        collection will have, if scores of these alone are meant; of all such queries if it isn't said.
    Raises: EvaluationError for one run, fewer than ten queries, or a difference that isn't between 0 and 1.
    """
    if not 0 < smallest < 1:
        raise EvaluationError(f"found the smallest difference {smallest:g}, expected one between 0 and 1")
    if len(runs) < 2 or len(pilot) < 10:
        raise EvaluationError(
            f"runs and queries of the pilot: found {len(runs)} and {len(pilot)}, expected at least 2 and 10"
        )
    scores = score_table(pilot, runs, measures, convention=convention)
    noise = {kappa: noise_for(pilot, kappa, np.random.default_rng(seed)) for kappa in sorted(kappas)}
    first, second = np.array(list(combinations(range(len(runs)), 2))).T
    explained = {kappa: np.zeros((len(scores.measures), len(first))) for kappa in noise}
    for draw in range(DRAWS):
        for kappa, spread in noise.items():
            # The same noise for every kappa, more of it or less, so that they compare.
            grades = noisy(pilot, spread, np.random.default_rng([seed, draw]))
            values = score_table(pilot.with_grades(grades), runs, measures, convention=convention).values
            explained[kappa] += _explained(
                scores.values[:, first] - scores.values[:, second], values[:, first] - values[:, second]
            )
    critical: dict[str, float] = {}
    rows: list[Planned] = []
    for place, measure in enumerate(scores.measures):
        apart = scores.values[place][first] - scores.values[place][second]
        critical[measure] = of_all(apart - apart.mean(axis=1, keepdims=True), level=level, seed=seed)
        # The pilot's own few queries widened it; the plan is for many.
        normal = NormalDist()
        quantile = min(critical[measure], normal.inv_cdf(1 - (1 - level) / 2 / len(first)))
        unit = ((quantile + normal.inv_cdf(power)) / smallest) ** 2
        deviation = apart.std(axis=1, ddof=1)
        for share in (TYPICAL, HARDEST):
            least = np.zeros(len(first))
            alone = _queries(unit, deviation, least, queries, share)
            rows.append(_planned(measure, share, None, alone, effort))
            for kappa in noise:
                # A better machine explains no less, whatever a few draws say.
                least = np.maximum(least, explained[kappa][place] / DRAWS)
                needed = _queries(unit, deviation, least, queries, share)
                rows.append(_planned(measure, share, kappa, needed, effort))
    return Plan(len(pilot), smallest, power, level, critical, noise, tuple(rows))


def noisy(truth: GroundTruth, spread: float, rng: np.random.Generator) -> FloatArray:
    """People's grades with normal noise of this deviation, as whole grades."""
    drawn = truth.grade + spread * rng.standard_normal(len(truth.grade))
    grades: FloatArray = np.clip(np.rint(drawn), 0, float(truth.grade.max()))
    return grades


def noise_for(truth: GroundTruth, kappa: float, rng: np.random.Generator) -> float:
    """The deviation of noise with which grades agree with people's by about this kappa.

    Raises: EvaluationError if kappa isn't in (0, 1], or all grades are alike, so that no noise has a kappa.
    """
    if not 0 < kappa <= 1:
        raise EvaluationError(f"found the kappa {kappa:g}, expected one above 0 and at most 1")
    if np.ptp(truth.grade) == 0:
        raise EvaluationError(f"{truth.name}: all grades are {truth.grade[0]:g}, so no agreement can be imitated")
    state = rng.bit_generator.state
    low, high = 0.0, 20.0 * float(truth.grade.max())
    for _ in range(40):
        middle = (low + high) / 2
        rng.bit_generator.state = state
        if quadratic_kappa(truth.grade, noisy(truth, middle, rng)) >= kappa:
            low = middle
        else:
            high = middle
    return low


def _explained(people: FloatArray, machine: FloatArray) -> FloatArray:
    """The share of each difference's variance that the machine explains, adjusted for so few queries: shape
    (measures, pairs)."""
    own, other = (values - values.mean(axis=2, keepdims=True) for values in (people, machine))
    together = np.einsum("mij,mij->mi", own, other) ** 2
    spread = np.einsum("mij,mij->mi", own, own) * np.einsum("mij,mij->mi", other, other)
    raw = np.divide(together, spread, out=np.zeros_like(spread), where=spread > 0)
    queries = people.shape[2]
    share: FloatArray = np.maximum(1 - (1 - raw) * (queries - 1) / max(1, queries - 2), 0.0)
    return share


def _queries(unit: float, deviation: FloatArray, explained: FloatArray, queries: int | None, share: float) -> int:
    """Queries for people so that this share of the pairs is found."""
    inverse = np.full(len(deviation), np.inf)
    variance = deviation**2 * (1 - explained)
    np.divide(1 / unit, variance, out=inverse, where=variance > 0)
    needed = 1 / (inverse + (1 / queries if queries else 0.0))
    return max(2, ceil(float(np.quantile(needed, share, method="higher"))))


def _planned(measure: str, share: float, kappa: float | None, queries: int, effort: Effort) -> Planned:
    hours = effort.hours(queries)
    cost = None if effort.pay is None else hours * effort.pay
    return Planned(measure, share, kappa, queries, hours, cost)
