"""Scores of runs where people judged a sample drawn with known probabilities: queries, their pairs, or both."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, NamedTuple

import numpy as np

from ..arrays import FloatArray, IntArray
from ..errors import EvaluationError, shown
from ..guarantees.critical_values import student
from ..guarantees.sampled_measures import SampledMeasure, SampledQuery, sampled_measure
from ..measures.measure import DEEPEST
from ..moments.alignment import align
from ..moments.ground_truth import GroundTruth, JudgedMoment
from ..moments.run import Run
from ..reading.sampling import Sampling, Stratum
from ..scores.scoring import evaluate

LEVEL = 0.95


class Estimate(NamedTuple):
    """An estimate and its variance; NaN where the sample can't say it."""

    value: float
    variance: float


@dataclass(frozen=True)
class SampledScore:
    """A run's mean over the queries by one measure, with its interval; `low` and `high` are NaN where the sample can't
    say them. `per_query`: by query_id; `queries` of `frame` are those that were judged."""

    run: str
    measure: str
    estimate: float
    error: float
    low: float
    high: float
    queries: int
    frame: int
    per_query: Mapping[str, Estimate]


class Frame:
    """The pairs that could be drawn, with the grades of those that were judged.

    Attributes (N pairs, query by query as the ground truth has them): pairs: the frame as a ground truth in which
    nothing is known of grades, so that what a prediction takes doesn't follow from what was drawn. grade: shape (N,),
    NaN where nobody judged. stratum: shape (N,), places in `strata`.
    """

    def __init__(self, truth: GroundTruth, sampling: Sampling) -> None:
        """Raises: EvaluationError for a judged query or moment that isn't in the sampling."""
        self.truth, self.sampling = truth, sampling
        frames = [units for units in (sampling.queries, sampling.pairs) if units]
        lacking = [query_id for query_id in truth.query_ids if any(query_id not in units for units in frames)]
        if lacking:
            raise EvaluationError(
                f"{truth.name}: found query_id {shown(lacking[0])} and {len(lacking) - 1:,} more that aren't in "
                f"{sampling.name}, expected queries that could be drawn"
            )
        grades: list[float] = []
        codes: dict[tuple[str, str], int] = {}
        self.strata: list[Stratum] = []
        stratum: list[int] = []
        frame: list[tuple[str, list[JudgedMoment]]] = []
        for query_id, judged in truth.records().items():
            of_query = {(query_id, own.video_name, own.start, own.end): own.grade for own in judged}
            units = sampling.pairs.get(query_id)
            if units is None:  # the query was judged whole
                units = dict.fromkeys(of_query, Stratum("", max(1, len(of_query)), len(of_query)))
            strangers = [moment for moment in of_query if moment not in units]
            if strangers:
                _, video, start, end = strangers[0]
                raise EvaluationError(
                    f"{truth.name}, query_id {query_id}: found {video} [{start:g}, {end:g}] with a grade, "
                    f"expected pairs that {sampling.name} has"
                )
            for moment, own in units.items():
                code = codes.setdefault((query_id, own.name), len(codes))
                if code == len(self.strata):
                    self.strata.append(own)
                stratum.append(code)
                grades.append(of_query.get(moment, nan))
            frame.append((query_id, [JudgedMoment(video, start, end, 0.0) for _, video, start, end in units]))
        self.pairs = GroundTruth.of(frame, name=sampling.name)
        self.grade: FloatArray = np.array(grades, dtype=np.float64)
        self.stratum: IntArray = np.array(stratum, dtype=np.int64)
        self._refuse_undrawn(codes)
        self._weights: dict[int, tuple[FloatArray, FloatArray, bool]] = {}

    def _refuse_undrawn(self, codes: Mapping[tuple[str, str], int]) -> None:
        """Raises: EvaluationError where more was judged than drawn: that isn't a sample with these probabilities."""
        judged = np.bincount(self.stratum[~np.isnan(self.grade)], minlength=len(self.strata))
        queries = Counter(self.sampling.queries[query_id] for query_id in self.truth.query_ids if self.sampling.queries)
        counts = [
            (f" of query_id {query_id}", self.strata[code], int(judged[code])) for (query_id, _), code in codes.items()
        ]
        for of, stratum, count in [*counts, *(("", stratum, count) for stratum, count in queries.items())]:
            if count > stratum.drawn:
                raise EvaluationError(
                    f"{self.truth.name}: found {count:,} with a grade in stratum {stratum.name!r}{of}, "
                    f"expected at most the {stratum.drawn:,} drawn that {self.sampling.name} says"
                )

    @property
    def judged(self) -> int:
        """How many pairs were judged."""
        return int((~np.isnan(self.grade)).sum())

    @property
    def drawn(self) -> int:
        """How many pairs were drawn."""
        return sum(stratum.drawn for stratum in self.strata)

    @property
    def queries(self) -> tuple[int, int, int]:
        """Where queries were drawn, how many were judged and drawn of the strata of which some were judged, and how
        many there are in the other strata."""
        strata = {own.name: own for own in self.sampling.queries.values()}
        of = {self.sampling.queries[query_id].name for query_id in self.truth.query_ids if strata}
        drawn = sum(strata[name].drawn for name in of)
        return len(self.truth) if strata else 0, drawn, sum(own.size for own in strata.values() if own.name not in of)

    def weights(self, query: int) -> tuple[FloatArray, FloatArray, bool]:
        """How many pairs each pair of a query stands for, shape (1 + replicates, N): by all judged, then without one of
        them each; what each replicate's squared distance adds to the variance; whether that is all of it.

        The replicates are those of the stratified jackknife with the finite population's correction: of a total its
        variance is the textbook's. NaN in the first row: a stratum of which nothing is judged.
        """
        if query not in self._weights:
            self._weights[query] = self._weigh(query)
        return self._weights[query]

    def _weigh(self, query: int) -> tuple[FloatArray, FloatArray, bool]:
        own = slice(int(self.pairs.offset[query]), int(self.pairs.offset[query + 1]))
        judged, stratum = ~np.isnan(self.grade[own]), self.stratum[own]
        base = np.zeros(len(stratum))
        rows: list[FloatArray] = []
        factors: list[float] = []
        whole = True
        for code in np.unique(stratum):
            here, size = stratum == code, self.strata[code].size
            seen = np.flatnonzero(here & judged)
            base[seen if len(seen) else here] = size / len(seen) if len(seen) else nan
            whole &= len(seen) > 1 or len(seen) == size
            if 1 < len(seen) < size:
                for place in seen:
                    row = np.full(len(stratum), nan)
                    row[seen] = size / (len(seen) - 1)
                    row[place] = 0.0
                    rows.append(row)
                factors += [(1 - len(seen) / size) * (len(seen) - 1) / len(seen)] * len(seen)
        table = np.array([base, *(np.where(np.isnan(row), base, row) for row in rows)])
        return table, np.array(factors), whole and not np.isnan(base).any()

    def values(self, run: Run, measure: SampledMeasure) -> list[Estimate]:
        """The measure's estimate and its variance for each query of the ground truth; NaN where there is none: nothing
        of a stratum was judged, or nothing relevant is among the judged and the measure is a share of the relevant.

        Raises: EvaluationError for a run that answers none of them, or that ranks videos without times.
        """
        if run.ranks_videos:
            raise EvaluationError(f"{run.name} ranks videos without times; {measure} needs moments")
        if run.query_ids and not any(query_id in self.truth.index for query_id in run.query_ids):
            raise EvaluationError(f"{run.name}: none of its {len(run.query_ids):,} query ids is in {self.truth.name}")
        found: list[Estimate] = []
        grade = np.nan_to_num(self.grade)
        rank = np.full(len(grade), DEEPEST, dtype=np.int64)
        for block in align(self.pairs, run):
            prediction, moment = block.taken(measure.iou)
            rank[moment] = block.rank[prediction]
        for query in range(len(self.pairs)):
            own = slice(int(self.pairs.offset[query]), int(self.pairs.offset[query + 1]))
            weights, factors, whole = self.weights(query)
            order = np.argsort(rank[own], kind="stable")
            pairs = SampledQuery(rank[own][order], grade[own][order], self.stratum[own][order])
            if np.isnan(weights[0]).any() or measure.says_nothing(pairs, weights[0, order]):
                found.append(Estimate(nan, nan))
                continue
            value, *others = measure.of(pairs, weights[:, order])
            variance = float(factors @ (np.array(others) - value) ** 2) if others else 0.0
            found.append(Estimate(float(value), variance if whole else nan))
        return found


