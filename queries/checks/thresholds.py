"""The thresholds of the checks: the paper's, and those calibrated for an encoder and a rewriting style."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foundation.models import Collection
    from queries.language.name_tagger import NameSpan

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
"""By encoder and style; a pooling that isn't the encoder's own is part of its name, as in `Encoder.label`. Measured by
`benchmarks/caption_checks.py`; docs/rewriting.md has the error rates."""

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


def limits_for(collection: Collection, encoder: str) -> Limits:
    """The thresholds that a collection set, else the calibrated ones of an encoder, by its label (`Encoder.label`)."""
    usual = CALIBRATED.get(_name_of(encoder), UNCALIBRATED)[collection.rewriting_style]
    return Limits(
        usual.similarity if collection.similarity_threshold is None else collection.similarity_threshold,
        collection.name_threshold,
        usual.kept if collection.kept_threshold is None else collection.kept_threshold,
    )


def ships_calibrated(encoder: str, style: str) -> bool:
    """Whether Qreels comes with calibrated thresholds for an encoder, by its label, and a style."""
    return style in CALIBRATED.get(_name_of(encoder), {})


def _name_of(encoder: str) -> str:
    """The label without the place of the model's folder: another pooling of a model is another encoder."""
    return encoder.rstrip("/").rpartition("/")[2]


def similarity_passes(score: float, threshold: float = SIMILARITY_THRESHOLD) -> bool:
    """Whether a caption's cosine similarity to its description suffices: >= threshold; NaN fails."""
    return score >= threshold


def names_pass(spans: Iterable[NameSpan], threshold: float = NAME_THRESHOLD) -> bool:
    """Whether a tagger sees nobody named: no span scores > threshold."""
    return not any(span.score > threshold for span in spans)
