"""Do two measures order systems alike? Kendall's tau-b."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray
from ..significance.resampling import pair_places


def pair_signs(scores: FloatArray) -> FloatArray:
    """For every pair of systems, which is ahead: shape (..., S (S - 1) / 2) of -1, 0 and 1.

    Args: scores: shape (..., S).
    """
    first, second = pair_places(scores.shape[-1])
    signs: FloatArray = np.sign(scores[..., first] - scores[..., second])
    return signs


def kendall_tau_b(signs: FloatArray, other: FloatArray) -> FloatArray:
    """Kendall's tau-b of two orders given by their pair signs, in [-1, 1].

    tau-b = sum of the products of the signs / sqrt(pairs not tied here * pairs not tied there).
    NaN where an order is all tied.

    Args: arrays of shapes (..., P) that broadcast. Returns: shape (...).
    Source: Kendall (1945); scipy.stats.kendalltau's default variant.

    >>> a, b = pair_signs(np.array([1.0, 2, 3])), pair_signs(np.array([1.0, 3, 2]))
    >>> float(kendall_tau_b(a, b).round(4))
    0.3333
    """
    together = (signs * other).sum(axis=-1)
    untied = np.sqrt(np.abs(signs).sum(axis=-1) * np.abs(other).sum(axis=-1))
    tau = np.full(np.shape(together), np.nan)
    np.divide(together, untied, out=tau, where=untied > 0)
    return tau


def agreement(means: FloatArray) -> FloatArray:
    """Tau-b between all pairs of measures, shape (M, M).

    Args: means: each system's score, shape (M, S).
    Source: AxIoU (CVPR 2022), section 6.2 and Figure 4.
    """
    signs = pair_signs(means)
    return kendall_tau_b(signs[:, None, :], signs[None, :, :])
