"""What CONQUER says of a pair of query and video: where a moment begins and ends, and how well the video fits.

Features of padding are 0 here before they are convolved, and padding is no video's best clip; the published code lets
it in, so that there the last clips' logits depend on how far a batch is padded.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from baselines.models.conquer.blocks import BlockSizes, ProjectedBlock
from baselines.models.layers import masked


class Curve(nn.Module):
    """One number a clip: a convolution over neighbouring clips, ReLU, a linear layer."""

    def __init__(self, hidden: int, channels: int, kernel: int) -> None:
        super().__init__()
        self.neighbours = nn.Conv1d(hidden, channels, kernel, padding=kernel // 2, bias=False)
        self.number = nn.Conv1d(channels, 1, 1, bias=False)

    def forward(self, features: Tensor, mask: Tensor) -> Tensor:
        """Args: features: (N, L, D). mask: (N, L). Returns: (N, L), padding so low that its probability is 0."""
        there = (features * mask.unsqueeze(2)).transpose(1, 2)
        return masked(self.number(F.relu(self.neighbours(there))).squeeze(1), mask)


class MomentHead(nn.Module):
    """Begin and end: B = block(G), E = block([C; B]), a curve over each (Hou et al. 2021, section 3.5)."""

    def __init__(self, sizes: BlockSizes, channels: int, kernel: int) -> None:
        super().__init__()
        self.begin = ProjectedBlock(5 * sizes.hidden, sizes)
        self.end = ProjectedBlock(2 * sizes.hidden, sizes)
        self.begin_curve = Curve(sizes.hidden, channels, kernel)
        self.end_curve = Curve(sizes.hidden, channels, kernel)

    def forward(self, joint: Tensor, contextual: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Args: joint G: (N, L, 5D). contextual C: (N, L, D). mask: (N, L). Returns: two of (N, L)."""
        begin = self.begin(joint, mask)
        end = self.end(torch.cat([contextual, begin], dim=2), mask)
        return self.begin_curve(begin, mask), self.end_curve(end, mask)


class VideoHead(nn.Module):
    """r: a block over G, the greatest value of each dimension over the clips, two linear layers with ReLU between."""

    def __init__(self, sizes: BlockSizes, channels: int) -> None:
        super().__init__()
        self.block = ProjectedBlock(5 * sizes.hidden, sizes)
        self.score = nn.Sequential(
            nn.Linear(sizes.hidden, channels, bias=False), nn.ReLU(), nn.Linear(channels, 1, bias=False)
        )

    def forward(self, joint: Tensor, mask: Tensor) -> Tensor:
        """Args: joint G: (N, L, 5D). mask: (N, L). Returns: (N,)."""
        best = masked(self.block(joint, mask), mask.unsqueeze(2)).amax(dim=1)
        return self.score(best).squeeze(1)  # type: ignore[no-any-return]
