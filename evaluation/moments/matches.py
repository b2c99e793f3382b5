"""The judged moment that each prediction of a query takes, for display."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import EvaluationError
from ..moments.alignment import Threshold, align
from ..moments.ground_truth import GroundTruth, JudgedMoment
from ..moments.run import Prediction, Run


@dataclass(frozen=True)
class Match:
    """One prediction, in order of rank (1 is the best).

    Attributes: moment: what it takes, None if nothing. iou: its overlap with that moment, or, if
    it takes none, the largest with any judged moment of its video (0 if there is none).
    """

    rank: int
    prediction: Prediction
    moment: JudgedMoment | None
    iou: float


def matches_of_query(
    ground_truth: GroundTruth, run: Run, query_id: str, threshold: Threshold, *, depth: int | None = None
) -> list[Match]:
    """The matching behind NDCG and mAP for one query: each moment is taken at most once.

    Raises: EvaluationError if the ground truth doesn't know the query.

    >>> truth = GroundTruth.of([("q", [JudgedMoment("v", 0, 10, 4)])])
    >>> run = Run.of("mine", [("q", [Prediction("v", 0, 8), Prediction("v", 0, 9)])])
    >>> matches = matches_of_query(truth, run, "q", Threshold(0.5, strict=False))
    >>> [(match.rank, match.moment is not None, match.iou) for match in matches]
    [(1, True, 0.8), (2, False, 0.9)]
    """
    if query_id not in ground_truth.index:
        raise EvaluationError(f"{ground_truth.name} has no query {query_id!r}")
    judged = ground_truth.of_query(query_id)
    alone = GroundTruth.of([(query_id, judged)], name=ground_truth.name)
    (alignment,) = align(alone, run, depth=depth)
    overlap = np.zeros((len(alignment.query), len(judged)))
    overlap[alignment.pair_prediction, alignment.pair_moment] = alignment.pair_iou
    taken = dict(zip(*(side.tolist() for side in alignment.taken(threshold)), strict=True))
    matches = []
    for place, rank in enumerate(alignment.rank.tolist()):
        moment = taken.get(place)
        iou = overlap[place].max(initial=0.0) if moment is None else overlap[place, moment]
        matches.append(
            Match(
                rank + 1,
                run.prediction(int(alignment.place[place])),
                None if moment is None else judged[moment],
                float(iou),
            )
        )
    return matches
