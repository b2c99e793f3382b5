"""Vectors like those of captions."""

import numpy as np

WIDTH = 384
A_CLUSTER, NOISE = 24, 0.03
"""Texts a cluster, on average, and how far they lie apart."""
CENTRES = 4000
"""Clusters have A_CLUSTER texts at every size: beyond so many they are moved apart."""


def make_vectors(texts: int, seed: int) -> np.ndarray:
    """Float32 (texts, WIDTH), unit rows in clusters; one in twenty repeats the row before to the bit."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(max(1, texts // A_CLUSTER), WIDTH)).astype(np.float32)
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    vectors: np.ndarray = centres[rng.integers(0, len(centres), texts)]
    vectors += NOISE * rng.normal(size=vectors.shape).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    copies = rng.choice(np.arange(1, texts), texts // 20, replace=False)
    vectors[copies] = vectors[copies - 1]
    return vectors


def make_part(rows: int, *, number: int, texts: int, seed: int) -> np.ndarray:
    """Float32 (rows, WIDTH): a numbered part of so many texts in all, whose clusters are in every part alike."""
    rng = np.random.default_rng([seed, number])
    middle = _unit(np.random.default_rng(seed).normal(size=(CENTRES, WIDTH)))
    vectors: np.ndarray = middle[rng.integers(0, CENTRES, rows)]
    groups = max(1, texts // (A_CLUSTER * CENTRES))
    moves = _unit(np.random.default_rng([seed, 7, groups]).normal(size=(groups, WIDTH)))
    vectors = vectors + moves[rng.integers(0, groups, rows)]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors += NOISE * rng.normal(size=vectors.shape).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    copies = rng.choice(np.arange(1, rows), rows // 20, replace=False)
    vectors[copies] = vectors[copies - 1]
    return vectors


def _unit(rows: np.ndarray) -> np.ndarray:
    unit = rows.astype(np.float32)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    return unit
