"""Which frames of a copy belong to a query's frame: pseudo labels from features that are not trained."""

from __future__ import annotations

import torch
from torch import Tensor


def frame_labels(queries: Tensor, copies: Tensor, *, top_rate: float, bottom_rate: float) -> tuple[Tensor, Tensor]:
    """The most similar frames of a copy are positive, the least similar negative, those between don't count.

    Args:
        queries, copies: (P, T, D), frames of P pairs, each of length 1.
        top_rate, bottom_rate: r_t and r_b, parts of the T frames; at least one frame each.
    Returns: positives and counted, (P, T, T) bool; row i of a pair is its query's frame i.
    Source: HAP-VR, supplement, section B.3 and Table 8.
    """
    similarity = queries @ copies.transpose(1, 2)
    frames = similarity.shape[-1]
    top, bottom = max(1, round(frames * top_rate)), max(1, round(frames * bottom_rate))
    order = similarity.argsort(dim=-1, descending=True, stable=True)
    positives = torch.zeros_like(similarity, dtype=torch.bool).scatter_(-1, order[..., :top], True)
    negatives = torch.zeros_like(positives).scatter_(-1, order[..., max(top, frames - bottom) :], True)
    return positives, positives | negatives
