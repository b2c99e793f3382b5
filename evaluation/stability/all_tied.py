"""Queries that cannot tell systems apart."""

from __future__ import annotations

from ..arrays import FloatArray
from ..scores.score_table import ScoreTable


def all_tied_ratio(table: ScoreTable) -> FloatArray:
    """The share of queries on which all systems have the same value, shape (measures,), in [0, 1].

    Equal means equal to 12 digits. A measure with a high share spends its test set on queries
    that say nothing: R@10,IoU>0.3 is 1 for everybody on easy queries.
    Source: AxIoU (CVPR 2022), supplement B and Figure 9 (Figure 1 of the supplement by itself).
    """
    ratio: FloatArray = (table.differs() < 1e-12).mean(axis=1)
    return ratio
