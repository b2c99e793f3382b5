"""Sequences of features as models take them: unit length, pooled where they are too long, padded to one length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from baselines.arrays import SingleArray
from evaluation.arrays import IntArray

_LEAST = 1e-5
"""Added to lengths, as the published code does; a row of zeros stays one."""


def unit_rows(rows: SingleArray) -> SingleArray:
    """Each row divided by its length, as XML's, ReLoCLNet's and the adaptation's code do to all features."""
    lengths = np.sqrt(np.einsum("ld,ld->l", rows, rows))
    unit: SingleArray = rows / (lengths + np.float32(_LEAST))[:, None]
    return unit


def pooled(rows: SingleArray, longest: int) -> SingleArray:
    """At most so many rows: means of stretches of equal length, to a row; all of them if there are no more.

    ReLoCLNet's and the adaptation's way; XML's code cuts the rest off.
    """
    if len(rows) <= longest:
        return rows
    bounds = stretch_bounds(len(rows), longest)
    counts = np.diff(bounds)[:, None]
    return (np.add.reduceat(rows, bounds[:-1], axis=0) / counts).astype(np.float32)


def stretch_bounds(rows: int, stretches: int) -> IntArray:
    """Where the stretches begin, and where the last one ends: ``stretches`` + 1 rising places from 0 to ``rows``."""
    return np.round(np.arange(stretches + 1) * (rows / stretches)).astype(np.int64)


def padded(sequences: Sequence[SingleArray], least: int = 0) -> tuple[Tensor, Tensor]:
    """Sequences (L_i, D) as one tensor (N, L, D) of float32 with zeros behind, and its mask (N, L).

    L is the longest of them, or ``least``.
    """
    lengths = np.array([len(sequence) for sequence in sequences])
    width = max(least, int(lengths.max()))
    values = np.zeros((len(sequences), width, sequences[0].shape[1]), np.float32)
    for row, sequence in zip(values, sequences, strict=True):
        row[: len(sequence)] = sequence
    mask = (np.arange(width) < lengths[:, None]).astype(np.float32)
    return torch.from_numpy(values), torch.from_numpy(mask)
