"""Judged@K,IoU>=mu: how much of a list's top the judgments know."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray
from ..measures.measure import Measure
from ..moments.alignment import Alignment, Threshold


@dataclass(frozen=True)
class Judged(Measure):
    """The share of the first K predictions that are judged, in [0, 1].

    Judged is a prediction whose IoU with some judged moment of its video, of whatever grade, reaches the boundary,
    also where a better one has taken that moment (`Alignment.reaches`). It says nothing of quality: it says how far
    the other measures can be trusted for this run.

    A list shorter than K: the share of those there are, as in ir_measures. No prediction: 0. Boundary: as written.
    On fixed moments, each returned once, it is ir_measures' ``Judged@K``.
    Source: Yilmaz et al. (SIGIR 2020) and many before them report it; ir_measures, providers/judged_provider.py.
    """

    NAME, WRITTEN = "Judged", "Judged@K,IoU>=mu"

    cutoff: int
    iou: Threshold

    def per_query(self, alignment: Alignment) -> FloatArray:
        shown = alignment.rank < self.cutoff
        count = np.bincount(alignment.query[shown], minlength=len(alignment))
        judged = np.bincount(alignment.query[shown & alignment.reaches(self.iou)], minlength=len(alignment))
        return np.divide(judged, count, out=np.zeros(len(alignment)), where=count > 0)
