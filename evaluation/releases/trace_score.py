"""The score that a trace begins at: a run's, on one query."""

from __future__ import annotations

from math import isnan

from ..measures import parse_measure
from ..measures.usual import usual_measure
from ..moments.alignment import Threshold
from ..moments.ground_truth import GroundTruth
from ..moments.matches import matches_of_query
from ..moments.run import Run
from ..scores.scoring import evaluate
from .trace import Scored


def score_of_query(truth: GroundTruth, run: Run, sha256: str, query_id: str, measure: str = "") -> Scored:
    """A run's score of a query. Args: sha256: of the run's file. measure: written; "" is by the ground truth.

    Raises: EvaluationError for what is no measure, and a run that knows no query of this ground truth.
    """
    measure = measure or usual_measure(truth)
    (record,) = evaluate(truth, [run], [measure])
    value = float("nan") if record.per_query is None else float(record.per_query[truth.index[query_id]])
    boundary = getattr(parse_measure(measure), "iou", None)
    values = {measure: None if isnan(value) else value}
    if not isinstance(boundary, Threshold):
        return Scored(run.name, sha256, values)
    return Scored(run.name, sha256, values, found_moments(truth, run, query_id, boundary), str(boundary))


def found_moments(truth: GroundTruth, run: Run, query_id: str, boundary: Threshold) -> dict[str, tuple[int, float]]:
    """pair_id -> (rank from 1 on, IoU) of the prediction that takes its moment (`matches_of_query`)."""
    matches = matches_of_query(truth, run, query_id, boundary)
    taken = [(match.moment.pair_id, match) for match in matches if match.moment is not None]
    return {pair_id: (match.rank, match.iou) for pair_id, match in taken if pair_id is not None}
