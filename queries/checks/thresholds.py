"""The two thresholds of the TVR-Ranking paper: sentence similarity and name score."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

SIMILARITY_THRESHOLD = 0.4


NAME_THRESHOLD = 0.8


class ScoredSpan(Protocol):
    """A span of text found by a name tagger, with its score."""

    @property
    def score(self) -> float: ...


def similarity_passes(score: float, threshold: float = SIMILARITY_THRESHOLD) -> bool:
    """Whether a caption's cosine similarity to its description suffices: >= threshold; NaN fails."""
    return score >= threshold


def names_pass(spans: Iterable[ScoredSpan], threshold: float = NAME_THRESHOLD) -> bool:
    """Whether a tagger sees nobody named: no span scores > threshold."""
    return not any(span.score > threshold for span in spans)
