"""Losses that HAP-VR is compared with, in the place of QuadLinear-AP: pair by pair, and other surrogates of AP.

Its supplement names circle and triplet loss (section C); the others are the usual ones of either kind. Each takes
scores (Q, N), positives (Q, N) bool and what is counted (Q, N) bool or None, and gives a value a row, (Q,), 0 for a row
without positives. They raise LossError for wrong shapes or types, NaN and infinity. Margins and the like are those of
their sources, where these name one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor

from baselines.losses.ap_risk import smooth_ap
from baselines.losses.base_loss import info_nce
from baselines.losses.checks import check_parameter, sides

QUADLINEAR = "quadlinear"


def contrastive(scores: Tensor, positives: Tensor, *, counted: Tensor | None = None, margin: float = 0.5) -> Tensor:
    """The mean over a row's pairs of d^2 / 2 for a positive, max(0, margin - d)^2 / 2 for a negative, d = 1 - s.

    Source: Hadsell, Chopra and LeCun (CVPR 2006); the margin is ours.
    """
    positives, negatives = sides(scores, positives, counted)
    check_parameter(margin, name="margin")
    distance = 1.0 - scores
    halves = torch.where(positives, distance.square(), (margin - distance).relu().square()) / 2.0
    pairs = (positives | negatives) & positives.any(1, keepdim=True)
    return (halves * pairs).sum(1) / pairs.sum(1).clamp_min(1)


def triplet(scores: Tensor, positives: Tensor, *, counted: Tensor | None = None, margin: float = 0.2) -> Tensor:
    """The mean over a row's positives i and negatives j of max(0, margin + s_j - s_i).

    Source: Schroff, Kalenichenko and Philbin, "FaceNet" (CVPR 2015), over similarities, with its margin.
    """
    positives, negatives = sides(scores, positives, counted)
    check_parameter(margin, name="margin")
    triplets = positives.unsqueeze(2) & negatives.unsqueeze(1)
    above = (margin + scores.unsqueeze(1) - scores.unsqueeze(2)).relu()
    return (above * triplets).sum((1, 2)) / triplets.sum((1, 2)).clamp_min(1)


def circle(
    scores: Tensor, positives: Tensor, *, counted: Tensor | None = None, margin: float = 0.25, gamma: float = 256.0
) -> Tensor:
    """log(1 + sum over j of e^(gamma a_j (s_j - m)) * sum over i of e^(-gamma a_i (s_i - 1 + m))).

    The weights a_j = max(0, s_j + m) and a_i = max(0, 1 + m - s_i) have no gradient.
    Source: Sun et al., "Circle Loss" (CVPR 2020), with its margin and scale for faces.
    """
    positives, negatives = sides(scores, positives, counted)
    check_parameter(margin, name="margin")
    check_parameter(gamma, name="gamma")
    still = scores.detach()
    low = gamma * (still + margin).relu() * (scores - margin)
    high = -gamma * (1.0 + margin - still).relu() * (scores - 1.0 + margin)
    nothing = torch.finfo(scores.dtype).min / 4  # a finite number, so that the gradient stays one where a side is empty
    return F.softplus(
        low.masked_fill(~negatives, nothing).logsumexp(1) + high.masked_fill(~positives, nothing).logsumexp(1)
    )


def fast_ap(scores: Tensor, positives: Tensor, *, counted: Tensor | None = None, bins: int = 10) -> Tensor:
    """1 - (1 / |S+|) sum over bins of h+ H+ / H, by histograms h of similarities in [-1, 1], summed from 1 down as H.

    An item counts linearly for the two nearest of the ``bins`` + 1 places. Ties within a bin cost: it isn't 0 even for
    a perfect ranking unless no bin has both.
    Source: Cakir et al., "Deep Metric Learning to Rank" (CVPR 2019), with 10 bins.
    """
    positives, negatives = sides(scores, positives, counted)
    check_parameter(bins, name="bins")
    places = torch.linspace(1.0, -1.0, bins + 1, dtype=scores.dtype, device=scores.device)
    share = (1.0 - (scores.clamp(-1.0, 1.0).unsqueeze(2) - places).abs() * (bins / 2)).relu()
    of_positives = (share * positives.unsqueeze(2)).sum(1)
    above = (of_positives + (share * negatives.unsqueeze(2)).sum(1)).cumsum(1)
    precision = of_positives.cumsum(1) / above.clamp_min(torch.finfo(scores.dtype).tiny)
    found = (of_positives * precision).sum(1) / positives.sum(1).clamp_min(1)
    return (1.0 - found) * positives.any(1)


RIVALS: dict[str, Callable[..., Tensor]] = {
    "contrastive": contrastive,
    "triplet": triplet,
    "circle": circle,
    "infonce": partial(info_nce, temperature=0.07),
    "smooth-ap": smooth_ap,
    "fast-ap": fast_ap,
}
"""By name. InfoNCE has the usual temperature 0.07 (van den Oord et al. 2018 name none)."""
