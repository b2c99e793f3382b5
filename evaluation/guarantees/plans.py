"""How many queries people have to judge for a difference worth finding, planned from a pilot; with a machine or not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import ceil
from statistics import NormalDist

import numpy as np

from ..arrays import FloatArray
from ..errors import EvaluationError
from ..guarantees.assisted_mean import FEWEST
from ..guarantees.board import values_per_query
from ..guarantees.critical_values import of_all
from ..guarantees.kappa import quadratic_kappa
from ..moments.ground_truth import GroundTruth
from ..moments.run import Prediction, Run
from ..scores.conventions import PAPER, Convention

POWER, LEVEL = 0.8, 0.95
TYPICAL, HARDEST = 0.5, 1.0
"""Which share of the pairs of systems a plan is for: half of them, or all."""
KAPPAS = (0.4, 0.6, 0.8)
LEAST = 1e-4
"""The smallest difference of two scores that is planned for: they are told to four places."""
DRAWS = 8
"""Times that a machine of a kappa is imitated."""
JUDGMENTS, SECONDS = 2.36, 19.0
"""TVR-Ranking's: 227,808 judgments of 96,483 pairs, in 1,200 hours."""
ASSUMED = (0.25, 0.15, 0.45)
"""By how much two systems' difference deviates between queries where nothing is known, usually, at least and at most:
between the six Charades-STA runs .19 to .44, between systems that differ little .17, by NDCG@10 and @20."""
EXPLAINED = ((0.0, 0.4, 0.6, 0.8, 0.95, 1.0), (0.0, 0.08, 0.16, 0.33, 0.66, 1.0))
"""Kappas of machines, and the share of that variance which one leaves out where nothing is known: of the drawn truth of
benchmarks/guarantees.py, where it is far less than on Charades-STA."""
IMITATED = (1.2, 1.45, 1.7, 1.95)
"""By how much noise on the grades systems are imitated for a pilot without any."""


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

    def planned(
        self, measure: str, share: float, kappa: float | None, needed: tuple[int, int, int], *, single: bool = False
    ) -> Planned:
        """A plan for these numbers of queries: likely, at least, at most. Args: single: one judgment a pair."""
        own = replace(self, judgments=1.0) if single else self
        hours = own.hours(needed[0])
        cost = None if own.pay is None else hours * own.pay
        return Planned(measure, share, kappa, needed[0], hours, cost, *needed[1:], own.pairs, own.judgments)


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan. `kappa`: the machine's, with quadratic weights, None for people alone. `share`: of the pairs of systems
    whose order is found, each with the power asked for. `queries`: for people to judge, `fewest` and `most` as the
    pilot's deviations, or the assumed ones, allow. `cost`: None if nobody is paid. `pairs` a query and `judgments` a
    pair: what it takes.
    """

    measure: str
    share: float
    kappa: float | None
    queries: int
    hours: float
    cost: float | None
    fewest: int
    most: int
    pairs: float
    judgments: float


@dataclass(frozen=True)
class Plan:
    """Plans for one smallest difference. `pilot`: its queries, 0 where deviations are assumed. `critical`: the critical
    value for all differences at once. `half_width`: what their intervals will have. `noise`: kappa -> by what noise on
    people's grades such a machine was imitated."""

    pilot: int
    smallest: float
    power: float
    level: float
    critical: dict[str, float]
    half_width: dict[str, float]
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
    single: GroundTruth | None = None,
    progress: Callable[[], object] = lambda: None,
) -> Plan:
    """Plan from a pilot, or from another collection with systems like those that are expected.

    A pair's order is found if its interval, which holds for all pairs at once, leaves 0 out; that happens with the
    probability `power` for a true difference of `smallest` from n = ((c + z) s / smallest)^2 queries on, with c the
    critical value of the largest t, z the normal quantile of the power, and s the deviation of the pair's difference
    between queries. A machine, which judges all queries, is imitated by noise on the pilot's grades until it has the
    kappa asked for; it leaves 1 - r^2 of the variance, r being the correlation of the differences by both. It is never
    followed by fewer than `FEWEST` queries of people. One judgment a pair in place of the rule takes n / r^2 queries,
    with r the correlation of the differences by the two.

    Args:
        pilot: judged by people. smallest: the difference of two scores that is worth finding. queries: how many the
        collection will have, if scores of these alone are meant; of all such queries if it isn't said. single: the
        pilot by the first judgment of each pair; with it, each plan is made for one judgment a pair, too. progress:
        called `DRAWS` times for each kappa.
    Raises: EvaluationError for one run, fewer than ten queries, runs that never differ, or as `refuse_unfit`.
    """
    refuse_unfit(smallest, kappas)
    if len(runs) < 2 or len(pilot) < 10:
        raise EvaluationError(
            f"runs and queries of the pilot: found {len(runs)} and {len(pilot)}, expected at least 2 and 10"
        )
    first, second = np.array(list(combinations(range(len(runs)), 2))).T

    def differences(grades: GroundTruth) -> FloatArray:
        values = np.array(values_per_query(grades, runs, measures, convention))
        return values[:, first] - values[:, second]

    apart = differences(pilot)
    counts = ~np.isnan(apart).any(axis=(0, 1))
    if counts.sum() < 10:
        raise EvaluationError(f"queries of the pilot with a value: found {counts.sum()}, expected at least 10")
    apart = apart[:, :, counts]

    def explained_by(grades: GroundTruth) -> FloatArray:
        return _explained(apart, np.nan_to_num(differences(grades)[:, :, counts]))

    noise = {kappa: noise_for(pilot, kappa, np.random.default_rng(seed)) for kappa in sorted(kappas)}
    if not apart.any():
        raise EvaluationError(f"{pilot.name}: the runs have the same scores on every query, so nothing can be planned")
    explained = {kappa: np.zeros(apart.shape[:2]) for kappa in noise}
    for draw in range(DRAWS):
        for kappa, spread in noise.items():
            # The same noise for every kappa, more of it or less, so that they compare.
            grades = noisy(pilot, spread, np.random.default_rng([seed, draw]))
            explained[kappa] += explained_by(pilot.with_grades(grades)) / DRAWS
            progress()
    # How far to trust the judgments: as the pilot's were made, and by one of each pair.
    trusted = [np.ones(apart.shape[:2]), *([] if single is None else [np.maximum(explained_by(single), 1e-3)])]
    critical: dict[str, float] = {}
    half_width: dict[str, float] = {}
    rows: list[Planned] = []
    for place, measure in enumerate(measures):
        own = apart[place]
        critical[measure] = of_all(own - own.mean(axis=1, keepdims=True), level=level, seed=seed)
        # The pilot's own few queries widened it; the plan is for many.
        quantile = min(critical[measure], _bonferroni(len(first), level))
        unit, half_width[measure] = _unit(quantile, power, smallest)
        planned = partial(effort.planned, measure)
        of_kappa = {kappa: shares[place] for kappa, shares in explained.items()}
        unit /= counts.mean()  # of the queries that people judge only these have a value
        for by_one, trust in enumerate(trusted):
            rows += _rows(partial(planned, single=by_one > 0), unit, own, trust[place], of_kappa, queries)
    return Plan(len(pilot), smallest, power, level, critical, half_width, noise, tuple(rows))


