"""Text-to-frame similarity with sliding windows: no training, no captions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from baselines.errors import BaselineError
from baselines.features.interface import Features
from baselines.floors.lengths import moment_lengths
from baselines.floors.windows import Moments, rank_moments, sliding, sums
from baselines.progress import bar
from baselines.reading.pairs import Pair
from baselines.reading.release import Release
from evaluation.arrays import FloatArray, IntArray
from evaluation.moments.run import Run, RunBuilder

NAME = "text-to-frame"
QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Of the collection's moments: the windows' lengths."""
VIDEOS_AT_ONCE = 200
OVERLAP = 0.5
"""A window is left out where a better one of its video overlaps it by this IoU."""


def text_to_frame(release: Release, features: Features, *, split: str, depth: int) -> Run:
    """Rank windows by the cosine of query and clip, averaged over the window's clips.

    Windows are as long as the 10th, 30th, 50th, 70th and 90th percentile of the collection's moments, and move by
    half their length; of those that overlap by an IoU of 0.5 or more the best stays. Whatever the clips' vectors are
    (a CLIP's, or the stand-in of class names), nothing is trained and no caption is read.
    Raises: BaselineError where features share no space with texts, or without a training file.
    """
    queries = release.queries(split)
    texts = features.shared_texts([query.text for query in queries])
    lengths = window_lengths(release)
    sizes = sorted({max(1, round(length / features.clip_seconds)) for length in lengths})
    names = list(release.durations)
    blocks = bar(
        _windows(features, names, sizes),
        desc="Videos",
        unit=f" x {VIDEOS_AT_ONCE}",
        total=-(-len(names) // VIDEOS_AT_ONCE),
    )
    builder = RunBuilder(NAME)
    for query, best in zip(queries, rank_moments(texts, blocks, depth=depth, overlap=OVERLAP), strict=True):
        builder.add(
            query.query_id,
            [names[video] for video in best.video],
            _seconds(best.video, best.span, names, release, features),
            best.score.tolist(),
        )
    return builder.finished()


def window_lengths(release: Release) -> list[float]:
    """The `QUANTILES` of the lengths of a collection's moments, in seconds.

    Raises: BaselineError as `moment_lengths`.
    """
    return [float(length) for length in np.quantile(moment_lengths(release), QUANTILES)]


def pair_similarities(pairs: Sequence[Pair], features: Features) -> FloatArray:
    """The cosine of each pair's query and clip, averaged over the clips that its moment touches, shape (P,).

    Raises: BaselineError where features share no space with texts, lack a video, or end before a moment begins.
    """
    texts = {query: row for row, query in enumerate(dict.fromkeys(pair.query for pair in pairs))}
    vectors = features.shared_texts(list(texts))
    by_video: dict[str, list[int]] = {}
    for place, pair in enumerate(pairs):
        by_video.setdefault(pair.video_name, []).append(place)
    found = np.empty(len(pairs))
    for video in bar(list(by_video), desc="Videos", unit=""):
        up_to = sums(features.shared(video))
        for place in by_video[video]:
            pair = pairs[place]
            first = int(pair.start // features.clip_seconds)
            last = min(math.ceil(pair.end / features.clip_seconds), len(up_to) - 1)
            if first >= last:
                raise BaselineError(
                    f"{features.name}: found {len(up_to) - 1} clips of {features.clip_seconds:g} s for the video "
                    f"{video!r}, expected some from {pair.start:g} s on, where pair {pair.pair_id} begins"
                )
            found[place] = (up_to[last] - up_to[first]) @ vectors[texts[pair.query]] / (last - first)
    return found


def _windows(features: Features, names: list[str], sizes: list[int]) -> Iterator[Moments]:
    """The windows of all videos in clips, of some videos at a time."""
    for begin in range(0, len(names), VIDEOS_AT_ONCE):
        some = range(begin, min(begin + VIDEOS_AT_ONCE, len(names)))
        found = [sliding(features.shared(names[video]), sizes) for video in some]
        yield Moments(
            np.repeat(np.array(some, dtype=np.int64), [len(spans) for spans, _ in found]),
            np.concatenate([spans for spans, _ in found]).astype(np.float64),
            np.concatenate([means for _, means in found]),
        )


def _seconds(video: IntArray, span: FloatArray, names: list[str], release: Release, features: Features) -> FloatArray:
    """Windows in seconds, none beyond its video's end, shape (n, 2)."""
    times = span * features.clip_seconds
    ends = np.array([release.durations[names[place]] or np.inf for place in video])
    inside = np.minimum(times[:, 1], ends)
    times[:, 1] = np.where(inside > times[:, 0], inside, times[:, 1])
    return np.round(times, 3)
