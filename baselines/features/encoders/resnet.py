"""ResNet through transformers: what the published TVR features have, by a model of the hub."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np

from baselines.arrays import ByteArray
from baselines.device import device_named
from baselines.features.encoders.hub import digest_of, loaded
from baselines.features.encoders.interface import FrameVectors, Pool

USUAL = "microsoft/resnet-152"


class ResNet:
    """The last stage's output, averaged over the picture. Source: He et al., ResNet (CVPR 2016)."""

    picture_size = (224, 224)
    shared_size: int | None = None
    visual_is_shared = False
    pool: Pool = "max"

    def __init__(self, model: str = "", device: str = "auto") -> None:
        """Args: model: a name or folder, "" for ResNet-152."""
        from transformers import AutoImageProcessor, ResNetModel

        place = model or USUAL
        self._device = device_named(device)
        self._network: Any = loaded(ResNetModel.from_pretrained, place).to(self._device).eval()
        self._prepare: Any = loaded(lambda name: AutoImageProcessor.from_pretrained(name, use_fast=False), place)
        self.visual_size = int(self._network.config.hidden_sizes[-1])
        self.identity: dict[str, Any] = {
            "name": f"resnet:{place}",
            "library": f"transformers {version('transformers')}",
            "weights": digest_of(self._network),
        }

    def encode(self, frames: ByteArray) -> FrameVectors:
        """Frames of shape (frames, 224, 224, 3)."""
        import torch

        pictures = self._prepare(list(frames), do_resize=False, input_data_format="channels_last", return_tensors="pt")
        with torch.inference_mode():
            pooled = self._network(pixel_values=pictures["pixel_values"].to(self._device)).pooler_output
        return FrameVectors(np.asarray(pooled.flatten(1).float().cpu().numpy(), dtype=np.float32))
