"""Checks of the losses' arguments, and the error that says what is wrong with them."""

from __future__ import annotations

import torch
from torch import Tensor

from baselines.errors import BaselineError


class LossError(BaselineError):
    """A loss was asked for something that has no value; the message says what was found and expected."""


def check_scores(scores: Tensor, *, dimensions: int, name: str = "scores") -> None:
    """Raises: LossError unless ``scores`` is a finite floating-point tensor of so many dimensions, not empty."""
    if not isinstance(scores, Tensor):
        raise LossError(f"{name}: found {type(scores).__name__}, expected a floating-point tensor")
    if scores.ndim != dimensions:
        raise LossError(f"{name}: found shape {tuple(scores.shape)}, expected {dimensions} dimension(s)")
    if not scores.numel():
        raise LossError(f"{name}: found shape {tuple(scores.shape)}, expected at least one number")
    if not scores.is_floating_point():
        raise LossError(f"{name}: found {scores.dtype}, expected floating-point numbers")
    if not bool(torch.isfinite(scores).all()):
        raise LossError(f"{name}: found NaN or infinity, expected finite numbers")


def check_mask(mask: Tensor, scores: Tensor, *, name: str) -> None:
    """Raises: LossError unless ``mask`` is boolean and of the scores' shape."""
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        raise LossError(f"{name}: found {getattr(mask, 'dtype', type(mask).__name__)}, expected a boolean tensor")
    if mask.shape != scores.shape:
        raise LossError(f"{name}: found shape {tuple(mask.shape)}, expected that of the scores, {tuple(scores.shape)}")


def sides(scores: Tensor, positives: Tensor, counted: Tensor | None) -> tuple[Tensor, Tensor]:
    """Which items of each row are positive and which negative, bool as the scores; what isn't counted is neither.

    Raises: LossError unless scores are (Q, N) and both masks are boolean and of that shape.
    """
    check_scores(scores, dimensions=2)
    check_mask(positives, scores, name="positives")
    if counted is None:
        return positives, ~positives
    check_mask(counted, scores, name="counted")
    return positives & counted, ~positives & counted


def check_parameter(value: float, *, name: str, zero_allowed: bool = False) -> None:
    """Raises: LossError unless ``value`` is above 0 (or 0, where that is allowed) and finite."""
    fits = value >= 0 if zero_allowed else value > 0
    if not fits or value == float("inf"):
        raise LossError(f"{name}: found {value}, expected a number {'>= 0' if zero_allowed else '> 0'}")
