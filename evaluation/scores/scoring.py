"""Score runs: `evaluate` returns plain records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..errors import EvaluationError
from ..measures import Measure, parse_measure
from ..measures.measure import JointRanking, RunMeasure
from ..moments.alignment import align
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..scores.conventions import PAPER, Convention, convention_named


@dataclass(frozen=True, eq=False)
class Record:
    """One run's value on one measure.

    Attributes:
        run: the run's name. measure: the name as written. computed: the name of what the
        convention made of it.
        value: the mean (or the run's single value); NaN if no query has a value.
        per_query: shape (Q,) in the ground truth's order; NaN where a query is not averaged
        (not defined for it, or not answered under ``released``). None if the measure exists for
        whole runs only.
        queries: over how many queries the mean was taken. unanswered: how many queries of the
        ground truth the run has no row for. unknown: how many rows of the run the ground truth
        doesn't know; they are ignored.
    """

    run: str
    measure: str
    computed: str
    value: float
    per_query: FloatArray | None
    queries: int
    unanswered: int
    unknown: int


def evaluate(
    ground_truth: GroundTruth,
    runs: Sequence[Run],
    measures: Sequence[str | Measure],
    *,
    convention: Convention | str = PAPER,
) -> list[Record]:
    """Score every run on every measure.

    Args:
        measures: written names or measures. convention: ``"paper"`` or ``"released"``, see
        `conventions`.
    Returns: one record a run and measure, run by run, in the order given.
    Raises: EvaluationError if a name is not a measure; two runs have one name; the ground truth
    has no query, or a run's rows are all unknown to it; a run of whole videos is asked for a
    measure of moments; or nothing can be averaged because ``released`` found no answered query.

    >>> from ..moments.ground_truth import JudgedMoment
    >>> from ..moments.run import Prediction
    >>> truth = GroundTruth.of([("q", [JudgedMoment("v", 0, 10, 2)])])
    >>> run = Run.of("mine", [("q", [Prediction("v", 0, 5)])])
    >>> [record.value for record in evaluate(truth, [run], ["NDCG@5,IoU>=0.5", "R@1,IoU>0.5"])]
    [1.0, 0.0]
    """
    rule = convention_named(convention) if isinstance(convention, str) else convention
    written = [measure if isinstance(measure, str) else str(measure) for measure in measures]
    parsed = [parse_measure(m) if isinstance(m, str) else m for m in measures]
    names = [run.name for run in runs]
    for name in names:
        if names.count(name) > 1:
            raise EvaluationError(f"two runs are named {name!r}: give each file its own name")
    if not len(ground_truth):
        raise EvaluationError(f"{ground_truth.name} has no query")
    computed = [rule.applied(measure) for measure in parsed]
    return [
        record
        for run in runs
        for record in _score(ground_truth, run, written, computed, answered_only=rule.answered_only)
    ]


def _score(
    ground_truth: GroundTruth,
    run: Run,
    written: Sequence[str],
    computed: Sequence[Measure],
    *,
    answered_only: bool,
) -> list[Record]:
    known = sum(query_id in ground_truth.index for query_id in run.query_ids)
    if run.query_ids and not known:
        raise EvaluationError(
            f"{run.name}: none of its {len(run.query_ids)} query ids is in {ground_truth.name} "
            f"(it has {run.query_ids[0]!r}, the ground truth {ground_truth.query_ids[0]!r}): "
            "is it a run for another split?"
        )
    if answered_only and not known and written:
        raise EvaluationError(f"{run.name} answers no query, and 'released' averages over answered ones")
    for measure in computed:
        if run.ranks_videos and measure.needs_times:
            raise EvaluationError(f"{run.name} ranks videos without times; {measure} needs moments")
    values = score_alignments(ground_truth, run, computed, answered_only=answered_only)
    records = []
    for name, measure, (value, per_query) in zip(written, computed, values, strict=True):
        counted = known if answered_only else len(ground_truth)
        if per_query is not None:
            counted = int(np.count_nonzero(~np.isnan(per_query)))
        records.append(
            Record(
                run.name,
                name,
                str(measure),
                value,
                per_query,
                counted,
                len(ground_truth) - known,
                len(run.query_ids) - known,
            )
        )
    return records


def score_alignments(
    ground_truth: GroundTruth, run: Run, measures: Sequence[Measure], *, answered_only: bool
) -> list[tuple[float, FloatArray | None]]:
    """Value and values per query of each measure; the pairing is done once for all of them."""
    depths = [measure.depth for measure in measures]
    depth = None if None in depths else max((d for d in depths if d is not None), default=0)
    per_query = [np.full(len(ground_truth), np.nan) for _ in measures]
    parts: list[list[JointRanking]] = [[] for _ in measures]
    for alignment in align(ground_truth, run, depth=depth):
        for measure, values, shares in zip(measures, per_query, parts, strict=True):
            if isinstance(measure, RunMeasure):
                shares.append(measure.part(alignment, answered_only=answered_only))
            else:
                values[alignment.queries] = averaged(
                    measure.per_query(alignment), alignment.answered, answered_only=answered_only
                )
    return [
        (measure.of_run(shares), None) if isinstance(measure, RunMeasure) else (mean_of_defined(values), values)
        for measure, values, shares in zip(measures, per_query, parts, strict=True)
    ]


def mean_of_defined(values: FloatArray) -> float:
    """The mean of the values that are not NaN; NaN if there are none."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


def averaged(values: FloatArray, answered: BoolArray, *, answered_only: bool) -> FloatArray:
    """The values that enter the mean; NaN for those that don't."""
    return np.where(answered, values, np.nan) if answered_only else values
