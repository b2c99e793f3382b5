"""Random moments: any video, any place in it, as long as the collection's moments are."""

from __future__ import annotations

import numpy as np

from baselines.features.interface import Features
from baselines.floors.lengths import moment_lengths
from baselines.reading.release import Release
from evaluation.moments.run import Run, RunBuilder

NAME = "random-moments"


def random_moments(release: Release, features: Features, *, split: str, seed: int, depth: int) -> Run:
    """For each query ``depth`` moments: the video drawn evenly, the length from the collection's moments (a video's
    own where it is shorter), the start evenly among those that fit.

    The scores fall from ``depth`` to 1. The same seed gives the same run.
    Raises: BaselineError without a training file or a split's queries.
    """
    dice = np.random.default_rng(seed)
    lengths = moment_lengths(release)
    names = list(release.durations)
    durations = np.array(
        [
            features.clips(video) * features.clip_seconds if seconds is None else seconds
            for video, seconds in release.durations.items()
        ]
    )
    builder = RunBuilder(NAME)
    for query in release.queries(split):
        videos = dice.integers(len(names), size=depth)
        length = np.minimum(dice.choice(lengths, size=depth), durations[videos])
        start = dice.random(depth) * (durations[videos] - length)
        builder.add(
            query.query_id,
            [names[video] for video in videos],
            np.round(np.stack([start, start + length], axis=1), 3),
            [float(score) for score in range(depth, 0, -1)],
        )
    return builder.finished()
