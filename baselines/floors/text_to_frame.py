"""Text-to-frame similarity with sliding windows: no training, no captions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from baselines.arrays import SingleArray
from baselines.errors import BaselineError
from baselines.features.interface import Features
from baselines.floors.lengths import moment_lengths
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
SPARE = 8
"""How many times ``depth`` windows are held before overlapping ones are left out."""


@dataclass(frozen=True)
class _Windows:
    """W windows. Attributes: video: shape (W,), indices; first, last: shape (W,), clips, last excluded; mean:
    shape (W, size), the mean of their clips' vectors."""

    video: IntArray
    first: IntArray
    last: IntArray
    mean: SingleArray


def text_to_frame(release: Release, features: Features, *, split: str, depth: int) -> Run:
    """Rank windows by the cosine of query and clip, averaged over the window's clips.

    Windows are as long as the 10th, 30th, 50th, 70th and 90th percentile of the collection's moments, and move by
    half their length; of those that overlap by an IoU of 0.5 or more the best stays. Whatever the clips' vectors are
    (a CLIP's, or the stand-in of class names), nothing is trained and no caption is read.
    Raises: BaselineError where features share no space with texts, or without a training file.
    """
    queries = release.queries(split)
    texts = features.shared_texts([query.text for query in queries])
    seconds = np.quantile(moment_lengths(release), QUANTILES)
    sizes = sorted({max(1, round(length / features.clip_seconds)) for length in seconds})
    names = list(release.durations)
    held = SPARE * depth
    scores = np.full((len(queries), 0), 0.0, dtype=np.float32)
    windows_found = np.zeros((len(queries), 0, 3), dtype=np.int64)
    for windows in bar(
        _windows(features, names, sizes),
        desc="Videos",
        unit=f" x {VIDEOS_AT_ONCE}",
        total=-(-len(names) // VIDEOS_AT_ONCE),
    ):
        own = np.stack([windows.video, windows.first, windows.last], axis=1)
        scores = np.concatenate([scores, texts @ windows.mean.T], axis=1)
        windows_found = np.concatenate([windows_found, np.broadcast_to(own, (len(queries), *own.shape))], axis=1)
        best = np.argsort(-scores, axis=1, kind="stable")[:, :held]
        scores = np.take_along_axis(scores, best, axis=1)
        windows_found = np.take_along_axis(windows_found, best[:, :, None], axis=1)
    builder = RunBuilder(NAME)
    for row, query in enumerate(queries):
        kept = _apart(windows_found[row], depth)
        places = windows_found[row, kept]
        builder.add(
            query.query_id,
            [names[video] for video in places[:, 0]],
            _seconds(places, names, release, features),
            [float(score) for score in scores[row, kept]],
        )
    return builder.finished()


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
        sums = _sums(features.shared(video))
        for place in by_video[video]:
            pair = pairs[place]
            first = int(pair.start // features.clip_seconds)
            last = min(math.ceil(pair.end / features.clip_seconds), len(sums) - 1)
            if first >= last:
                raise BaselineError(
                    f"{features.name}: found {len(sums) - 1} clips of {features.clip_seconds:g} s for the video "
                    f"{video!r}, expected some from {pair.start:g} s on, where pair {pair.pair_id} begins"
                )
            found[place] = (sums[last] - sums[first]) @ vectors[texts[pair.query]] / (last - first)
    return found


def _windows(features: Features, names: list[str], sizes: list[int]) -> Iterator[_Windows]:
    """The windows of all videos, of some videos at a time."""
    for begin in range(0, len(names), VIDEOS_AT_ONCE):
        rows: list[tuple[int, int, int]] = []
        means: list[SingleArray] = []
        for video in range(begin, min(begin + VIDEOS_AT_ONCE, len(names))):
            clips = features.shared(names[video])
            sums = _sums(clips)
            for size in sizes:
                last_start = max(0, len(clips) - size)
                starts = sorted({*range(0, last_start + 1, max(1, size // 2)), last_start})
                for first in starts:
                    last = min(first + size, len(clips))
                    if (video, first, last) not in rows[-len(starts) * len(sizes) :]:
                        rows.append((video, first, last))
                        means.append(np.asarray((sums[last] - sums[first]) / (last - first), dtype=np.float32))
        table = np.array(rows, dtype=np.int64)
        yield _Windows(table[:, 0], table[:, 1], table[:, 2], np.stack(means))


def _sums(clips: SingleArray) -> FloatArray:
    """Sums of a video's clips up to each, shape (clips + 1, size): what lies between two is their difference."""
    return np.concatenate([np.zeros((1, clips.shape[1])), np.cumsum(clips, axis=0, dtype=np.float64)])


def _apart(windows: IntArray, depth: int) -> list[int]:
    """The places of the best windows, at most ``depth``, none of which overlaps a better one by `OVERLAP`."""
    kept: list[int] = []
    of_video: dict[int, list[tuple[int, int]]] = {}
    for place, (video, first, last) in enumerate(windows.tolist()):
        others = of_video.setdefault(video, [])
        if all(
            (min(last, end) - max(first, start)) < OVERLAP * (max(last, end) - min(first, start))
            for start, end in others
        ):
            others.append((first, last))
            kept.append(place)
            if len(kept) == depth:
                break
    return kept


def _seconds(places: IntArray, names: list[str], release: Release, features: Features) -> FloatArray:
    """Windows in seconds, none beyond its video's end, shape (n, 2)."""
    times = places[:, 1:].astype(np.float64) * features.clip_seconds
    ends = np.array([release.durations[names[video]] or np.inf for video in places[:, 0]])
    inside = np.minimum(times[:, 1], ends)
    times[:, 1] = np.where(inside > times[:, 0], inside, times[:, 1])
    return np.round(times, 3)