def scores(
    frame: Frame,
    runs: Sequence[Run],
    measures: Sequence[str],
    *,
    level: float = LEVEL,
) -> list[SampledScore]:
    """Estimate each run's mean over the queries by each measure, run by run.

    Where pairs were drawn, measures are those of `sampled_measure`; where queries were judged whole, any measure of
    this library as well. A drawn pair without a grade counts as missing at random among the drawn of its stratum.

    Raises: EvaluationError for a measure that can't be estimated, and as `evaluate`.
    """
    found: list[SampledScore] = []
    for run in runs:
        for name in measures:
            title, values = _values(frame, run, name)
            per_query = dict(zip(frame.truth.query_ids, values, strict=True))
            found.append(_mean(frame, run.name, title, per_query, level))
    return found


def _values(frame: Frame, run: Run, name: str) -> tuple[str, list[Estimate]]:
    try:
        measure = sampled_measure(name)
    except EvaluationError:
        if frame.sampling.pairs:
            raise
    else:
        # Of queries judged whole it is the library's own, which counts 0 where nothing is relevant.
        if frame.sampling.pairs or measure.name != "NDCG":
            return str(measure), frame.values(run, measure)
        name = str(measure)
    (record,) = evaluate(frame.truth, [run], [name])
    if record.per_query is None:
        raise EvaluationError(f"{record.measure} has no value for each query, an estimate needs them")
    return record.measure, [Estimate(value, 0.0) for value in record.per_query.tolist()]


