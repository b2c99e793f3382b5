"""QuadLinear-AP over grades: each grade's threshold makes a positive set of its own (ours)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor

from baselines.losses.ap_risk import mean_quadlinear_ap
from baselines.losses.checks import LossError, check_scores


def graded_quadlinear_ap(
    scores: Tensor,
    relevance: Tensor,
    *,
    thresholds: Sequence[float],
    delta: float,
    rho: float,
    counted: Tensor | None = None,
) -> Tensor:
    """The mean of QuadLinear-AP over thresholds; at each, what reaches it is positive, the rest negative.

    So an item of the highest relevance is asked to stand above all others, one of the lowest only
    above what is irrelevant. With a single threshold it is `mean_quadlinear_ap`.

    Args:
        scores: shape (Q, N), floating point. relevance: shape (Q, N), numbers: grades 0-4, or the
        similarities of a pseudo training set; 0 is irrelevant. thresholds: rising, each > 0
        (grades: 1, 2, 3, 4; similarities: `similarity_thresholds`).
        delta, rho, counted: as `mean_quadlinear_ap`.
    Returns: a scalar in [0, 1). A threshold that nothing in the batch reaches is left out of the
        mean, a row without positives at a threshold out of that threshold's.
    Raises: LossError for wrong shapes, types or thresholds, NaN, or if nothing reaches any threshold.
    """
    check_scores(scores, dimensions=2)
    if relevance.shape != scores.shape:
        raise LossError(f"relevance: found shape {tuple(relevance.shape)}, expected {tuple(scores.shape)}")
    if not bool(torch.isfinite(relevance).all()):
        raise LossError("relevance: found NaN or infinity, expected finite numbers")
    rising = all(low < high for low, high in pairwise(thresholds))
    if not thresholds or not rising or not thresholds[0] > 0:
        raise LossError(f"thresholds: found {tuple(thresholds)}, expected rising numbers above 0")
    values = []
    for threshold in thresholds:
        positives = relevance >= threshold
        if bool((positives if counted is None else positives & counted).any()):
            values.append(mean_quadlinear_ap(scores, positives, delta=delta, rho=rho, counted=counted))
    if not values:
        raise LossError(f"relevance: found nothing that reaches {thresholds[0]:g}, expected at least one positive")
    return torch.stack(values).mean()


def similarity_thresholds(similarities: Tensor, *, levels: int = 4) -> tuple[float, ...]:
    """Thresholds for pairs that have a similarity and no grade: quantiles of all their similarities.

    A pseudo training set has sim(q, m.c) where judged pairs have grades 1 to 4. The lowest
    threshold is the least similarity there is, so that every pair of the set is positive at one
    threshold; the others are the quantiles 1/levels, 2/levels, ... Equal ones are taken once: a set
    of the top 1 with similarity 1.0 throughout has a single threshold, the plain loss.

    Args: similarities: any shape, not empty, of the training pairs alone. levels: >= 1.
    Returns: rising, at most ``levels`` of them, each above 0.
    Raises: LossError if there is no similarity, none is above 0, NaN, or levels < 1.

    >>> similarity_thresholds(torch.tensor([0.25, 0.5, 0.75, 1.0]), levels=2)
    (0.25, 0.75)
    """
    if levels < 1:
        raise LossError(f"levels: found {levels}, expected at least 1")
    flat = similarities.detach().flatten()
    check_scores(flat, dimensions=1, name="similarities")
    ordered = flat[flat > 0].sort().values
    if not len(ordered):
        raise LossError("similarities: found none above 0, expected those of the training pairs")
    # The value at a place, not between two: torch.quantile has a limit of 16 million, and this none.
    chosen = {float(ordered[len(ordered) * level // levels]) for level in range(levels)}
    return tuple(sorted(chosen))
