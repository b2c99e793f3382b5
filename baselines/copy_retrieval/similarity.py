"""How similar two videos are: regions to frames to videos, by TopK-Chamfer and a small network over frames.

Source: HAP-VR (arXiv 2407.15566), supplement, section B.3 and Table 2; the network psi is ViSiL's
(Kordopatis-Zilos et al., ICCV 2019), in the shape of HAP-VR's published code.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def topk_chamfer(similarity: Tensor, rate: float) -> Tensor:
    """The mean, over the rows of each matrix, of the mean of the row's largest entries.

    Args: similarity: shape (..., rows, columns). rate: part of the columns that is taken, rounded;
        at least one, so that a small rate is Chamfer similarity.
    Returns: shape (...).

    >>> topk_chamfer(torch.tensor([[1.0, 0.5, 0.0], [0.25, 0.75, 0.0]]), 0.67).item()
    0.625
    """
    count = max(1, round(similarity.shape[-1] * rate))
    best = similarity.amax(dim=-1) if count == 1 else similarity.topk(count, dim=-1).values.mean(dim=-1)
    return best.mean(dim=-1)


def frame_similarities(queries: Tensor, others: Tensor, rate: float) -> Tensor:
    """TopK-Chamfer over the regions of every two frames.

    Args: queries: (N, T, R, size). others: (M, T, R, size). rate: k_s.
    Returns: (N, M, T, T).
    """
    n, t, r, size = queries.shape
    pairs = queries.reshape(-1, size) @ others.reshape(-1, size).T
    return topk_chamfer(pairs.view(n, t, r, len(others), t, r).permute(0, 3, 1, 4, 2, 5), rate)


@dataclass(frozen=True)
class Similarities:
    """N query videos with M others.

    Attributes: videos: (N, M), in [0, 1]. frames: (N, M, T, T), each query frame with each frame
    of the other, before the network over frames. outside: a scalar, how far the network's output
    leaves [-1, 1] on average, where Hardtanh has no gradient.
    """

    videos: Tensor
    frames: Tensor
    outside: Tensor


class FrameComparator(nn.Module):
    """psi: three convolutions over a matrix of frame similarities, two poolings, one number a place.

    (N, T, T) becomes (N, T // 4, T // 4).
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        sizes = (1, channels, 2 * channels, 4 * channels)
        self.convolutions = nn.ModuleList(nn.Conv2d(before, after, 3, padding=1) for before, after in pairwise(sizes))
        self.last = nn.Conv2d(sizes[-1], 1, 1)
        for layer in (*self.convolutions, self.last):
            assert isinstance(layer, nn.Conv2d) and layer.bias is not None
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, frames: Tensor) -> Tensor:
        """(N, T, T) similarities of frames to (N, T // 4, T // 4)."""
        x = frames.unsqueeze(1)
        for place, convolution in enumerate(self.convolutions):
            x = torch.relu(convolution(x))
            x = F.max_pool2d(x, 2) if place < 2 else x
        compared: Tensor = self.last(x).squeeze(1)
        return compared


class CopyNetwork(nn.Module):
    """Attention over regions and psi over frames are trained; what makes the regions' vectors is not."""

    def __init__(self, size: int, channels: int, *, spatial_rate: float, temporal_rate: float) -> None:
        """Args: size: of a region's vector. channels: of psi. The rates: k_s and k_t."""
        super().__init__()
        self.transform, self.context = nn.Linear(size, size), nn.Linear(size, 1, bias=False)
        nn.init.xavier_uniform_(self.transform.weight)
        nn.init.zeros_(self.transform.bias)
        nn.init.xavier_uniform_(self.context.weight)
        self.comparator = FrameComparator(channels)
        self.spatial_rate, self.temporal_rate = spatial_rate, temporal_rate

    def attended(self, regions: Tensor) -> Tensor:
        """Regions (..., size) times their weight in (0, 1)."""
        weighted: Tensor = regions * torch.sigmoid(self.context(torch.tanh(self.transform(regions))))
        return weighted

    def forward(self, queries: Tensor, others: Tensor) -> Similarities:
        """(N, T, R, size) with (M, T, R, size), every one with every other."""
        frames = frame_similarities(self.attended(queries), self.attended(others), self.spatial_rate)
        raw = self.comparator(frames.flatten(0, 1))
        videos = topk_chamfer(F.hardtanh(raw) / 2 + 0.5, self.temporal_rate)
        outside = torch.relu(raw.abs() - 1).mean()
        return Similarities(videos.view(frames.shape[:2]), frames, outside)
