"""NDCG@K,IoU>=mu: graded relevance with a boundary for localisation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from evaluation.alignment import Alignment, Threshold
from evaluation.arrays import FloatArray
from evaluation.measures.measure import Measure, check_cutoff, discount


@dataclass(frozen=True)
class NDCG(Measure):
    """Normalised discounted cumulative gain over moments, in [0, 1].

    In order of rank, each prediction takes the moment of its video that is still free and has
    the largest IoU with it, if that IoU reaches the boundary, and gains by the moment's grade;
    otherwise it gains 0. DCG@K is the sum over the ranks k = 1..K of gain / log2(k + 1); the
    ideal DCG@K comes from the K highest grades of the query; NDCG@K is their ratio.

    Gain: the grade ("linear", written ``NDCG@K``) or 2^grade - 1 ("exp", written
    ``NDCG(gain=exp)@K``). Boundary: as written, > or >=. Ties: equal IoU goes to the higher
    grade, then to the earlier in the file. A moment of grade 0 is used up like any other. Ranks
    past the end of a list gain 0. Unjudged moments gain 0. A query whose ideal is 0 scores 0.

    Source: TVR-Ranking (arXiv 2407.06597), section 4, and its modules/ndcg_iou.py, which takes
    gain 2^grade - 1 and IoU > mu.
    """

    cutoff: int
    iou: Threshold
    gain: Literal["linear", "exp"] = "linear"

    def __post_init__(self) -> None:
        check_cutoff(self.cutoff)

    def __str__(self) -> str:
        return f"NDCG{'' if self.gain == 'linear' else '(gain=exp)'}@{self.cutoff},{self.iou}"

    @property
    def depth(self) -> int:
        return self.cutoff

    def released(self) -> NDCG:
        return replace(self, gain="exp", iou=replace(self.iou, strict=True))

    def gains(self, grade: FloatArray) -> FloatArray:
        """The gains of moments of these grades."""
        return grade if self.gain == "linear" else np.exp2(grade) - 1.0

    def per_query(self, alignment: Alignment) -> FloatArray:
        prediction, moment = alignment.taken(self.iou)
        rank = alignment.rank[prediction]
        counted = rank < self.cutoff
        gain = self.gains(alignment.ground_truth.grade[moment[counted]])
        reached = np.bincount(
            alignment.query[prediction[counted]],
            gain * discount(self.cutoff)[rank[counted]],
            minlength=len(alignment),
        )
        ideal = self.ideal(alignment)
        return np.divide(reached, ideal, out=np.zeros(len(alignment)), where=ideal > 0)

    def ideal(self, alignment: Alignment) -> FloatArray:
        """The largest DCG@K each query allows, shape (Q,)."""
        truth = alignment.ground_truth
        wanted = (self.cutoff, self.gain)
        if wanted not in truth.ideals:
            place = np.arange(len(truth.grade)) - truth.offset[truth.query]
            counted = np.flatnonzero(place < self.cutoff)  # each query stands from high to low grade
            gain = self.gains(truth.grade[counted]) * discount(self.cutoff)[place[counted]]
            truth.ideals[wanted] = np.bincount(truth.query[counted], gain, minlength=len(truth)).astype(np.float64)
        return truth.ideals[wanted][alignment.queries]
