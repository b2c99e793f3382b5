"""CLIP, SigLIP, SigLIP 2 and models like them through transformers: frames and texts in one space."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from baselines.arrays import ByteArray, SingleArray
from baselines.errors import BaselineError
from baselines.features.encoders.backbones import Backbone
from baselines.features.encoders.hub import loaded
from baselines.features.encoders.interface import Pool

BATCH = 64
PADDED = ("siglip", "siglip2")
"""Types of models that were trained on texts in lower case, padded to one length, without a mask over the padding. The
SigLIP 2 of fixed picture sizes are of the type siglip, NaFlex is siglip2."""


class Contrastive(Backbone):
    """A frame's projected vector, at unit length; a text's likewise, so that their product is a cosine.

    Any model that transformers loads with a projection of pictures and one of texts: its configuration decides, not the
    family that it was named with. NaFlex, which takes pictures of any shape, gets squares.
    Source: Radford et al., CLIP (ICML 2021); Zhai et al., SigLIP (ICCV 2023); Tschannen et al., SigLIP 2 (2025).
    """

    loader = "AutoModel"
    usual = {
        "clip": "openai/clip-vit-base-patch32",
        "siglip": "google/siglip-base-patch16-224",
        "siglip2": "google/siglip2-base-patch16-224",
    }
    visual_is_shared = True
    pool: Pool = "mean"

    def __init__(self, family: str, model: str = "", device: str = "auto") -> None:
        super().__init__(family, model, device)
        from transformers import AutoTokenizer

        config = self._network.config
        if not (hasattr(self._network, "get_image_features") and hasattr(self._network, "get_text_features")):
            raise BaselineError(
                f"the model {self._place!r}: found one of the type {config.model_type}, expected one that has pictures "
                "and texts in one space, such as CLIP or SigLIP"
            )
        self._tokenizer: Any = loaded(AutoTokenizer.from_pretrained, self._place)
        self._is_padded = config.model_type in PADDED
        self._cuts_patches = config.model_type == "siglip2"
        text, vision = config.text_config, config.vision_config
        side = int(vision.patch_size * math.isqrt(vision.num_patches) if self._cuts_patches else vision.image_size)
        self.picture_size = (side, side)
        self._longest = min(int(text.max_position_embeddings), int(self._tokenizer.model_max_length))
        self.visual_size = int(getattr(config, "projection_dim", None) or text.projection_size)
        self.shared_size = self.visual_size

    def _pixels(self, frames: ByteArray) -> Any:
        return self._inputs(frames) if self._cuts_patches else self._inputs(frames, do_center_crop=False)

    def _vectors(self, pixels: Any) -> Any:
        return _unit(self._network.get_image_features(**pixels))

    def shared_texts(self, texts: Sequence[str]) -> SingleArray:
        """Shape (texts, shared_size), rows of unit length."""
        import torch

        parts = []
        for first in range(0, len(texts), BATCH):
            some = list(texts[first : first + BATCH])
            tokens = self._tokenizer(
                [text.lower() for text in some] if self._is_padded else some,
                padding="max_length" if self._is_padded else "longest",
                truncation=True,
                max_length=self._longest,
                return_tensors="pt",
            ).to(self._device)
            given = {"input_ids": tokens["input_ids"]} if self._is_padded else tokens
            with torch.inference_mode():
                parts.append(_unit(self._network.get_text_features(**given)).cpu().numpy())
        return np.concatenate(parts) if parts else np.zeros((0, self.visual_size), dtype=np.float32)


def _unit(vectors: Any) -> Any:
    return vectors.float() / vectors.float().norm(dim=1, keepdim=True).clamp_min(1e-12)
