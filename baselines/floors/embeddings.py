"""A run by vectors of moments and queries that any model made elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from baselines.arrays import SingleArray
from baselines.errors import BaselineError
from baselines.floors.windows import Moments, rank_moments, sliding
from baselines.progress import bar
from baselines.reading.release import Query
from baselines.reading.vectors import MomentVectors
from evaluation.arrays import FloatArray
from evaluation.moments.run import Run, RunBuilder

NAME = "embeddings"
MOMENTS_AT_ONCE = 20_000
VIDEOS_AT_ONCE = 200
TOUCHING = 0.001
"""By how many seconds clips may overlap that follow one another: times are rounded."""


def embedding_run(
    names: Sequence[str],
    moments: MomentVectors,
    queries: Sequence[Query],
    texts: SingleArray,
    *,
    depth: int,
    cosine: bool = True,
    lengths: Sequence[float] = (),
    overlap: float | None = None,
) -> Run:
    """Rank moments for queries by the cosine, or else the product, of their vectors.

    Args: names: of the videos. texts: the queries' vectors, shape (Q, size). lengths: of windows in seconds; with any,
    the moments are clips that follow one another, and windows over them are ranked by the mean of their clips'
    cosines or products. overlap: as of `rank_moments`.
    Raises: BaselineError if the sizes differ, or clips overlap.
    """
    if moments.vector.shape[1] != texts.shape[1]:
        raise BaselineError(
            f"{moments.path}: found {moments.vector.shape[1]} numbers a vector, expected {texts.shape[1]}, as the "
            "queries have"
        )
    if cosine:
        moments, texts = moments._replace(vector=_unit(moments.vector)), _unit(texts)
    if lengths:
        blocks, unit = _windows(names, moments, sorted(lengths)), f" x {VIDEOS_AT_ONCE} videos"
    else:
        blocks, unit = _some_at_a_time(moments), f" x {MOMENTS_AT_ONCE:,} moments"
    builder = RunBuilder(NAME)
    ranked = rank_moments(texts, bar(blocks, desc="Ranked", unit=unit), depth=depth, overlap=overlap)
    for query, best in zip(queries, ranked, strict=True):
        builder.add(query.query_id, [names[video] for video in best.video], best.span, best.score.tolist())
    return builder.finished()


def _some_at_a_time(moments: MomentVectors) -> Iterator[Moments]:
    for first in range(0, len(moments.video), MOMENTS_AT_ONCE):
        some = slice(first, first + MOMENTS_AT_ONCE)
        yield Moments(moments.video[some], moments.span[some], moments.vector[some])


def _windows(names: Sequence[str], moments: MomentVectors, lengths: Sequence[float]) -> Iterator[Moments]:
    """Windows over each video's clips, of some videos at a time."""
    order = np.lexsort((moments.span[:, 0], moments.video))
    videos, first = np.unique(moments.video[order], return_index=True)
    of_video = np.split(order, first[1:])
    for begin in range(0, len(videos), VIDEOS_AT_ONCE):
        some = range(begin, min(begin + VIDEOS_AT_ONCE, len(videos)))
        rows, spans, means = [], [], []
        for place in some:
            clips = of_video[place]
            times = moments.span[clips]
            windows, vectors = sliding(
                moments.vector[clips], _sizes(f"{moments.path}, video {names[videos[place]]!r}", times, lengths)
            )
            rows.append(np.full(len(windows), videos[place]))
            spans.append(np.stack([times[windows[:, 0], 0], times[windows[:, 1] - 1, 1]], axis=1))
            means.append(vectors)
        yield Moments(np.concatenate(rows), np.concatenate(spans), np.concatenate(means))


def _sizes(where: str, times: FloatArray, lengths: Sequence[float]) -> list[int]:
    """How many of a video's clips each length is. Args: times: shape (C, 2), by start."""
    for clip in np.flatnonzero(times[1:, 0] < times[:-1, 1] - TOUCHING):
        raise BaselineError(
            f"{where}: found moments that overlap, {times[clip].tolist()} and {times[clip + 1].tolist()}, "
            "expected clips that follow one another, over which windows can slide (without --windows moments are "
            "ranked as they are)"
        )
    step = float(np.median(np.diff(times[:, 0]))) if len(times) > 1 else float(times[0, 1] - times[0, 0])
    return sorted({max(1, round(length / step)) for length in lengths})


def _unit(vectors: SingleArray) -> SingleArray:
    """Rows of unit length; a row of zeros stays one."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)
