"""Error rates of the checks by threshold, and the pair of thresholds that lets the fewest wrong captions pass. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

RIGHT = "right"
MOST_WAITING = 0.005
"""The share of right captions that a proposal may leave to a person."""
SIMILARITIES = np.round(np.arange(0.0, 0.951, 0.01), 2)
SHARES = np.round(np.arange(0.5, 1.001, 0.01), 2)
"""The thresholds that are tried."""
SHOWN = 5
"""Every fifth of them is kept in tables."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What the checks measured of one caption."""

    kind: str
    """`RIGHT`, or the way in which it is wrong."""
    similarity: float
    kept: float
    """The share of kept words; 1 where it wasn't compared."""
    others: bool
    """Whether it passes all other checks."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The lowest similarity and share of kept words at which a caption passes."""

    similarity: float
    kept: float


def at_thresholds(measured: Sequence[Measured], limits: Thresholds) -> dict[str, float]:
    """By kind: the share of right captions that wait, of wrong ones that pass, by all checks together; in [0, 1]."""
    passes = {
        kind: float(np.mean([m.others and m.similarity >= limits.similarity and m.kept >= limits.kept for m in some]))
        for kind, some in by_kind(measured).items()
    }
    return {kind: 1 - share if kind == RIGHT else share for kind, share in passes.items()}


def wrong_passing(errors: Mapping[str, float]) -> float:
    """The share of wrong captions that pass, on the average of their kinds, of what `at_thresholds` says."""
    wrong = [share for kind, share in errors.items() if kind != RIGHT]
    return sum(wrong) / len(wrong)


def table(measured: Sequence[Measured], which: str) -> list[dict[str, Any]]:
    """Error rates of one threshold alone. Args: which: "similarity" or "kept".

    Returns: a row a threshold: {"threshold", "right" (share that waits), "wrong": {kind: share that passes}}.
    """
    values = {kind: np.array([getattr(m, which) for m in some]) for kind, some in by_kind(measured).items()}
    grid = SIMILARITIES if which == "similarity" else SHARES
    return [
        {
            "threshold": float(threshold),
            RIGHT: float(np.mean(values[RIGHT] < threshold)),
            "wrong": {kind: float(np.mean(some >= threshold)) for kind, some in values.items() if kind != RIGHT},
        }
        for threshold in grid[::SHOWN]
    ]


def propose(measured: Sequence[Measured], today: Thresholds) -> Thresholds:
    """The pair at which the fewest wrong captions pass, on the average of their kinds, while of the right ones at most
    `MOST_WAITING` wait for these two checks; of equal pairs the nearest to today's, so that nothing changes in vain.

    Args: measured: captions of `RIGHT` and of at least one other kind.
    """
    similarities = np.unique([*SIMILARITIES, today.similarity])
    shares = np.unique([*SHARES, today.kept])
    waiting, passing = np.empty(0), []
    for kind, some in by_kind(measured).items():
        similar = np.array([m.similarity for m in some]) >= similarities[:, None]
        kept = np.array([m.kept for m in some]) >= shares[:, None]
        counted = np.ones(len(some)) if kind == RIGHT else np.array([m.others for m in some], dtype=float)
        share = (similar * counted) @ kept.T.astype(float) / len(some)
        if kind == RIGHT:
            waiting = 1 - share
        else:
            passing.append(share)
    allowed = waiting <= MOST_WAITING + 1e-9
    # Where no pair is allowed, one at which the fewest right captions wait.
    errors = np.round(np.where(allowed, np.mean(passing, axis=0), 1 + waiting), 9)
    away = np.abs(similarities - today.similarity)[:, None] + np.abs(shares - today.kept)
    row, column = np.unravel_index(int(np.argmin(np.where(errors == errors.min(), away, np.inf))), errors.shape)
    return Thresholds(float(similarities[row]), float(shares[column]))


def by_kind(measured: Sequence[Measured]) -> Mapping[str, list[Measured]]:
    """The captions of each kind, in the order in which kinds come."""
    kinds: dict[str, list[Measured]] = {}
    for one in measured:
        kinds.setdefault(one.kind, []).append(one)
    return kinds
