"""The whole loss of HAP-VR: L_base + lambda_v * QuadLinear-AP of videos + lambda_f * QuadLinear-AP of frames.

Source: HAP-VR (arXiv 2407.15566), supplement, section B.3 and Table 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from baselines.losses.ap_risk import mean_quadlinear_ap
from baselines.losses.base_loss import base_loss
from baselines.losses.checks import check_parameter


@dataclass(frozen=True)
class HAPSettings:
    """Hyperparameters; the defaults are Table 2's, and the published code's for tau and lambda_s, which it lacks.

    delta_v, rho_v, lambda_v: margin, weight of positives above, weight of the loss, of videos;
    delta_f, rho_f, lambda_f: the same of frames. A weight of 0 leaves that loss out.
    """

    delta_v: float = 0.05
    rho_v: float = 0.10
    lambda_v: float = 4.0
    delta_f: float = 0.05
    rho_f: float = 5.0
    lambda_f: float = 6.0
    temperature: float = 0.03
    lambda_s: float = 3.0

    def __post_init__(self) -> None:
        """Raises: LossError if one is out of its range."""
        for name in ("delta_v", "delta_f", "temperature"):
            check_parameter(getattr(self, name), name=name)
        for name in ("rho_v", "rho_f", "lambda_v", "lambda_f", "lambda_s"):
            check_parameter(getattr(self, name), name=name, zero_allowed=True)


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
        similarities: shape (N, N), of videos, in [0, 1]; positives: shape (N, N), bool. The
        diagonal counts for SSHN alone.
        frame_scores: shape (F, M), each query frame against M frames; frame_positives,
        frame_counted: shape (F, M), bool, the pseudo labels (frames between the top and the bottom
        rate are not counted).
    Returns: the total with its parts; a part whose weight is 0, or which has no positive anywhere in
        the batch, is 0.
    Raises: LossError as the parts.
    """
    none = similarities.new_zeros(())
    others = ~torch.eye(len(similarities), dtype=torch.bool, device=similarities.device)
    base = base_loss(similarities, positives, temperature=settings.temperature, lambda_s=settings.lambda_s)
    video = frame = none
    if settings.lambda_v and bool((positives & others).any()):
        video = mean_quadlinear_ap(similarities, positives, delta=settings.delta_v, rho=settings.rho_v, counted=others)
    if settings.lambda_f and bool((frame_positives & frame_counted).any()):
        frame = mean_quadlinear_ap(
            frame_scores, frame_positives, delta=settings.delta_f, rho=settings.rho_f, counted=frame_counted
        )
    return HAPLoss(base + settings.lambda_v * video + settings.lambda_f * frame, base, video, frame)
