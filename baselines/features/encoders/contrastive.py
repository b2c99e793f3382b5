"""CLIP and SigLIP through transformers: frames and texts in one space."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from baselines.arrays import ByteArray, SingleArray
from baselines.device import device_named
from baselines.features.encoders.hub import digest_of, loaded
from baselines.features.encoders.interface import FrameVectors, Pool

USUAL = {"clip": "openai/clip-vit-base-patch32", "siglip": "google/siglip-base-patch16-224"}
"""The model of a family where none is named."""
BATCH = 64


class Contrastive:
    """A frame's projected vector, at unit length; a text's likewise, so that their product is a cosine.

    Source: Radford et al., CLIP (ICML 2021); Zhai et al., SigLIP (ICCV 2023).
    """

    visual_is_shared = True
    pool: Pool = "mean"

    def __init__(self, family: str, model: str = "", device: str = "auto") -> None:
        """Args: family: ``clip`` or ``siglip``; model: a name or folder, "" for the family's usual one."""
        from transformers import AutoImageProcessor, AutoModel, AutoTokenizer

        place = model or USUAL[family]
        self._device = device_named(device)
        self._network: Any = loaded(AutoModel.from_pretrained, place).to(self._device).eval()
        self._tokenizer: Any = loaded(AutoTokenizer.from_pretrained, place)
        self._prepare: Any = loaded(lambda name: AutoImageProcessor.from_pretrained(name, use_fast=False), place)
        side = int(self._network.config.vision_config.image_size)
        self.picture_size = (side, side)
        text = self._network.config.text_config
        self._longest = int(text.max_position_embeddings)
        self._padding = "max_length" if family == "siglip" else "longest"  # SigLIP was trained on padded texts
        self.visual_size = int(getattr(self._network.config, "projection_dim", None) or text.projection_size)
        self.shared_size: int | None = self.visual_size
        self.identity: dict[str, Any] = {
            "name": f"{family}:{place}",
            "library": f"transformers {version('transformers')}",
            "weights": digest_of(self._network),
        }

    def encode(self, frames: ByteArray) -> FrameVectors:
        """Frames of the size that the model was trained on."""
        import torch

        pictures = self._prepare(
            list(frames), do_resize=False, do_center_crop=False, input_data_format="channels_last", return_tensors="pt"
        )
        with torch.inference_mode():
            vectors = self._network.get_image_features(pixel_values=pictures["pixel_values"].to(self._device))
        return FrameVectors(_unit(vectors))

    def shared_texts(self, texts: Sequence[str]) -> SingleArray:
        """Shape (texts, shared_size), rows of unit length."""
        import torch

        parts = []
        for first in range(0, len(texts), BATCH):
            tokens = self._tokenizer(
                list(texts[first : first + BATCH]),
                padding=self._padding,
                truncation=True,
                max_length=self._longest,
                return_tensors="pt",
            )
            with torch.inference_mode():
                parts.append(_unit(self._network.get_text_features(**tokens.to(self._device))))
        return np.concatenate(parts) if parts else np.zeros((0, self.visual_size), dtype=np.float32)


def _unit(vectors: Any) -> SingleArray:
    values = vectors.float().cpu().numpy()
    return np.asarray(values / np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-12), dtype=np.float32)
