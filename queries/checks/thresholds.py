"""The thresholds of the checks: the paper's, and those calibrated for an encoder and a rewriting style."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

SIMILARITY_THRESHOLD = 0.4
"""The paper's, for SimCSE."""

NAME_THRESHOLD = 0.8


@dataclass(frozen=True, slots=True)
class Calibrated:
    """The lowest similarity and share of kept words at which a caption of one style passes."""

    similarity: float
    kept: float


CALIBRATED: Mapping[str, Mapping[str, Calibrated]] = {
    "all-MiniLM-L6-v2": {"faithful": Calibrated(0.2, 0.9), "diverse": Calibrated(0.2, 0.88)},
}
"""By encoder and style. Measured by `benchmarks/caption_checks.py`; docs/rewriting.md has the error rates."""

UNCALIBRATED: Mapping[str, Calibrated] = {
    "faithful": Calibrated(SIMILARITY_THRESHOLD, 0.85),
    "diverse": Calibrated(SIMILARITY_THRESHOLD, 0.85),
}
"""For SimCSE, whose threshold the paper gives, and for encoders that nobody has calibrated."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The thresholds that hold for a collection's captions, whether it set them or not."""

    similarity_threshold: float
    name_threshold: float
    kept_threshold: float


class ThresholdSettings(Protocol):
    """A collection's settings; what is None takes the calibrated value."""

    @property
    def rewriting_style(self) -> str: ...
    @property
    def similarity_threshold(self) -> float | None: ...
    @property
    def name_threshold(self) -> float: ...
    @property
    def kept_threshold(self) -> float | None: ...


class ScoredSpan(Protocol):
    """A span of text found by a name tagger, with its score."""

    @property
    def score(self) -> float: ...


def limits_for(settings: ThresholdSettings, encoder: str) -> Limits:
    """The thresholds for a collection's settings and an encoder's name, or the path of its folder."""
    usual = CALIBRATED.get(encoder.rstrip("/").rpartition("/")[2], UNCALIBRATED)[settings.rewriting_style]
    return Limits(
        usual.similarity if settings.similarity_threshold is None else settings.similarity_threshold,
        settings.name_threshold,
        usual.kept if settings.kept_threshold is None else settings.kept_threshold,
    )


def similarity_passes(score: float, threshold: float = SIMILARITY_THRESHOLD) -> bool:
    """Whether a caption's cosine similarity to its description suffices: >= threshold; NaN fails."""
    return score >= threshold


def names_pass(spans: Iterable[ScoredSpan], threshold: float = NAME_THRESHOLD) -> bool:
    """Whether a tagger sees nobody named: no span scores > threshold."""
    return not any(span.score > threshold for span in spans)
