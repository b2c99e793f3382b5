"""Moments ranked for queries by the product of their vectors: sliding windows over clips, and those that overlap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from baselines.arrays import SingleArray
from evaluation.arrays import FloatArray, IntArray

SPARE = 8
"""How many times ``depth`` moments are held before overlapping ones are left out."""


@dataclass(frozen=True)
class Moments:
    """M moments. Attributes: video: shape (M,), indices; span: shape (M, 2), where each begins and ends, in seconds or
    clips; vector: shape (M, size)."""

    video: IntArray
    span: FloatArray
    vector: SingleArray


class Best(NamedTuple):
    """A query's best moments, best first: video, shape (K,), span, shape (K, 2), as of `Moments`; score, shape (K,)."""

    video: IntArray
    span: FloatArray
    score: SingleArray


def sums(clips: SingleArray) -> FloatArray:
    """Sums of a video's clips up to each, shape (clips + 1, size): what lies between two is their difference."""
    return np.concatenate([np.zeros((1, clips.shape[1])), np.cumsum(clips, axis=0, dtype=np.float64)])


def sliding(clips: SingleArray, sizes: Sequence[int]) -> tuple[IntArray, SingleArray]:
    """Windows over a video's clips, of each size, moved by half of it; the last one ends with the video.

    Args: clips: shape (C, size), C >= 1. sizes: in clips, >= 1; a shorter video has one window, the whole of it.
    Returns: first clip and the one after the last, shape (W, 2); the mean of their vectors, shape (W, size).

    >>> spans, means = sliding(np.array([[1.0], [3.0], [5.0]], dtype=np.float32), [2])
    >>> spans.tolist(), means.tolist()
    ([[0, 2], [1, 3]], [[2.0], [4.0]])
    """
    spans: dict[tuple[int, int], None] = {}
    for size in sizes:
        last = max(0, len(clips) - size)
        starts = sorted({*range(0, last + 1, max(1, size // 2)), last})
        spans |= dict.fromkeys((first, min(first + size, len(clips))) for first in starts)
    table, up_to = np.array(list(spans), dtype=np.int64), sums(clips)
    means = (up_to[table[:, 1]] - up_to[table[:, 0]]) / (table[:, 1] - table[:, 0])[:, None]
    return table, np.asarray(means, dtype=np.float32)


def rank_moments(texts: SingleArray, blocks: Iterable[Moments], *, depth: int, overlap: float | None) -> Iterator[Best]:
    """The moments with the greatest products with each query, in the order of the queries.

    Of equal ones the one that came first is ahead. With an overlap, a moment is left out where a better one of its
    video overlaps it by this IoU; it is looked for among the `SPARE` times ``depth`` best.
    Args: texts: shape (Q, size). overlap: in (0, 1], None to leave none out.
    """
    held = depth if overlap is None else SPARE * depth
    scores = np.zeros((len(texts), 0), dtype=np.float32)
    places = np.zeros((len(texts), 0), dtype=np.int64)
    videos, spans, seen = [np.zeros(0, dtype=np.int64)], [np.zeros((0, 2))], 0
    for block in blocks:
        products = texts @ block.vector.T
        own = np.broadcast_to(np.arange(seen, seen + len(block.video)), products.shape)
        scores, places = np.concatenate([scores, products], axis=1), np.concatenate([places, own], axis=1)
        best = _greatest(scores, held)
        scores, places = np.take_along_axis(scores, best, axis=1), np.take_along_axis(places, best, axis=1)
        videos.append(block.video)
        spans.append(block.span)
        seen += len(block.video)
    video, span = np.concatenate(videos), np.concatenate(spans)
    for score, found in zip(scores, places, strict=True):
        kept = np.arange(len(found)) if overlap is None else _apart(video[found], span[found], depth, overlap)
        yield Best(video[found[kept]], span[found[kept]], score[kept])


def _greatest(scores: SingleArray, count: int) -> IntArray:
    """The places of each row's greatest, falling, equal ones in order: shape (Q, count), all where there are fewer."""
    width = scores.shape[1]
    if width <= count:
        return np.argsort(-scores, axis=1, kind="stable")
    least = np.partition(scores, width - count, axis=1)[:, width - count]
    best = np.empty((len(scores), count), dtype=np.int64)
    for row, (values, bound) in enumerate(zip(scores, least, strict=True)):
        near = np.flatnonzero(values >= bound)
        best[row] = near[np.argsort(-values[near], kind="stable")][:count]
    return best


def _apart(video: IntArray, span: FloatArray, depth: int, overlap: float) -> IntArray:
    """The places of the best moments, at most ``depth``, none of which a better one overlaps by this IoU."""
    kept: list[int] = []
    of_video: dict[int, list[tuple[float, float]]] = {}
    for place, (own, (first, last)) in enumerate(zip(video.tolist(), span.tolist(), strict=True)):
        others = of_video.setdefault(own, [])
        # The length of the union, where they overlap at all.
        if all(
            (min(last, end) - max(first, start)) < overlap * (max(last, end) - min(first, start))
            for start, end in others
        ):
            others.append((first, last))
            kept.append(place)
            if len(kept) == depth:
                break
    return np.array(kept, dtype=np.int64)
