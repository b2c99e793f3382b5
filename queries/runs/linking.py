"""Predictions become moments: which one of the corpus each prediction of a query stands for."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.pooling.spans import best_overlaps, leaders


@dataclass(frozen=True, slots=True)
class KnownMoment:
    """A moment that a prediction may stand for. Times in seconds."""

    key: int
    video: int
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Spans:
    """One run's predictions for a query, best first: columns of one length. `links`: the moment of a prediction whose
    link stands already, None for the others."""

    videos: Sequence[int]
    starts: Sequence[float]
    ends: Sequence[float]
    links: Sequence[int | None]
    ious: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Linked:
    """Each run's predictions as moments: `moments[run][place]` is a known moment's key, or -1, -2, ... for the new ones
    `new[0]`, `new[1]`, ... (video, start, end); `ious` has the overlaps with them."""

    moments: list[list[int]]
    ious: list[list[float]]
    new: list[tuple[int, float, float]]


def link(runs: Sequence[Spans], known: Sequence[KnownMoment], *, iou: float) -> Linked:
    """Link every prediction of a query to a moment.

    A prediction stands for the known moment of its video that it overlaps most, if their IoU is at least `iou`. The
    others become moments among themselves: taken by rank, and by the order of the runs at equal ranks, each one whose
    IoU with every one before it is below `iou` is a moment of its own, a real span that some system returned; the
    others stand for the one of these that they overlap most. A link that stands already isn't looked for again.

    Source: `evaluation.pooling.lists.pool_lists`, which does the same when pools are replayed.
    """
    sizes = [len(spans.videos) for spans in runs]
    video = np.concatenate([np.array(spans.videos, dtype=np.int64) for spans in runs] or [np.zeros(0, dtype=np.int64)])
    start = np.concatenate([np.array(spans.starts, dtype=np.float64) for spans in runs] or [np.zeros(0)])
    end = np.concatenate([np.array(spans.ends, dtype=np.float64) for spans in runs] or [np.zeros(0)])
    run = np.repeat(np.arange(len(runs)), sizes)
    rank = np.concatenate([np.arange(size) for size in sizes] or [np.zeros(0, dtype=np.int64)])
    keys = np.array([known_moment.key for known_moment in known], dtype=np.int64)

    place, overlap = best_overlaps(
        video,
        start,
        end,
        np.array([known_moment.video for known_moment in known], dtype=np.int64),
        np.array([known_moment.start for known_moment in known], dtype=np.float64),
        np.array([known_moment.end for known_moment in known], dtype=np.float64),
    )
    near = (place >= 0) & (overlap >= iou)
    moment = np.zeros(len(video), dtype=np.int64)
    moment[near] = keys[place[near]]
    standing = np.array([link or 0 for spans in runs for link in spans.links], dtype=np.int64)
    if len(standing):
        held = standing > 0
        moment[held] = standing[held]
        overlap[held] = np.array([value or 0.0 for spans in runs for value in spans.ious], dtype=np.float64)[held]
    free = np.flatnonzero(moment == 0)
    free = free[np.lexsort((run[free], rank[free], video[free]))]
    chosen = free[leaders(video[free], start[free], end[free], iou)]
    own, overlap[free] = best_overlaps(video[free], start[free], end[free], video[chosen], start[chosen], end[chosen])
    moment[free] = -1 - own
    bounds = np.cumsum(sizes)[:-1]
    return Linked(
        [part.tolist() for part in np.split(moment, bounds)] if runs else [],
        [part.tolist() for part in np.split(overlap, bounds)] if runs else [],
        list(zip(video[chosen].tolist(), start[chosen].tolist(), end[chosen].tolist(), strict=True)),
    )
