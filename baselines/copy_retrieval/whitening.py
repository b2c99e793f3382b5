"""Features made ready for a network: regions whitened, frames as one vector for pseudo labels."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from baselines.arrays import SingleArray
from baselines.copy_retrieval.clips import Clips


@dataclass(frozen=True)
class ClipFeatures:
    """C clips in 1 + K copies of T frames of R regions.

    Attributes: regions: (C, 1 + K, T, R, size) float32, whitened, each of length 1. frames:
    (C, 1 + K, T, D) float32, of length 1: what the pseudo labels are made of. train, test: the
    rows that are trained on and tested. names: of the clips.
    """

    regions: Tensor
    frames: Tensor
    train: Tensor
    test: Tensor
    names: tuple[str, ...]

    def to(self, device: str) -> ClipFeatures:
        """The same on a device; the rows stay where numbers are drawn."""
        return replace(self, regions=self.regions.to(device), frames=self.frames.to(device))


def whitened(clips: Clips, size: int) -> ClipFeatures:
    """Whiten with the principal components of the training clips' weak copies, as the published code does.

    Args: size: components kept; fewer where the training regions have fewer.
    """
    mean, axes = _components(clips.regions[~clips.test, 0].astype(np.float32), size)
    shape = clips.regions.shape
    regions = torch.empty(*shape[:-1], axes.shape[1])
    to_axes = torch.from_numpy(axes)
    for clip in range(len(regions)):
        raw = torch.from_numpy(clips.regions[clip].astype(np.float32))
        regions[clip] = F.normalize((raw - torch.from_numpy(mean)) @ to_axes, dim=-1)
    frames = F.normalize(torch.from_numpy(clips.frames).float(), dim=-1)
    test = torch.from_numpy(clips.test)
    return ClipFeatures(regions, frames, (~test).nonzero()[:, 0], test.nonzero()[:, 0], clips.names)


def _components(regions: SingleArray, size: int) -> tuple[SingleArray, SingleArray]:
    """Mean (D,) and whitening axes (D, size) of vectors (..., D)."""
    vectors = regions.reshape(-1, regions.shape[-1])
    mean = vectors.mean(axis=0)
    values, axes = np.linalg.eigh(np.cov(vectors - mean, rowvar=False))
    kept = np.argsort(values)[::-1][: min(size, len(vectors) - 1)]
    return mean, (axes[:, kept] / np.sqrt(np.maximum(values[kept], 0) + 1e-7)).astype(np.float32)
