"""NDCG@K,IoU>=mu: graded relevance with a boundary for localisation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ..arrays import FloatArray
from ..errors import EvaluationError
from ..measures.measure import Measure, discount
from ..measures.ndcg_bounds import Unknown
from ..moments.alignment import Alignment, Threshold

HIGHEST_EXPONENT = 30
"""Beyond it one moment outweighs all others of any list: a scale of 0-100 has no such gain."""


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

    What becomes of unjudged predictions, those that reach no judged moment of any grade (`Alignment.reaches`):
    ``NDCG(condensed)@K`` takes them out of the list before it counts ranks: NDCG' on condensed lists.
    ``NDCG(low)@K`` and ``NDCG(high)@K`` are the least and the greatest value that any grades of those among the first K
    could give, from 0 to the highest in the ground truth. Each then is a relevant moment of its own and enters the
    ideal too; a prediction that has a judged moment keeps it, as is certain where moments are fixed or don't overlap.
    Moments that this list doesn't name stay out of account.

    Source: TVR-Ranking (arXiv 2407.06597), section 4, and its modules/ndcg_iou.py, which takes
    gain 2^grade - 1 and IoU > mu. Condensed lists: Sakai, Alternatives to Bpref (SIGIR 2007). The bounds carry the
    residual of Moffat and Zobel (TOIS 2008) over (ours, `ndcg_bounds`).
    """

    NAME = "NDCG"
    WRITTEN = "NDCG@K,IoU>=mu or NDCG(condensed)@K,IoU>=mu or NDCG(low)@K,IoU>=mu or NDCG(high)@K,IoU>=mu"
    OPTIONS = {
        "gain=exp": ("gain", "exp"),
        "gain=linear": ("gain", "linear"),
        **{word: ("unjudged", word) for word in ("condensed", "low", "high")},
    }

    cutoff: int
    iou: Threshold
    gain: Literal["linear", "exp"] = "linear"
    unjudged: Literal["zero", "condensed", "low", "high"] = "zero"

    @property
    def depth(self) -> int | None:
        return None if self.unjudged == "condensed" else self.cutoff

    @property
    def of_whole_truth(self) -> bool:
        return self.unjudged in ("low", "high")

    def released(self) -> NDCG:
        return replace(super().released(), gain="exp")

    def gains(self, grade: FloatArray) -> FloatArray:
        """The gains of moments of these grades. Raises: EvaluationError for grades of which 2^grade is no gain."""
        if self.gain == "linear":
            return grade
        if (highest := float(grade.max(initial=0.0))) > HIGHEST_EXPONENT:
            raise EvaluationError(
                f"{self}: found the grade {highest:g}, expected at most {HIGHEST_EXPONENT} for the gain 2^grade - 1: "
                "take the grade itself, NDCG(gain=linear), as --as paper does"
            )
        return np.exp2(grade) - 1.0

    def per_query(self, alignment: Alignment) -> FloatArray:
        prediction, moment = alignment.taken(self.iou)
        condensed = self.unjudged == "condensed"
        rank = (alignment.condensed_rank(self.iou) if condensed else alignment.rank)[prediction]
        counted = rank < self.cutoff
        gain = self.gains(alignment.ground_truth.grade[moment[counted]])
        reached: FloatArray = np.bincount(
            alignment.query[prediction[counted]],
            gain * discount(self.cutoff)[rank[counted]],
            minlength=len(alignment),
        ).astype(np.float64)
        if self.unjudged in ("low", "high"):
            unknown = self._unknown(alignment, reached)
            return unknown.lowest() if self.unjudged == "low" else unknown.highest()
        ideal = self.ideal(alignment)
        return np.divide(reached, ideal, out=np.zeros(len(alignment)), where=ideal > 0)

    def _unknown(self, alignment: Alignment, reached: FloatArray) -> Unknown:
        truth, judged = alignment.ground_truth, alignment.judged()
        highest = max(1.0, float(truth.grade.max(initial=0.0)))  # a grade of 1 where nothing relevant was found
        levels = np.unique(self.gains(np.append(truth.grade[truth.grade > 0], highest)))
        query, gain = truth.query[judged] - alignment.first_query, self.gains(truth.grade[judged])
        counts = [np.bincount(query[gain >= level], minlength=len(alignment)) for level in levels]
        unknown = alignment.ranked((~alignment.reaches(self.iou)).astype(np.float64), self.cutoff) > 0
        return Unknown(reached, unknown, levels, np.array(counts, dtype=np.int64), self.cutoff)

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
