"""VCMR@K,IoU>=mu: TVR's recall of video corpus moment retrieval."""

from __future__ import annotations

from dataclasses import dataclass

from ..measures.recall import Recall


@dataclass(frozen=True)
class VCMR(Recall):
    """1 if one of the first K predictions has the right video and overlaps its moment enough.

    It is R@K read over a whole corpus, kept under TVR's name. TVR's boundary is >= with mu 0.5
    and 0.7, and K 1, 5, 10, 100. TVR computes in 32-bit floats, this in 64-bit.
    Several relevant moments, grades: as in R@K.
    Source: Lei et al., TVR (ECCV 2020), section 5; its standalone_eval/eval.py.
    """

    NAME, WRITTEN = "VCMR", "VCMR@K,IoU>=mu"
