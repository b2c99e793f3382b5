"""Image networks through transformers: ResNet, of TVR's published features and of HAP-VR, and ViT, which is DINO's."""

from __future__ import annotations

import math
from importlib.metadata import version
from typing import Any, ClassVar

import numpy as np

from baselines.arrays import ByteArray, SingleArray
from baselines.device import device_named
from baselines.features.encoders.hub import digest_of, loaded
from baselines.features.encoders.interface import FrameVectors, Pool


class Backbone:
    """A network of one class of transformers, with the pictures' means and deviations that its folder names."""

    family: ClassVar[str]
    loader: ClassVar[str]
    usual: ClassVar[str]

    picture_size = (224, 224)
    shared_size: int | None = None
    visual_is_shared = False
    pool: Pool = "max"

    def __init__(self, model: str = "", device: str = "auto") -> None:
        """Args: model: a name or folder, "" for the usual one."""
        import transformers

        place = model or self.usual
        self._device = device_named(device)
        network = getattr(transformers, self.loader)
        self._network: Any = loaded(network.from_pretrained, place).to(self._device).eval()
        processor = transformers.AutoImageProcessor
        self._prepare: Any = loaded(lambda name: processor.from_pretrained(name, use_fast=False), place)
        self.visual_size = self._size(self._network.config)
        self.identity: dict[str, Any] = {
            "name": f"{self.family}:{place}",
            "library": f"transformers {version('transformers')}",
            "weights": digest_of(self._network),
        }

    def encode(self, frames: ByteArray) -> FrameVectors:
        """Frames of shape (frames, 224, 224, 3)."""
        vectors = self._vectors(self._output(frames))
        return FrameVectors(np.asarray(vectors.float().cpu().numpy(), dtype=np.float32))

    def _output(self, frames: ByteArray, **more: Any) -> Any:
        import torch

        pictures = self._prepare(list(frames), do_resize=False, input_data_format="channels_last", return_tensors="pt")
        with torch.inference_mode():
            return self._network(pixel_values=pictures["pixel_values"].to(self._device), **more)

    def _size(self, config: Any) -> int:
        raise NotImplementedError

    def _vectors(self, output: Any) -> Any:
        """A tensor (frames, visual_size)."""
        raise NotImplementedError


class ResNet(Backbone):
    """The last stage's output, averaged over the picture. Source: He et al., ResNet (CVPR 2016)."""

    family = "resnet"
    loader = "ResNetModel"
    usual = "microsoft/resnet-152"

    def regions(self, pictures: ByteArray, side: int) -> SingleArray:
        """A vector for each field of a grid: (frames, 224, 224, 3) to (frames, side * side, all stages' channels).

        Each stage's greatest values in windows that overlap by half, as large as so many fit, of length 1; the stages
        side by side, of length 1 together (ResNet-50: 3,840 numbers, which HAP-VR whitens to 512).
        Source: Kordopatis-Zilos et al., "ViSiL" (ICCV 2019), section 3.1, and HAP-VR's published code.
        """
        import torch
        import torch.nn.functional as F

        stages = []
        for maps in self._output(pictures, output_hidden_states=True).hidden_states[1:]:
            window = window_of(maps.shape[-1], side)
            fields = F.normalize(F.max_pool2d(maps, window, math.ceil(window / 2)), dim=1)
            stages.append(F.normalize(F.adaptive_max_pool2d(fields, side), dim=1))
        together = F.normalize(torch.cat(stages, 1).flatten(2), dim=1).transpose(1, 2)
        return np.asarray(together.float().cpu().numpy(), dtype=np.float32)

    def _size(self, config: Any) -> int:
        return int(config.hidden_sizes[-1])

    def _vectors(self, output: Any) -> Any:
        return output.pooler_output.flatten(1)


class ViT(Backbone):
    """The first token of the last layer. DINO's, by which HAP-VR labels frames, is ViT-small with patches of 16.

    Source: Dosovitskiy et al. (ICLR 2021); Caron et al., DINO (ICCV 2021).
    """

    family = "vit"
    loader = "ViTModel"
    usual = "facebook/dino-vits16"

    def _size(self, config: Any) -> int:
        return int(config.hidden_size)

    def _vectors(self, output: Any) -> Any:
        return output.last_hidden_state[:, 0]


def window_of(length: int, side: int) -> int:
    """The largest window of which ``side`` fit into a length, each half a window after the one before; at least 1.

    >>> [window_of(length, 3) for length in (56, 28, 14, 7)]  # of ResNet-50's stages, as HAP-VR's code has them
    [28, 14, 6, 3]
    """
    fitting = (size for size in range(length, 1, -1) if (length - size) // math.ceil(size / 2) + 1 >= side)
    return next(fitting, 1)
