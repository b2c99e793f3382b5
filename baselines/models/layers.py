"""Layers that XML and ReLoCLNet share: projection, positions, attention, the ConvSE detector.

They are those of the two papers' published code. Two things are done otherwise, neither changes what is computed for a
clip or word that is there: attention is PyTorch's own, and padding is left out of it by a mask instead of by -10,000.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

_FEW = 16

NOWHERE = -1e10
"""The logit of padding: its probability is 0."""


def masked(logits: Tensor, mask: Tensor) -> Tensor:
    """Logits with padding at `NOWHERE`. ``mask`` has 1 for what is there."""
    return logits.masked_fill(mask == 0, NOWHERE)


class Projection(nn.Module):
    """Features to the model's size: layer norm, dropout, linear, ReLU. (N, L, D_in) to (N, L, D)."""

    def __init__(self, features: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(features)
        self.dropout = nn.Dropout(dropout)
        self.linear = nn.Linear(features, hidden)

    def forward(self, features: Tensor) -> Tensor:
        """(N, L, D_in) to (N, L, D)."""
        return F.relu(self.linear(self.dropout(self.norm(features))))


class Positions(nn.Module):
    """Adds a learned vector for each place in the sequence, then layer norm and dropout."""

    def __init__(self, places: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.vectors = nn.Embedding(places, hidden)
        self.norm = nn.LayerNorm(hidden)
        self.dropout = nn.Dropout(dropout)

    def forward(self, sequence: Tensor) -> Tensor:
        """(N, L, D) to the same; L is at most the number of places."""
        return self.dropout(self.norm(sequence + self.vectors.weight[: sequence.shape[1]]))  # type: ignore[no-any-return]


class Attention(nn.Module):
    """Several heads of attention of one sequence to another, without a projection at the end."""

    def __init__(self, hidden: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.query = nn.Linear(hidden, hidden)
        self.key = nn.Linear(hidden, hidden)
        self.value = nn.Linear(hidden, hidden)

    def forward(self, sequence: Tensor, context: Tensor, context_mask: Tensor) -> Tensor:
        """Args: sequence: (N, L, D). context: (N, M, D). context_mask: (N, M). Returns: (N, L, D)."""
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for part in (self.query(sequence), self.key(context), self.value(context))
        )
        seen = F.scaled_dot_product_attention(
            query,
            key,
            value,
            attn_mask=(context_mask != 0)[:, None, None],
            dropout_p=self.dropout if self.training else 0.0,
        )
        return seen.transpose(1, 2).flatten(2)


class SelfAttention(nn.Module):
    """Attention of a sequence to itself, a linear layer, dropout, and layer norm of the sum with what came in."""

    def __init__(self, hidden: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.attention = Attention(hidden, heads, dropout)
        self.linear = nn.Linear(hidden, hidden)
        self.dropout = nn.Dropout(dropout)
        self.norm = nn.LayerNorm(hidden)

    def forward(self, sequence: Tensor, mask: Tensor) -> Tensor:
        """Args: sequence: (N, L, D). mask: (N, L). Returns: (N, L, D)."""
        seen = self.attention(sequence, sequence, mask)
        return self.norm(self.dropout(self.linear(seen)) + sequence)  # type: ignore[no-any-return]


class CrossAttention(nn.Module):
    """Attention of one sequence to another, and layer norm of the sum with what came in."""

    def __init__(self, hidden: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.attention = Attention(hidden, heads, dropout)
        self.norm = nn.LayerNorm(hidden)

    def forward(self, sequence: Tensor, context: Tensor, context_mask: Tensor) -> Tensor:
        """Args: sequence: (N, L, D). context: (N, M, D). context_mask: (N, M). Returns: (N, L, D)."""
        return self.norm(self.attention(sequence, context, context_mask) + sequence)  # type: ignore[no-any-return]


class ConvSE(nn.Module):
    """XML's convolutional start-end detector: edges in the curve of similarities of a query to a video's clips.

    Two kernels, one for rising and one for falling edges, slide over the curve: l_st = Conv_st(S), l_ed = Conv_ed(S)
    (Lei et al. 2020, section 4, "ConvSE"). Similarities of padding are 0 here, as beyond a full-length video's end;
    the published code lets them in, so that there the last clips' logits depend on how far a batch is padded.
    """

    def __init__(self, kernel: int) -> None:
        super().__init__()
        self.start = nn.Conv1d(1, 1, kernel, padding=kernel // 2, bias=False)
        self.end = nn.Conv1d(1, 1, kernel, padding=kernel // 2, bias=False)

    def forward(self, similarity: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Args: similarity, mask: (P, L). Returns: logits of start and end, (P, L) each."""
        curve = (similarity * mask).unsqueeze(1)
        return masked(self.start(curve).squeeze(1), mask), masked(self.end(curve).squeeze(1), mask)


def best_clips(queries: Tensor, clips: Tensor, mask: Tensor) -> Tensor:
    """The greatest product of each query with a clip of each video.

    Args: queries: (Q, D). clips: (V, L, D). mask: (V, L). Returns: (Q, V).
    """
    products = torch.einsum("qd,vld->qvl", queries, clips)
    return masked(products, mask.unsqueeze(0)).amax(-1)


def pair_products(vectors: Tensor, clips: Tensor, query: Tensor, video: Tensor) -> Tensor:
    """The products of chosen queries with all clips of chosen videos.

    Args: vectors: (Q, D). clips: (V, L, D). query, video: (P,) rows. Returns: (P, L).
    """
    if len(vectors) * len(clips) <= _FEW * len(query):
        # Where pairs share few queries and videos, all products cost less than a copy of the clips for each pair.
        products = torch.einsum("qd,vld->qvl", vectors, clips).flatten(0, 1)
        return products.index_select(0, query * len(clips) + video)
    return torch.einsum("pd,pld->pl", vectors.index_select(0, query), clips.index_select(0, video))


def draw_weights(module: nn.Module, deviation: float) -> None:
    """New weights for one layer: normal with this deviation, biases 0; convolutions keep PyTorch's own.

    For `torch.nn.Module.apply`.
    """
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=deviation)
    if isinstance(module, nn.Linear) and module.bias is not None:
        nn.init.zeros_(module.bias)
