"""CLIP and SigLIP through transformers: frames and texts in one space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from baselines.arrays import ByteArray, SingleArray
from baselines.features.encoders.backbones import Backbone
from baselines.features.encoders.hub import loaded
from baselines.features.encoders.interface import Pool

BATCH = 64


class Contrastive(Backbone):
    """A frame's projected vector, at unit length; a text's likewise, so that their product is a cosine.

    Source: Radford et al., CLIP (ICML 2021); Zhai et al., SigLIP (ICCV 2023).
    """

    loader = "AutoModel"
    usual = {"clip": "openai/clip-vit-base-patch32", "siglip": "google/siglip-base-patch16-224"}
    visual_is_shared = True
    pool: Pool = "mean"

    def __init__(self, family: str, model: str = "", device: str = "auto") -> None:
        super().__init__(family, model, device)
        from transformers import AutoTokenizer

        self._tokenizer: Any = loaded(AutoTokenizer.from_pretrained, self._place)
        side = int(self._network.config.vision_config.image_size)
        self.picture_size = (side, side)
        text = self._network.config.text_config
        self._longest = int(text.max_position_embeddings)
        self._padding = "max_length" if family == "siglip" else "longest"  # SigLIP was trained on padded texts
        self.visual_size = int(getattr(self._network.config, "projection_dim", None) or text.projection_size)
        self.shared_size = self.visual_size

    def _pixels(self, frames: ByteArray, **more: Any) -> Any:
        return super()._pixels(frames, do_center_crop=False, **more)

    def _vectors(self, pixels: Any) -> Any:
        return _unit(self._network.get_image_features(pixel_values=pixels))

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
                parts.append(_unit(self._network.get_text_features(**tokens.to(self._device))).cpu().numpy())
        return np.concatenate(parts) if parts else np.zeros((0, self.visual_size), dtype=np.float32)


def _unit(vectors: Any) -> Any:
    return vectors.float() / vectors.float().norm(dim=1, keepdim=True).clamp_min(1e-12)
