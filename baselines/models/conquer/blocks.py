"""CONQUER's sequence layers: embeddings with positions and kinds, and a BERT block behind a projection.

Those of its published code (github.com/houzhijian/CONQUER); padding is left out of attention by a
mask in place of -10,000, which changes nothing for a clip or word that is there.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from baselines.models.layers import Projection, SelfAttention


@dataclass(frozen=True)
class BlockSizes:
    """Sizes of a block: hidden D, heads, intermediate of its feed-forward part, and the dropout's share."""

    hidden: int
    heads: int
    intermediate: int
    dropout: float


class Block(nn.Module):
    """Self-attention, then GELU between two linear layers; each with dropout, a sum and a layer norm."""

    def __init__(self, sizes: BlockSizes) -> None:
        super().__init__()
        self.attention = SelfAttention(sizes.hidden, sizes.heads, sizes.dropout)
        self.widen = nn.Linear(sizes.hidden, sizes.intermediate)
        self.narrow = nn.Linear(sizes.intermediate, sizes.hidden)
        self.dropout = nn.Dropout(sizes.dropout)
        self.norm = nn.LayerNorm(sizes.hidden)

    def forward(self, sequence: Tensor, mask: Tensor) -> Tensor:
        """Args: sequence: (N, L, D). mask: (N, L). Returns: (N, L, D)."""
        attended: Tensor = self.attention(sequence, mask)
        wide = F.gelu(self.widen(attended))
        return self.norm(self.dropout(self.narrow(wide)) + attended)  # type: ignore[no-any-return]


class ProjectedBlock(nn.Module):
    """Features projected to the hidden size (layer norm, dropout, linear, ReLU), then a block."""

    def __init__(self, features: int, sizes: BlockSizes) -> None:
        super().__init__()
        self.project = Projection(features, sizes.hidden, sizes.dropout)
        self.block = Block(sizes)

    def forward(self, features: Tensor, mask: Tensor) -> Tensor:
        """Args: features: (N, L, F). mask: (N, L). Returns: (N, L, D)."""
        return self.block(self.project(features), mask)  # type: ignore[no-any-return]


class Embedded(nn.Module):
    """Adds a learned vector for each place and one for the kind (0 what is seen, 1 text); then layer norm, dropout."""

    SEEN, TEXT = 0, 1

    def __init__(self, places: int, sizes: BlockSizes) -> None:
        super().__init__()
        self.places = nn.Embedding(places, sizes.hidden)
        self.kinds = nn.Embedding(2, sizes.hidden)
        self.norm = nn.LayerNorm(sizes.hidden)
        self.dropout = nn.Dropout(sizes.dropout)

    def forward(self, sequence: Tensor, kind: int) -> Tensor:
        """(N, L, D) to the same; L is at most the number of places."""
        summed = sequence + self.kinds.weight[kind] + self.places.weight[: sequence.shape[1]]
        return self.dropout(self.norm(summed))  # type: ignore[no-any-return]


class Encoder(nn.Module):
    """Contextual features of one or several sequences that attend to each other (multi-modal transformer).

    Each is projected on its own; they share places and one block (Hou et al. 2021, section 3.2).
    """

    def __init__(self, features: tuple[int, ...], places: int, sizes: BlockSizes) -> None:
        super().__init__()
        self.projections = nn.ModuleList(Projection(size, sizes.hidden, sizes.dropout) for size in features)
        self.embedded = Embedded(places, sizes)
        self.block = Block(sizes)

    def forward(self, sequences: tuple[Tensor, ...], kinds: tuple[int, ...], mask: Tensor) -> tuple[Tensor, ...]:
        """Args: sequences: (N, L, F) each, padded alike. kinds: of each. mask: (N, L). Returns: (N, L, D) each."""
        inputs = [
            self.embedded(project(sequence), kind)
            for project, sequence, kind in zip(self.projections, sequences, kinds, strict=True)
        ]
        together = self.block(torch.cat(inputs, dim=1), mask.repeat(1, len(inputs)))
        return tuple(together.split(mask.shape[1], dim=1))
