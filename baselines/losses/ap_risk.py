"""The risk 1 - AP of a ranking, exact and as QuadLinear-AP, which can be trained on.

Source of all equations: HAP-VR (arXiv 2407.15566), supplement, sections A.1 and A.2.

H is the Heaviside function with H(0) = 1, as R-(0; delta) = 1 asks for: of two equal scores each
counts as ranked above the other, so ties cost. An item is never compared with itself: the sum over
positives leaves the item out, and the 1 in the denominator is what it stands for.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from baselines.losses.checks import LossError, check_mask, check_parameter, check_scores, sides

Surrogate = Callable[[Tensor], Tensor]


def heaviside(x: Tensor) -> Tensor:
    """H(x): 1 where x >= 0, otherwise 0; same shape and type as x, without a gradient."""
    return (x >= 0).to(x.dtype)


def r_minus(x: Tensor, delta: float) -> Tensor:
    """R-(x; delta), the surrogate of H for a negative that is x above a positive.

    ``2x/delta + 1`` for x >= 0, ``(x/delta + 1)^2`` for -delta <= x < 0, 0 below: at least H(x),
    convex, never falling, with a continuous derivative.

    Args: x: any shape; delta: the margin, > 0, in the unit of the scores.
    Raises: LossError if delta isn't above 0.
    Source: section A.2.1.

    >>> r_minus(torch.tensor([-0.3, -0.1, -0.05, 0.0, 0.1]), 0.1).tolist()
    [0.0, 0.0, 0.25, 1.0, 3.0]
    """
    check_parameter(delta, name="delta")
    ratio = x / delta
    # Clamped before it is squared: an infinite square times a gradient of 0 would be NaN. At x = 0
    # the clamp passes its gradient and relu none, so that 2/delta is counted once.
    return ratio.clamp(-1.0, 0.0).add(1.0).square() + 2.0 * ratio.relu()


def r_minus_derivative(x: Tensor, delta: float) -> Tensor:
    """dR-/dx: 2/delta for x >= 0, ``2x/delta^2 + 2/delta`` for -delta <= x < 0, 0 below.

    Raises: LossError if delta isn't above 0.
    Source: section A.2.1; tests compare it with the gradient of `r_minus`.
    """
    check_parameter(delta, name="delta")
    return (2.0 / delta) * (x / delta + 1.0).clamp(0.0, 1.0)


def quadlinear_ap(scores: Tensor, positives: Tensor, *, delta: float, rho: float) -> Tensor:
    """Q_k, the QuadLinear-AP risk of one query, in [0, 1); 0 is a ranking with every margin kept.

    The mean over the positives i of ``h(sum over negatives j of R-(s_j - s_i; delta) /
    (1 + rho * sum over positives j != i of H(s_j - s_i)))`` with ``h(x) = x / (1 + x)``. The sum
    over positives is a weight and has no gradient.

    Args:
        scores: shape (N,), floating point, higher is better. positives: shape (N,), bool.
        delta: > 0, the margin by which a positive should stand above a negative.
        rho: >= 0, how much the positives ranked above one weigh; 1 is the exact risk's weight.
    Returns: a scalar. Without negatives it is 0 with a gradient of 0: nothing can stand above.
    Raises: LossError for wrong shapes or types, NaN, infinity, delta <= 0, rho < 0, or if there is
        no positive, for then average precision isn't defined.
    Source: section A.1, last equation.

    >>> quadlinear_ap(torch.tensor([0.9, 0.5]), torch.tensor([True, False]), delta=0.1, rho=1.0).item()
    0.0
    >>> quadlinear_ap(torch.tensor([0.5, 0.5]), torch.tensor([True, False]), delta=0.1, rho=1.0).item()
    0.5
    """
    check_scores(scores, dimensions=1)
    return quadlinear_ap_of_rows(scores[None], _row(scores, positives), delta=delta, rho=rho)[0]


def quadlinear_ap_of_rows(
    scores: Tensor, positives: Tensor, *, delta: float, rho: float, counted: Tensor | None = None
) -> Tensor:
    """QuadLinear-AP of each row of a batch.

    Args:
        scores: shape (Q, N). positives: shape (Q, N), bool.
        counted: shape (Q, N), bool, or None for all: what is not counted (padding, the query
            itself, a frame that is neither clearly positive nor negative) is neither.
    Returns: shape (Q,). Rows without a positive have no value and are 0 without a gradient; use
        `mean_quadlinear_ap` for a mean that leaves them out.
    Raises: LossError as `quadlinear_ap`, and if no row has a positive.
    """
    check_parameter(delta, name="delta")
    return _risk(scores, positives, counted, lambda x: r_minus(x, delta), rho)


def mean_quadlinear_ap(
    scores: Tensor, positives: Tensor, *, delta: float, rho: float, counted: Tensor | None = None
) -> Tensor:
    """The mean of QuadLinear-AP over the rows that have a positive (mAP leaves the others out too).

    Args, raises: as `quadlinear_ap_of_rows`. Returns: a scalar in [0, 1).
    """
    return mean_of_rows(
        quadlinear_ap_of_rows(scores, positives, delta=delta, rho=rho, counted=counted), positives, counted
    )


def mean_of_rows(values: Tensor, positives: Tensor, counted: Tensor | None = None) -> Tensor:
    """The mean of values (Q,), 0 where a row has no positive, over the rows that have one: a scalar."""
    has_positive = (positives if counted is None else positives & counted).any(dim=1)
    return values.sum() / has_positive.sum()


def smooth_ap(scores: Tensor, positives: Tensor, *, counted: Tensor | None = None, temperature: float = 0.01) -> Tensor:
    """Smooth-AP of each row: the same formula with the sigmoid of x / temperature in place of H, for positives too.

    Args, returns, raises: as `quadlinear_ap_of_rows`; temperature > 0.
    Source: Brown et al., "Smooth-AP" (ECCV 2020), and its temperature.
    """
    check_parameter(temperature, name="temperature")

    def smooth(x: Tensor) -> Tensor:
        return torch.sigmoid(x / temperature)

    return _risk(scores, positives, counted, smooth, 1.0, smooth)


def exact_ap_risk(scores: Tensor, positives: Tensor) -> Tensor:
    """1 - AP of one query: the same formula with H in place of R- and rho = 1.

    Args: scores: shape (N,), floating point. positives: shape (N,), bool.
    Returns: a scalar in [0, 1) without a gradient: it is piecewise constant. Ties are counted
        against the ranking (H(0) = 1); without ties it is 1 - AP to the letter.
    Raises: LossError as `quadlinear_ap`.
    Source: section A.1.

    >>> exact_ap_risk(torch.tensor([0.9, 0.8, 0.7]), torch.tensor([True, False, True])).item()
    0.1666...
    """
    check_scores(scores, dimensions=1)
    return _risk(scores[None], _row(scores, positives), None, heaviside, 1.0)[0]


def _row(scores: Tensor, positives: Tensor) -> Tensor:
    check_mask(positives, scores, name="positives")
    return positives[None]


def _risk(
    scores: Tensor,
    positives: Tensor,
    counted: Tensor | None,
    surrogate: Surrogate,
    rho: float,
    of_positives: Surrogate = heaviside,
) -> Tensor:
    """The risk of each row, shape (Q,), with what stands in for H between a negative and a positive, and two positives.

    `heaviside` has no gradient: with it the sum over positives is a weight alone.
    """
    positives, negatives = sides(scores, positives, counted)
    check_parameter(rho, name="rho", zero_allowed=True)
    row, item = positives.nonzero(as_tuple=True)
    if not len(row):
        raise LossError("positives: found none, expected at least one; without one there is no average precision")
    # One line for each positive: how far every item of its row stands above it.
    above = scores[row] - scores[row, item].unsqueeze(1)
    wrong = torch.where(negatives[row], surrogate(above), 0.0).sum(dim=1)
    others = positives[row].scatter(1, item.unsqueeze(1), False)
    better = torch.where(others, of_positives(above), 0.0).sum(dim=1)
    ratio = wrong / (1.0 + rho * better)
    of_positive = ratio / (1.0 + ratio)
    total = scores.new_zeros(len(scores)).index_add(0, row, of_positive)
    return total / positives.sum(dim=1).clamp_min(1)
