"""Do two measures order systems alike? Kendall's tau-b, tau-AP, rank-biased overlap."""

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


def tau_ap(scores: FloatArray, reference: FloatArray) -> FloatArray:
    """AP correlation of an order of systems with a reference, in [-1, 1]: tau in which the top counts more.

    The mean over the ranks from the second on of how far the reference agrees that the systems above are above: +1 for
    each where it does, -1 where it says the opposite, 0 where it has a tie. Not symmetric. Of systems that tie in
    `scores` it is the mean over all orders that they could have; with ties 1 isn't reached. NaN for fewer than two
    systems, or where one of the two is all tied.

    Args: scores, reference: shape (..., S), of the same systems; they broadcast. Returns: shape (...).
    Source: Yilmaz, Aslam and Robertson, A New Rank Correlation Coefficient for Information Retrieval (SIGIR 2008).

    >>> tau_ap(np.array([3.0, 2, 1]), np.array([[3.0, 1, 2], [2.0, 3, 1]])).tolist()
    [0.5, 0.0]
    """
    scores, reference = np.broadcast_arrays(scores, reference)
    systems = scores.shape[-1]
    above = scores[..., None, :] > scores[..., :, None]  # [i, j]: j stands above i
    agreed = (above * np.sign(reference[..., None, :] - reference[..., :, None])).sum(axis=-1)
    higher, same = above.sum(axis=-1), (scores[..., None, :] == scores[..., :, None]).sum(axis=-1)
    # One of t that tie below a others has a, ..., a + t - 1 above it, each as likely; those that tie cancel out.
    harmonic = np.append(0.0, np.cumsum(1.0 / np.arange(1, max(2, systems))))
    before = harmonic[np.maximum(higher - 1, 0)]
    mean = (harmonic[np.minimum(higher + same - 1, systems - 1)] - before) / same
    tau = np.asarray((agreed * mean).sum(axis=-1) / max(1, systems - 1), dtype=np.float64)
    told = (np.ptp(scores, axis=-1) > 0) & (np.ptp(reference, axis=-1) > 0)
    return np.where(told, tau, np.nan)


def rank_biased_overlap(scores: FloatArray, other: FloatArray, p: float = 0.9) -> FloatArray:
    """Extrapolated rank-biased overlap (RBO_ext) of two orders of the same systems, in [0, 1].

    The sum over the depths d = 1..S of (1 - p) p^(d-1) A(d), and p^S A(S) for what lies beyond; A(d) is how much the
    first d of both overlap, and 1 at S. Systems that tie have the same, best rank: the first d are those whose rank is
    at most d, which may be more than d, and A(d) is twice what both have over what they have together.

    Args: scores, other: shape (..., S); they broadcast. p: in (0, 1), the higher the deeper one looks.
    Returns: shape (...).
    Source: Webber, Moffat and Zobel, A Similarity Measure for Indefinite Rankings (TOIS 2010), equations 28 and 32.

    >>> round(rank_biased_overlap(np.array([3.0, 2, 1]), np.array([3.0, 1, 2]), p=0.5).item(), 4)
    0.875
    """
    scores, other = np.broadcast_arrays(scores, other)
    systems = scores.shape[-1]
    depth = np.arange(1, systems + 1)[:, None]
    first, second = (
        1 + (own[..., None, :] > own[..., :, None]).sum(axis=-1)[..., None, :] <= depth for own in (scores, other)
    )
    shared = 2 * (first & second).sum(axis=-1) / (first.sum(axis=-1) + second.sum(axis=-1))
    weight = (1 - p) * p ** np.arange(systems)
    return np.asarray((shared * weight).sum(axis=-1) + p**systems, dtype=np.float64)