def _mean(frame: Frame, run: str, measure: str, per_query: Mapping[str, Estimate], level: float) -> SampledScore:
    """The mean over the frame's queries that have a value: of each stratum of queries the mean, by as many of its
    queries as are estimated to have one. Its variance is that of drawing queries, and that of drawing pairs in them.

    Source: Särndal, Swensson and Wretman, Model Assisted Survey Sampling (1992), 4.3 and 10.3.
    """
    drawn = frame.sampling.queries
    whole = Stratum("", len(per_query), len(per_query))
    groups: dict[Stratum, list[Estimate]] = defaultdict(list)
    for query_id, estimate in per_query.items():
        groups[drawn.get(query_id, whole)].append(estimate)
    weights: list[float] = []
    parts: list[tuple[float, float]] = []
    counted = freedom = 0
    for stratum, estimates in groups.items():
        known = np.array([own for own in estimates if not np.isnan(own.value)]).reshape(-1, 2)
        if not len(known):
            continue
        value, own = known.T
        spread = float(value.var(ddof=1)) if len(value) > 1 else nan
        seen = len(estimates) / stratum.size
        # What a sample of one pair can't say is taken to be as much as all that queries differ by.
        within = float(np.where(np.isnan(own), spread, own).sum()) * seen / len(value) ** 2
        between = (1 - seen) * spread / len(value) if seen < 1 else 0.0
        weights.append(stratum.size * len(value) / len(estimates))
        parts.append((float(value.mean()), between + within))
        counted, freedom = counted + len(value), freedom + len(value) - 1
    size = sum(stratum.size for stratum in groups)
    if not parts:
        return SampledScore(run, measure, nan, nan, nan, nan, 0, size, per_query)
    share = np.array(weights) / sum(weights)
    means, variances = np.array(parts).T
    mean, error = float(share @ means), float(np.sqrt(share**2 @ variances))
    half = student(max(1, freedom), level) * error
    if error == 0 and drawn and counted < size:
        # Values that are all alike say nothing of the queries not seen: as in `assisted_means`.
        half = (1 - (1 - level) ** (1 / counted)) * (1 - counted / size)
    return SampledScore(run, measure, mean, error, mean - half, mean + half, counted, size, per_query)


def as_json(scores: Sequence[SampledScore]) -> dict[str, Any]:
    """Plain values: {"runs": {run: {measure: {"estimate", "error", "low", ..., "per_query"}}}}."""
    runs: dict[str, dict[str, Any]] = {}
    for own in scores:
        runs.setdefault(own.run, {})[own.measure] = {
            **{key: getattr(own, key) for key in ("estimate", "error", "low", "high", "queries", "frame")},
            "per_query": {query_id: estimate._asdict() for query_id, estimate in own.per_query.items()},
        }
    return {"runs": runs}
