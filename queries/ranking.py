"""Exact top K moments by cosine similarity: arrays in, arrays out, nothing else."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

BLOCK_VALUES = 32_000_000
"""Similarities held at a time (float32): about 128 MB."""
FLOAT32_ERROR = 1e-5
"""More than what a float32 product of unit vectors can be off; what comes so near is scored again in float64."""
DECIMALS = 6
"""A similarity is its value at so many decimals: in ranks, in the database and in releases alike."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """One query's moments, best first; `texts` are the rows of the text by which each moment counts."""

    moments: np.ndarray
    texts: np.ndarray
    similarities: np.ndarray


def rank_moments(
    queries: np.ndarray, texts: np.ndarray, moments_of_text: Sequence[Sequence[int]], *, k: int
) -> Iterator[Ranked]:
    """Every query's k most similar moments, exactly; a moment counts with the best of its texts.

    Args:
        queries: float32 (q, d), unit rows.
        texts: float32 (t, d), unit rows, distinct texts.
        moments_of_text: for each text row, the ids of the moments that it describes, at least one.
        k: how many moments, >= 1; fewer come back where there are fewer.

    Yields: one `Ranked` a query, in order: similarities in [-1, 1], descending, equal ones by moment id.
    """
    block = max(1, BLOCK_VALUES // max(1, len(texts)))
    for first in range(0, len(queries), block):
        part = queries[first : first + block]
        for vector, rough in zip(part, part @ texts.T, strict=True):
            yield _rank_one(vector, rough, texts, moments_of_text, k)


def _rank_one(
    vector: np.ndarray, rough: np.ndarray, texts: np.ndarray, moments_of_text: Sequence[Sequence[int]], k: int
) -> Ranked:
    wanted = k
    while True:
        if wanted >= len(rough):
            near = np.arange(len(rough))
        else:
            edge = np.partition(rough, len(rough) - wanted)[len(rough) - wanted]
            near = np.flatnonzero(rough >= edge - FLOAT32_ERROR)
        # Row by row, so that a text's similarity doesn't depend on which others are looked at with it.
        exact = (texts[near].astype(np.float64) * vector.astype(np.float64)).sum(axis=1)
        exact = np.clip(np.round(exact, DECIMALS), -1.0, 1.0)
        best: dict[int, tuple[float, int]] = {}
        for text, similarity in zip(near.tolist(), exact.tolist(), strict=True):
            for moment in moments_of_text[text]:
                if moment not in best or similarity > best[moment][0]:
                    best[moment] = (similarity, text)
        # Texts may share their moments: look deeper until there are k different ones.
        if len(best) >= k or wanted >= len(rough):
            break
        wanted *= 2
    order = sorted(best, key=lambda moment: (-best[moment][0], moment))[:k]
    return Ranked(
        moments=np.array(order, dtype=np.int64),
        texts=np.array([best[moment][1] for moment in order], dtype=np.int64),
        similarities=np.array([best[moment][0] for moment in order], dtype=np.float64),
    )
