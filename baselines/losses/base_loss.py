"""The losses that QuadLinear-AP is added to: InfoNCE with several positives, SSHN, and L_base.

Source: HAP-VR (arXiv 2407.15566), supplement, section A.3 and equation 1. The supplement gives
values for neither the temperature tau nor lambda_s; both are arguments here.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from baselines.losses.checks import LossError, check_mask, check_parameter, check_scores, sides

SMALLEST = 1e-6
"""A similarity is kept this far from 0 and 1 inside a logarithm."""


def info_nce(scores: Tensor, positives: Tensor, *, temperature: float, counted: Tensor | None = None) -> Tensor:
    """InfoNCE of each query, each of its positives against all its negatives.

    ``-(1/|S+|) sum over i in S+ of log(exp(s_i/tau) / (exp(s_i/tau) + sum over j in S- of exp(s_j/tau)))``:
    the other positives are not in the denominator.

    Args:
        scores: shape (Q, N), floating point. positives: shape (Q, N), bool. temperature: tau > 0.
        counted: shape (Q, N), bool, or None for all; what isn't counted is in no sum.
    Returns: shape (Q,), >= 0. A row without negatives is 0 (log 1); a row without positives has
        no value and is 0.
    Raises: LossError for wrong shapes or types, NaN, infinity, or temperature <= 0.
    Source: section A.3, first equation.

    >>> info_nce(torch.zeros(1, 2), torch.tensor([[True, False]]), temperature=1.0).item()  # log 2
    0.6931...
    """
    positives, negatives = sides(scores, positives, counted)
    check_parameter(temperature, name="temperature")
    # The lowest finite number, not -inf: where a row has no negatives the gradient stays a number.
    nothing = torch.finfo(scores.dtype).min / 4
    against = torch.logsumexp((scores / temperature).masked_fill(~negatives, nothing), dim=1, keepdim=True)
    of_positive = F.softplus(against - scores / temperature).masked_fill(~positives, 0.0)
    return of_positive.sum(dim=1) / positives.sum(dim=1).clamp_min(1)


def sshn(own: Tensor, scores: Tensor, negatives: Tensor) -> Tensor:
    """Self-similarity and hardest negative: ``-log(s_kk) - log(1 - max over negatives of s_ki)``.

    The supplement prints ``max (1 - s_ki)``, which would pick the easiest negative; its text says
    "the most challenging", and that is taken here: 1 - max s = min (1 - s).

    Args:
        own: shape (Q,), each item's similarity with itself. scores: shape (Q, N), similarities in
        [0, 1]. negatives: shape (Q, N), bool.
    Returns: shape (Q,), >= 0. A row without negatives has the first term only. Similarities are
        kept 1e-6 away from 0 and 1.
    Raises: LossError for wrong shapes or types, NaN, or similarities outside [0, 1].
    Source: section A.3, second equation.

    >>> sshn(torch.tensor([1.0]), torch.tensor([[0.5, 0.1]]), torch.tensor([[True, True]])).item()
    0.6931...
    """
    check_scores(own, dimensions=1, name="own similarities")
    check_scores(scores, dimensions=2)
    check_mask(negatives, scores, name="negatives")
    if len(own) != len(scores):
        raise LossError(f"own similarities: found {len(own)}, expected one for each of {len(scores)} rows")
    for name, values in (("own similarities", own), ("scores", scores)):
        low, high = (float(end) for end in values.detach().aminmax())
        if low < 0 or high > 1:
            raise LossError(f"{name}: found {low:g} to {high:g}, expected similarities in [0, 1]")
    hardest = scores.masked_fill(~negatives, 0.0).amax(dim=1)
    hard = torch.where(negatives.any(dim=1), -torch.log((1.0 - hardest).clamp_min(SMALLEST)), 0.0)
    return -torch.log(own.clamp_min(SMALLEST)) + hard


def base_loss(similarities: Tensor, positives: Tensor, *, temperature: float, lambda_s: float) -> Tensor:
    """L_base: the mean over the videos of a batch of InfoNCE + lambda_s * SSHN.

    Args:
        similarities: shape (N, N), in [0, 1]; row k is query video k against the batch.
        positives: shape (N, N), bool. The diagonal is the video itself: neither positive nor
        negative, whatever stands there; SSHN takes its own similarity from it.
        temperature: tau > 0. lambda_s: >= 0.
    Returns: a scalar.
    Raises: LossError as `info_nce` and `sshn`, or if the matrix isn't square.
    Source: equation 1.
    """
    check_scores(similarities, dimensions=2, name="similarities")
    check_mask(positives, similarities, name="positives")
    check_parameter(lambda_s, name="lambda_s", zero_allowed=True)
    if similarities.shape[0] != similarities.shape[1]:
        raise LossError(f"similarities: found shape {tuple(similarities.shape)}, expected a square")
    others = ~torch.eye(len(similarities), dtype=torch.bool, device=similarities.device)
    contrast = info_nce(similarities, positives, temperature=temperature, counted=others)
    return (contrast + lambda_s * sshn(similarities.diagonal(), similarities, ~positives & others)).mean()
