"""The learning rate of a study, chosen on validation clips: held out from training, and no test clips."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from statistics import fmean

import numpy as np

from baselines.copy_retrieval.clips import Clips
from baselines.copy_retrieval.rows import BASE, BOTH
from baselines.copy_retrieval.settings import TrainingSettings
from baselines.copy_retrieval.training import score, train
from baselines.copy_retrieval.whitening import ClipFeatures
from baselines.errors import BaselineError

VALIDATION_SHARE = 0.4
"""Part of the training videos that the candidates are compared on, as large as the usual share of test videos."""


def validation_clips(clips: Clips, seed: int) -> Clips:
    """The training clips split again: the clips of some videos are held out and stand in for the test clips.

    Raises: BaselineError if they are of fewer than two videos.
    """
    rows = np.flatnonzero(~clips.test)
    names = [clips.names[row] for row in rows]
    videos = list(dict.fromkeys(_video(name) for name in names))
    if len(videos) < 2:
        raise BaselineError(
            f"found {len(videos)} video to train on, expected two or more to choose a learning rate on: add videos, or "
            "name one by --learning-rate"
        )
    count = min(max(1, round(len(videos) * VALIDATION_SHARE)), len(videos) - 1)
    held_out = {videos[place] for place in np.random.default_rng(seed).permutation(len(videos))[:count]}
    test = np.array([_video(name) in held_out for name in names])
    return Clips(clips.regions[rows], clips.frames[rows], tuple(names), test, ())


def reached_with(rate: float, features: ClipFeatures, training: TrainingSettings, *, seed: int) -> float:
    """The mAP on validation videos that a learning rate reaches.

    The mean of two trainings, with the base loss alone and with both losses of QuadLinear-AP, so that the choice
    favours neither. Args: features: of `validation_clips`. Raises: BaselineError as `train`.
    """
    tried = replace(training, learning_rate=rate)
    return fmean(score(features, train(features, losses, tried, seed=seed), tried).mAP for losses in (BASE, BOTH))


def best_rate(values: Mapping[float, float]) -> float:
    """The rate with the highest value; of equals the lowest.

    >>> best_rate({0.001: 0.2, 0.002: 0.3, 0.005: 0.3})
    0.002
    """
    return min(values, key=lambda rate: (-values[rate], rate))


def _video(clip: str) -> str:
    return clip.rpartition("#")[0]
