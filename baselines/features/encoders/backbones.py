"""Image networks through transformers: ResNet, of TVR's published features and of HAP-VR, and ViT, which is DINO's."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from baselines.arrays import ByteArray, SingleArray
from baselines.device import device_named
from baselines.features.encoders.hub import identity_of, loaded
from baselines.features.encoders.interface import FrameVectors, Pool


class Backbone:
    """A network of one class of transformers, with the pictures' means and deviations that its folder names."""

    loader: ClassVar[str]
    usual: ClassVar[dict[str, str]]
    """Family -> its model where none is named."""

    picture_size: tuple[int, int] = (224, 224)
    visual_size: int
    shared_size: int | None = None
    visual_is_shared = False
    pool: Pool = "max"

    def __init__(self, family: str, model: str = "", device: str = "auto") -> None:
        """Args: family: of `usual`. model: a name or folder, "" for the usual one."""
        import transformers

        self._place = model or self.usual[family]
        self._device = device_named(device)
        network = getattr(transformers, self.loader)
        self._network: Any = loaded(network.from_pretrained, self._place).to(self._device).eval()
        processor = transformers.AutoImageProcessor
        self._prepare: Any = loaded(lambda name: processor.from_pretrained(name, use_fast=False), self._place)
        self.identity = identity_of(f"{family}:{self._place}", self._network)

    def encode(self, frames: ByteArray) -> FrameVectors:
        """Frames of shape (frames, *picture_size, 3)."""
        import torch

        with torch.inference_mode():
            vectors = self._vectors(self._pixels(frames))
        return FrameVectors(np.asarray(vectors.float().cpu().numpy(), dtype=np.float32))

    def _inputs(self, frames: ByteArray, **more: Any) -> Any:
        """What the network takes, by name, on its device."""
        pictures = self._prepare(
            list(frames), do_resize=False, input_data_format="channels_last", return_tensors="pt", **more
        )
        return pictures.to(self._device)

    def _pixels(self, frames: ByteArray) -> Any:
        """The pictures alone: (frames, 3, height, width)."""
        return self._inputs(frames)["pixel_values"]

    def _vectors(self, pixels: Any) -> Any:
        """A tensor (frames, visual_size)."""
        raise NotImplementedError


class ResNet(Backbone):
    """The last stage's output, averaged over the picture. Source: He et al., ResNet (CVPR 2016)."""

    loader = "ResNetModel"
    usual = {"resnet": "microsoft/resnet-152"}

    def __init__(self, family: str, model: str = "", device: str = "auto") -> None:
        super().__init__(family, model, device)
        self.visual_size = int(self._network.config.hidden_sizes[-1])

    def regions(self, pictures: ByteArray, side: int) -> SingleArray:
        """A vector for each field of a grid: (frames, 224, 224, 3) to (frames, side * side, all stages' channels).

        Each stage's greatest values in windows that overlap by half, as large as so many fit, of length 1; the stages
        side by side, of length 1 together (ResNet-50: 3,840 numbers, which HAP-VR whitens to 512).
        Source: Kordopatis-Zilos et al., "ViSiL" (ICCV 2019), and HAP-VR's published code.
        """
        import torch
        import torch.nn.functional as F

        stages = []
        with torch.inference_mode():
            output = self._network(self._pixels(pictures), output_hidden_states=True)
            for maps in output.hidden_states[1:]:
                window = window_of(maps.shape[-1], side)
                fields = F.normalize(F.max_pool2d(maps, window, math.ceil(window / 2)), dim=1)
                stages.append(F.normalize(F.adaptive_max_pool2d(fields, side), dim=1))
            together = F.normalize(torch.cat(stages, 1).flatten(2), dim=1).transpose(1, 2)
        return np.asarray(together.float().cpu().numpy(), dtype=np.float32)

    def _vectors(self, pixels: Any) -> Any:
        return self._network(pixels).pooler_output.flatten(1)


class ViT(Backbone):
    """The first token of the last layer. DINO's, by which HAP-VR labels frames, is ViT-small with patches of 16.

    Source: Dosovitskiy et al. (ICLR 2021); Caron et al., DINO (ICCV 2021).
    """

    loader = "ViTModel"
    usual = {"vit": "facebook/dino-vits16"}

    def __init__(self, family: str, model: str = "", device: str = "auto") -> None:
        super().__init__(family, model, device)
        self.visual_size = int(self._network.config.hidden_size)

    def _vectors(self, pixels: Any) -> Any:
        return self._network(pixels).last_hidden_state[:, 0]


def window_of(length: int, side: int) -> int:
    """The largest window of which ``side`` fit into a length, each half a window after the one before; at least 1.

    >>> [window_of(length, 3) for length in (56, 28, 14, 7)]  # of ResNet-50's stages, as HAP-VR's code has them
    [28, 14, 6, 3]
    """
    fitting = (size for size in range(length, 1, -1) if (length - size) // math.ceil(size / 2) + 1 >= side)
    return next(fitting, 1)
