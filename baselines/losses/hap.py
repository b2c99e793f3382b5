"""The whole loss of HAP-VR: L_base + lambda_v * QuadLinear-AP of videos + lambda_f * QuadLinear-AP of frames.

Another loss that ranks may stand in QuadLinear-AP's place (`rivals`).
Source: HAP-VR (arXiv 2407.15566), supplement, section B.3 and Table 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from baselines.losses.ap_risk import mean_of_rows, quadlinear_ap_of_rows
from baselines.losses.base_loss import base_loss
from baselines.losses.checks import LossError, check_parameter
from baselines.losses.rivals import QUADLINEAR, RIVALS


@dataclass(frozen=True)
class HAPSettings:
    """Hyperparameters; the defaults are Table 2's, and the published code's for tau and lambda_s, which it lacks.

    delta_v, rho_v, lambda_v: margin, weight of positives above, weight of the loss, of videos;
    delta_f, rho_f, lambda_f: the same of frames. A weight of 0 leaves that loss out.
    top_rate, bottom_rate: r_t and r_b, which parts of a copy's frames are positive and negative.
    own: whether a video is a positive of its own query, and its frames are ranked for each of them, as in the published
    code (the supplement doesn't say); InfoNCE leaves it out there too. Where a video has one copy in a batch, rho_v has
    an effect only so.
    ranking: what ranks videos and frames, `QUADLINEAR` or one of `RIVALS`, which know neither delta nor rho.
    """

    delta_v: float = 0.05
    rho_v: float = 0.10
    lambda_v: float = 4.0
    delta_f: float = 0.05
    rho_f: float = 5.0
    lambda_f: float = 6.0
    temperature: float = 0.03
    lambda_s: float = 3.0
    top_rate: float = 0.35
    bottom_rate: float = 0.35
    own: bool = True
    ranking: str = QUADLINEAR

    def __post_init__(self) -> None:
        """Raises: LossError if one is out of its range."""
        for name in ("delta_v", "delta_f", "temperature"):
            check_parameter(getattr(self, name), name=name)
        for name in ("rho_v", "rho_f", "lambda_v", "lambda_f", "lambda_s"):
            check_parameter(getattr(self, name), name=name, zero_allowed=True)
        for name in ("top_rate", "bottom_rate"):
            if not 0 < getattr(self, name) <= 1:
                raise LossError(f"{name}: found {getattr(self, name):g}, expected above 0, at most 1")
        if self.top_rate + self.bottom_rate > 1:
            raise LossError(
                f"rates of pseudo labels: found {self.top_rate:g} + {self.bottom_rate:g}, expected at most 1 together"
            )
        if self.ranking != QUADLINEAR and self.ranking not in RIVALS:
            raise LossError(f"ranking: found {self.ranking!r}, expected {QUADLINEAR} or one of {', '.join(RIVALS)}")


@dataclass(frozen=True)
class HAPLoss:
    """The whole loss and its parts, each a scalar tensor; parts are not yet weighted."""

    total: Tensor
    base: Tensor
    video: Tensor
    frame: Tensor


def hap_loss(
    similarities: Tensor,
    positives: Tensor,
    frame_scores: Tensor,
    frame_positives: Tensor,
    frame_counted: Tensor,
    settings: HAPSettings,
) -> HAPLoss:
    """The loss of a batch of N videos and F query frames.

    Args:
        similarities: shape (N, N), of videos, in [0, 1]; positives: shape (N, N), bool. What stands
        on its diagonal has no effect: `HAPSettings.own` says whether a video is its own positive.
        frame_scores: shape (F, M), each query frame against M frames; frame_positives,
        frame_counted: shape (F, M), bool, the pseudo labels (frames between the top and the bottom
        rate are not counted).
    Returns: the total with its parts; a part whose weight is 0, or which has no positive anywhere in
        the batch, is 0.
    Raises: LossError as the parts.
    """
    own = torch.eye(len(similarities), dtype=torch.bool, device=similarities.device)
    base = base_loss(similarities, positives, temperature=settings.temperature, lambda_s=settings.lambda_s)
    video = frame = similarities.new_zeros(())
    of_videos, counted = (positives | own, torch.ones_like(own)) if settings.own else (positives, ~own)
    if settings.lambda_v and bool((of_videos & counted).any()):
        video = _ranked(similarities, of_videos, counted, settings.delta_v, settings.rho_v, settings.ranking)
    if settings.lambda_f and bool((frame_positives & frame_counted).any()):
        frame = _ranked(
            frame_scores, frame_positives, frame_counted, settings.delta_f, settings.rho_f, settings.ranking
        )
    return HAPLoss(base + settings.lambda_v * video + settings.lambda_f * frame, base, video, frame)


def _ranked(scores: Tensor, positives: Tensor, counted: Tensor, delta: float, rho: float, ranking: str) -> Tensor:
    if ranking == QUADLINEAR:
        values = quadlinear_ap_of_rows(scores, positives, delta=delta, rho=rho, counted=counted)
    else:
        values = RIVALS[ranking](scores, positives, counted=counted)
    return mean_of_rows(values, positives, counted)
