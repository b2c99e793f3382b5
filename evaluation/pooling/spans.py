"""Predicted spans become judgeable moments: which ones are the same moment."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, IntArray
from ..moments.overlap import temporal_iou

PAIRS_AT_ONCE = 4_000_000
"""How many pairs of spans are compared at a time: some 150 MB."""


def best_overlaps(
    group: IntArray,
    start: FloatArray,
    end: FloatArray,
    known_group: IntArray,
    known_start: FloatArray,
    known_end: FloatArray,
) -> tuple[IntArray, FloatArray]:
    """For each span the known moment of its group that overlaps it most.

    A group is what may overlap at all: a video, or a query's video.

    Args: spans as shape (N,), known moments as shape (K,); groups are numbers >= 0, times seconds.
    Returns: shape (N,) each: the known moment's place, the earliest of those that overlap equally,
    -1 where the group has none; and the IoU with it, in [0, 1].
    """
    order = np.argsort(known_group, kind="stable")
    ordered = known_group[order]
    first = np.searchsorted(ordered, group, side="left")
    count = np.searchsorted(ordered, group, side="right") - first
    best = np.full(len(group), -1, dtype=np.int64)
    iou = np.zeros(len(group))
    reached = np.cumsum(count)
    begin = 0
    while begin < len(group):
        before = int(reached[begin - 1]) if begin else 0
        stop = max(begin + 1, int(np.searchsorted(reached, before + PAIRS_AT_ONCE, side="right")))
        counted = count[begin:stop]
        span = np.repeat(np.arange(begin, stop), counted)
        if len(span):
            inside = np.arange(len(span)) - np.repeat(np.cumsum(counted) - counted, counted)
            known = order[np.repeat(first[begin:stop], counted) + inside]
            overlap = temporal_iou(start[span], end[span], known_start[known], known_end[known])
            with_any = np.flatnonzero(counted)
            of_span = np.cumsum(counted[with_any]) - counted[with_any]
            highest = np.maximum.reduceat(overlap, of_span)
            is_highest = np.flatnonzero(overlap == np.repeat(highest, counted[with_any]))
            # The first of them, since pairs stand in the known moments' order.
            chosen = is_highest[np.unique(span[is_highest], return_index=True)[1]]
            best[begin + with_any] = known[chosen]
            iou[begin + with_any] = highest
        begin = stop
    return best, iou


def leaders(group: IntArray, start: FloatArray, end: FloatArray, iou: float) -> IntArray:
    """Which spans become moments: in order, each that reaches the IoU with no earlier such span.

    Args: group, start, end: shape (N,), a group's spans in order of preference (others may stand
        between them). iou: a span whose IoU with a leader is at least this is the leader's moment.
    Returns: the leaders' places, ascending.
    Source: leader clustering (Hartigan, Clustering Algorithms, 1975, chapter 3), with temporal IoU.

    >>> video = np.zeros(3, dtype=np.int64)
    >>> leaders(video, np.array([0.0, 1.0, 8.0]), np.array([10.0, 10.0, 12.0]), 0.5).tolist()
    [0, 2]
    """
    left = np.argsort(group, kind="stable")
    places = []
    while len(left):
        grouped = group[left]
        begins = np.flatnonzero(np.diff(grouped, prepend=-1))
        chosen = left[begins]
        places.append(chosen)
        leader = np.repeat(chosen, np.diff(begins, append=len(left)))
        overlap = temporal_iou(start[left], end[left], start[leader], end[leader])
        left = left[(overlap < iou) & (left != leader)]
    return np.sort(np.concatenate(places)) if places else np.zeros(0, dtype=np.int64)
