"""Temporal intersection over union."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray


def temporal_iou(start: FloatArray, end: FloatArray, other_start: FloatArray, other_end: FloatArray) -> FloatArray:
    """Intersection over union of intervals on the time line, in [0, 1].

    Computed as I / ((end - start) + (other_end - other_start) - I) with
    I = max(0, min(end, other_end) - max(start, other_start)), in 64-bit floats: operation for
    operation what TVR-Ranking's code does, so that a moment exactly on a threshold falls on the
    same side. Intervals that touch at a point or lie apart have IoU 0.

    Args: seconds, of shapes that broadcast; every interval has start < end.
    Source: TVR-Ranking, modules/ndcg_iou.py.

    >>> temporal_iou(np.array([0.0]), np.array([10.0]), np.array([5.0]), np.array([10.0])).tolist()
    [0.5]
    >>> temporal_iou(np.array([0.0]), np.array([5.0]), np.array([5.0]), np.array([9.0])).tolist()
    [0.0]
    """
    intersection = np.minimum(end, other_end)
    intersection -= np.maximum(start, other_start)
    np.maximum(intersection, 0.0, out=intersection)
    union = (end - start) + (other_end - other_start)
    union -= intersection
    ratio: FloatArray = np.divide(intersection, union, out=intersection)
    return ratio
