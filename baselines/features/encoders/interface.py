"""What an encoder offers: frames, words of texts, texts in the space of frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from baselines.arrays import ByteArray, SingleArray

Pool = Literal["max", "mean"]


@dataclass(frozen=True)
class FrameVectors:
    """Frames encoded.

    Attributes: visual: shape (frames, visual_size). shared: shape (frames, shared_size) in the space shared with
    texts; None where there is no such space, or where `visual` is in it.
    """

    visual: SingleArray
    shared: SingleArray | None = None


class FrameEncoder(Protocol):
    """Turns frames into vectors.

    Attributes:
        identity: ``{"name", "library", "weights"}``: its name, the library with its version, SHA-256 of its weights.
        picture_size: width and height in pixels of the pictures that `encode` takes.
        visual_size, shared_size: dimensions; shared_size is None without a space shared with texts.
        visual_is_shared: whether the visual vectors are in that space.
        pool: how a clip's frames become one vector.
    """

    identity: dict[str, Any]
    picture_size: tuple[int, int]
    visual_size: int
    shared_size: int | None
    visual_is_shared: bool
    pool: Pool

    def encode(self, frames: ByteArray) -> FrameVectors:
        """Encode RGB pictures, shape (frames, height, width, 3), 0-255."""


class WordEncoder(Protocol):
    """Turns texts into vectors of their words. Attributes: identity: as `FrameEncoder`'s; size: dimensions."""

    identity: dict[str, Any]
    size: int

    def words(self, texts: Sequence[str]) -> list[SingleArray]:
        """A vector for each token of each text, in its context: shape (tokens, size) each, one token or more."""


class SharedTexts(Protocol):
    """Turns texts into vectors of the space that they share with frames. Attributes: identity, as above."""

    identity: dict[str, Any]

    def shared_texts(self, texts: Sequence[str]) -> SingleArray:
        """Shape (texts, shared_size), rows of unit length."""
