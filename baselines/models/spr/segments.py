"""Stage one: segments and queries as vectors whose product says how well they fit."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from baselines.losses import info_nce
from baselines.models.layers import Positions, Projection, SelfAttention


class Embedding(nn.Module):
    """A short sequence as one vector of length 1: self-attention, the mean over what is there, a linear layer."""

    def __init__(self, features: int, places: int, hidden: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.project = Projection(features, hidden, dropout)
        self.positions = Positions(places, hidden, dropout)
        self.block = SelfAttention(hidden, heads, dropout)
        self.linear = nn.Linear(hidden, hidden)

    def forward(self, sequences: Tensor, mask: Tensor) -> Tensor:
        """Args: sequences: (N, L, F). mask: (N, L), something there in each row. Returns: (N, D)."""
        seen = self.block(self.positions(self.project(sequences)), mask) * mask.unsqueeze(-1)
        return F.normalize(self.linear(seen.sum(1) / mask.sum(1, keepdim=True)), dim=-1)


def in_segments(clips: Tensor, segment: int) -> Tensor:
    """Videos cut into segments without overlap, the last one padded: (V, L, ...) to (V, S, segment, ...)."""
    lacking = -clips.shape[1] % segment
    padding = clips.new_zeros(len(clips), lacking, *clips.shape[2:])
    return torch.cat([clips, padding], 1).view(len(clips), -1, segment, *clips.shape[2:])


def filled(span: Tensor, segments: int, segment: int, least: float) -> Tensor:
    """Which segments a moment fills: to a share of ``least`` or more, and in any case the one that it fills most.

    Args: span: (N, 2), as `Batch.span`. Returns: (N, segments) bool.
    """
    begin = torch.arange(segments, device=span.device) * segment
    first, end = span[:, :1], torch.maximum(span[:, 1:], span[:, :1] + 1)
    share = (torch.minimum(end, begin + segment) - torch.maximum(first, begin)).clamp(min=0) / segment
    most = F.one_hot(share.argmax(1), segments).bool()
    return (share >= least) | most


def segment_contrast(scores: Tensor, grade: Tensor, counted: Tensor, temperature: float) -> Tensor:
    """InfoNCE of queries among segments and of segments among queries, the mean of both; a scalar.

    Args:
        scores: (Q, S), cosines. grade: (Q, S), the similarity of the pair whose moment fills the segment, else 0; the
        greatest of a row or column weighs its loss.
        counted: (Q, S) bool; the rest is neither positive nor negative.
    """

    def one_way(scores: Tensor, grade: Tensor, counted: Tensor) -> Tensor:
        positive = grade > 0
        loss = info_nce(scores, positive, temperature=temperature, counted=counted)
        return (loss * grade.amax(1)).sum() / positive.any(1).sum().clamp(min=1)

    return (one_way(scores, grade, counted) + one_way(scores.T, grade.T, counted.T)) / 2