def _rows(
    planned: Callable[..., Planned],
    unit: float,
    apart: FloatArray,
    trust: FloatArray,
    explained: Mapping[float, FloatArray],
    queries: int | None,
) -> Iterator[Planned]:
    """A measure's plans: for half of the pairs and all, by people alone and with each machine."""
    variance, range_of = apart.var(axis=1, ddof=1), _of_so_few(apart.shape[1])
    for share in (TYPICAL, HARDEST):
        alone = _queries(unit, variance / trust, range_of, queries, share)
        yield planned(share, None, alone)
        least = np.zeros(len(variance))
        for kappa, share_explained in explained.items():
            # A better machine explains no less, whatever a few draws say.
            least = np.maximum(least, share_explained)
            needed = _queries(unit, variance / trust - variance * least, range_of, queries, share)
            yield planned(share, kappa, _with_machine(alone, needed))


def assumed_plan(
    measure: str,
    systems: int,
    *,
    smallest: float,
    effort: Effort,
    power: float = POWER,
    level: float = LEVEL,
    kappas: Sequence[float] = KAPPAS,
    queries: int | None = None,
) -> Plan:
    """Plan without any pilot, from what was seen elsewhere (`ASSUMED`, `EXPLAINED`), with its range; for all orders.

    Raises: EvaluationError for fewer than two systems, a kappa or a difference out of range.
    """
    refuse_unfit(smallest, kappas)
    if systems < 2:
        raise EvaluationError(f"found {systems} systems, expected at least 2")
    critical = _bonferroni(systems * (systems - 1) // 2, level)
    unit, half_width = _unit(critical, power, smallest)
    usual, least, most = (deviation**2 for deviation in ASSUMED)
    spread = (least / usual, most / usual)

    def needed(share_explained: float) -> tuple[int, int, int]:
        return _queries(unit, np.array([usual * (1 - share_explained)]), spread, queries, HARDEST)

    alone = needed(0.0)
    rows = [effort.planned(measure, HARDEST, None, alone)]
    for kappa in sorted(kappas):
        own = _with_machine(alone, needed(float(np.interp(kappa, *EXPLAINED))))
        rows.append(effort.planned(measure, HARDEST, kappa, own))
    return Plan(0, smallest, power, level, {measure: critical}, {measure: half_width}, {}, tuple(rows))


def imitated_runs(truth: GroundTruth, spreads: Sequence[float], rng: np.random.Generator) -> list[Run]:
    """Systems that rank each query's judged moments by grade and normal noise of these deviations."""
    return [
        Run.of(
            f"system {number}",
            (
                (
                    query_id,
                    [
                        Prediction(m.video_name, m.start, m.end, m.grade + spread * rng.standard_normal())
                        for m in moments
                    ],
                )
                for query_id, moments in truth.records().items()
            ),
        )
        for number, spread in enumerate(spreads, start=1)
    ]


def refuse_unfit(smallest: float, kappas: Sequence[float]) -> None:
    """Raises: EvaluationError for a difference that isn't between `LEAST` and 1, a kappa not above 0 or above 1."""
    if not LEAST <= smallest < 1:
        raise EvaluationError(f"found the smallest difference {smallest:g}, expected one between {LEAST:g} and 1")
    for kappa in kappas:
        if not 0 < kappa <= 1:
            raise EvaluationError(f"found the kappa {kappa:g}, expected one above 0 and at most 1")


def noisy(truth: GroundTruth, spread: float, rng: np.random.Generator) -> FloatArray:
    """People's grades with normal noise of this deviation, as whole grades."""
    drawn = truth.grade + spread * rng.standard_normal(len(truth.grade))
    grades: FloatArray = np.clip(np.rint(drawn), 0, float(truth.grade.max()))
    return grades


def noise_for(truth: GroundTruth, kappa: float, rng: np.random.Generator) -> float:
    """The deviation of noise with which grades agree with people's by about this kappa.

    Raises: EvaluationError if all grades are alike, so that no noise has a kappa.
    """
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


def _bonferroni(pairs: int, level: float) -> float:
    return NormalDist().inv_cdf(1 - (1 - level) / 2 / pairs)


def _unit(critical: float, power: float, smallest: float) -> tuple[float, float]:
    """Queries for a variance of 1, and half the width that intervals have then."""
    least = critical + NormalDist().inv_cdf(power)
    if least <= 0:
        raise EvaluationError(f"found the power {power:g}, expected one that needs judgments at all")
    return (least / smallest) ** 2, smallest * critical / least


def _of_so_few(queries: int) -> tuple[float, float]:
    """By how much a variance that so many queries show may be smaller or larger in truth (95 %), were values normal."""
    from scipy.special import chdtri  # slow to import, and commands that need none of it do without

    freedom = max(1, queries - 1)
    return freedom / float(chdtri(freedom, 0.025)), freedom / float(chdtri(freedom, 0.975))


def _queries(
    unit: float, variance: FloatArray, spread: tuple[float, float], queries: int | None, share: float
) -> tuple[int, int, int]:
    """Queries for people so that this share of the pairs is found: likely, at least, at most."""

    def needed(factor: float) -> int:
        inverse = np.full(len(variance), np.inf)
        np.divide(1 / unit, variance * factor, out=inverse, where=variance > 0)
        each = 1 / (inverse + (1 / queries if queries else 0.0))
        likely = max(2, ceil(float(np.quantile(each, share, method="higher"))))
        return min(likely, queries) if queries else likely

    return needed(1.0), needed(spread[0]), needed(spread[1])


def _with_machine(alone: tuple[int, int, int], needed: tuple[int, int, int]) -> tuple[int, int, int]:
    """A machine is followed from `FEWEST` queries on, and never costs more than people alone."""
    likely, fewest, most = (min(own, max(FEWEST, other)) for own, other in zip(alone, needed, strict=True))
    return likely, fewest, most
