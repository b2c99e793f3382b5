"""Measures of one query of which a part of the pool was judged, as functions of the weights of the judged."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray, IntArray
from ..errors import EvaluationError
from ..measures.measure import DEEPEST, discount
from ..moments.alignment import Threshold

AT_HALF = Threshold(0.5, strict=False)
"""The boundary where a name states none."""
NAMES = "xinfAP, DCG@K, P@K, recall@K, NDCG@K"
_WRITTEN = re.compile(
    r"(?P<name>xinfAP|DCG|P|recall|NDCG)(?:@(?P<cutoff>[1-9]\d{0,6}))?"
    r"(?:,IoU(?P<sign>>=|>)(?P<iou>\d*\.?\d+))?(?:,rel>=(?P<grade>\d*\.?\d+))?"
)


class SampledQuery(NamedTuple):
    """The frame of one query, N pairs in order of a run's rank.

    Attributes, each of shape (N,): rank: from 0 on, `DEEPEST` for what the run doesn't return. grade: 0 where nobody
    judged, as its weight is. stratum: from 0 on.
    """

    rank: IntArray
    grade: FloatArray
    stratum: IntArray


@dataclass(frozen=True)
class SampledMeasure:
    """A measure estimated from judged pairs with weights: `str` of it is its full name.

    A run's predictions take pairs of the frame, judged or not, as they take judged moments in NDCG. The weight w of a
    judged pair is how many pairs of its stratum it stands for:

    - ``DCG@K``: the sum of w grade / log2(rank + 1) over the first K. ``P@K``: that of w over the relevant among them,
      by K. Both are Horvitz and Thompson's estimate of a total, and unbiased whatever the design.
    - ``recall@K``: the relevant of the first K by all relevant of the frame, both estimated: a ratio (Hájek's), whose
      bias goes with 1 / the number of pairs judged.
    - ``NDCG@K``: DCG@K by the ideal of as many pairs of each grade as are estimated to be in the frame. The ideal
      isn't a total, and nothing estimates it without bias.
    - ``xinfAP``: (1 / R) sum over the relevant judged of w times the expected precision at their rank, R the estimated
      relevant. At rank k it is 1 / k + (sum over strata of the pairs above k times the relevant share of those above k
      that were judged) / k; a share of none is 1/2, as in trec_eval's infAP. What lies in no stratum isn't relevant.

    Where all are judged each is the measure itself, xinfAP the AP of mAP. As there, a query has no recall, NDCG and
    xinfAP where nothing relevant is among what was judged: the mean is over queries with a relevant pair.
    Source: Yilmaz, Kanoulas and Aslam, A Simple and Efficient Sampling Method for Estimating AP and NDCG (SIGIR 2008);
    Horvitz and Thompson (JASA 1952).
    """

    name: str
    cutoff: int | None
    iou: Threshold = AT_HALF
    least_grade: float = 1.0

    def __str__(self) -> str:
        at = "" if self.cutoff is None else f"@{self.cutoff}"
        relevant = "" if self.least_grade == 1 else f",rel>={self.least_grade:g}"
        return f"{self.name}{at},{self.iou}{relevant}"

    def of(self, query: SampledQuery, weights: FloatArray) -> FloatArray:
        """The estimate for each row of weights.

        Args: weights: shape (R, N), 0 for pairs that aren't judged. Returns: shape (R,).
        """
        relevant = weights * (query.grade >= self.least_grade)
        if self.cutoff is None:
            return self._average_precision(query, weights, relevant)
        within = query.rank < self.cutoff
        if self.name == "P":
            return np.asarray(relevant @ within / self.cutoff)
        if self.name == "recall":
            return _ratio(relevant @ within, relevant.sum(axis=1))
        gain = np.zeros(len(query.rank))
        gain[within] = query.grade[within] / np.log2(query.rank[within] + 2)
        reached = weights @ gain
        return reached if self.name == "DCG" else _ratio(reached, self._ideal(query, weights))

    def _ideal(self, query: SampledQuery, weights: FloatArray) -> FloatArray:
        """DCG@K of the estimated number of pairs of each grade, the highest first; a part of a pair has its part."""
        assert self.cutoff is not None
        order = np.argsort(-query.grade, kind="stable")
        upto = np.cumsum(weights[:, order], axis=1)
        depth = min(self.cutoff, int(np.ceil(upto.max(initial=0.0))) + 1)
        paid = np.append(0.0, np.cumsum(discount(depth)))
        reached = np.interp(np.minimum(upto, depth), np.arange(depth + 1), paid)
        ideal: FloatArray = np.diff(reached, prepend=0.0, axis=1) @ query.grade[order]
        return ideal

    def says_nothing(self, query: SampledQuery, weights: FloatArray) -> bool:
        """Whether it divides by what is estimated to be 0: nothing relevant is among the judged, of these weights."""
        least = np.nextafter(0.0, 1.0) if self.name == "NDCG" else self.least_grade
        return self.name not in ("DCG", "P") and not (query.grade[weights > 0] >= least).any()

    def _average_precision(self, query: SampledQuery, weights: FloatArray, relevant: FloatArray) -> FloatArray:
        found = query.rank < DEEPEST
        rank, stratum = query.rank[found], query.stratum[found]
        judged, own = weights[:, found] > 0, relevant[:, found]
        above = np.zeros_like(own)
        for code in np.unique(stratum):
            here = stratum == code
            seen, good = _before(judged & here), _before((own > 0) & here)
            above += _before(here) * np.divide(good, seen, out=np.full(good.shape, 0.5), where=seen > 0)
        return _ratio((own * (1.0 + above) / (rank + 1)).sum(axis=1), relevant.sum(axis=1))


def _before(values: NDArray[Any]) -> FloatArray:
    """The sum of the values before each place of a row."""
    sums: FloatArray = np.cumsum(values, axis=-1, dtype=np.float64) - values
    return sums


def _ratio(over: FloatArray, under: FloatArray) -> FloatArray:
    return np.divide(over, under, out=np.zeros(len(over)), where=under > 0)


def sampled_measure(text: str) -> SampledMeasure:
    """The measure of a written name, ``NAME@K,IoU>=mu,rel>=g``; without a boundary ``IoU>=0.5``.

    Raises: EvaluationError for any other name.

    >>> str(sampled_measure("recall@20")), str(sampled_measure("xinfAP,IoU>0.7,rel>=2"))
    ('recall@20,IoU>=0.5', 'xinfAP,IoU>0.7,rel>=2')
    """
    parts = _WRITTEN.fullmatch(text.strip().replace(" ", ""))
    if parts is None or (parts["name"] == "xinfAP") is (parts["cutoff"] is not None):
        raise EvaluationError(f"{text!r}: found no measure of sampled pairs, expected one of {NAMES}")
    measure = SampledMeasure(parts["name"], None if parts["cutoff"] is None else int(parts["cutoff"]))
    try:
        if parts["iou"] is not None:
            measure = replace(measure, iou=Threshold(float(parts["iou"]), strict=parts["sign"] == ">"))
    except ValueError as error:
        raise EvaluationError(f"{text!r}: {error}") from error
    if parts["grade"] is not None:
        measure = replace(measure, least_grade=float(parts["grade"]))
    if measure.name in ("DCG", "NDCG") and parts["grade"] is not None:
        raise EvaluationError(
            f"{text!r}: found rel>={parts['grade']}, expected none: {measure.name} goes by all grades"
        )
    if measure.least_grade <= 0 or (measure.cutoff or 0) > DEEPEST:
        raise EvaluationError(f"{text!r}: expected g above 0 in rel>=g, and K of at most {DEEPEST:,}")
    return measure
