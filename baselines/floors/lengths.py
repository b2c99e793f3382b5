"""How long a collection's moments are."""

from __future__ import annotations

import numpy as np

from baselines.reading.release import Release
from evaluation.arrays import FloatArray


def moment_lengths(release: Release) -> FloatArray:
    """The lengths in seconds of the distinct moments of pseudo-training, rising, one or more.

    Raises: BaselineError if there is no training file.
    """
    training = release.training
    moments = np.unique(np.stack([training.video, training.start, training.end], axis=1), axis=0)
    return np.sort(moments[:, 2] - moments[:, 1])
