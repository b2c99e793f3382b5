"""How far a score may be off because queries are a sample, and because annotators disagree about their grades."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..errors import EvaluationError
from ..measures import Measure, parse_measure
from ..measures.measure import RunMeasure
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..scores.conventions import Convention
from ..scores.scoring import mean_of_defined, score_alignments

TAIL = (1 - 0.95) / 2
"""What lies beyond either end of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class ScoreInterval:
    """A run's score where grades are as likely as their posteriors say.

    Attributes: expected: its mean over the draws. low, high: the 95 % interval of queries and grades drawn again.
        grades_only: the interval of the same queries, their grades drawn again: the annotators' disagreement alone.
    """

    run: str
    measure: str
    expected: float
    low: float
    high: float
    grades_only: tuple[float, float]


def score_intervals(
    ground_truth: GroundTruth,
    runs: Sequence[Run],
    measures: Sequence[str],
    chances: FloatArray,
    *,
    convention: Convention,
    draws: int = 200,
    seed: int = 0,
    progress: Callable[[int], None] = lambda draws: None,
) -> list[ScoreInterval]:
    """Draw each moment's grade by its posterior and the queries with replacement, and score again.

    All runs are scored by the same draws. Grades of different pairs are drawn independently of each other; pairs
    without a posterior keep their grade, and discarded ones, which a ground truth hasn't, stay out.

    Args: chances: shape (M, K), see `posteriors_for`. progress: called with how many draws are done.
    Raises: EvaluationError for measures without values per query.
    """
    computed: list[Measure] = [convention.applied(parse_measure(name)) for name in measures]
    if whole := [name for name, one in zip(measures, computed, strict=True) if isinstance(one, RunMeasure)]:
        raise EvaluationError(f"{whole[0]} has no value per query, so it has no interval by posteriors")
    known: BoolArray = ~np.isnan(chances.sum(axis=1))
    bounds = np.cumsum(np.where(known[:, None], chances, 1.0), axis=1)
    rng = np.random.default_rng(seed)
    means, again = np.empty((2, draws, len(runs), len(computed)))
    for draw in range(draws):
        beyond = np.greater_equal(rng.random((len(bounds), 1)), bounds)
        drawn = np.minimum(np.sum(beyond, axis=1), bounds.shape[1] - 1)
        truth = ground_truth.with_grades(np.where(known, drawn, ground_truth.grade))
        queries = rng.integers(0, len(truth), len(truth))
        for place, run in enumerate(runs):
            scored = score_alignments(truth, run, computed, answered_only=convention.answered_only)
            for column, (value, per_query) in enumerate(scored):
                assert per_query is not None
                means[draw, place, column], again[draw, place, column] = value, mean_of_defined(per_query[queries])
        progress(draw + 1)
    ends = [TAIL, 1 - TAIL]
    both, grades = np.nanquantile(again, ends, axis=0), np.nanquantile(means, ends, axis=0)
    return [
        ScoreInterval(
            run.name,
            name,
            float(np.nanmean(means[:, place, column])),
            float(both[0, place, column]),
            float(both[1, place, column]),
            (float(grades[0, place, column]), float(grades[1, place, column])),
        )
        for place, run in enumerate(runs)
        for column, name in enumerate(measures)
    ]
