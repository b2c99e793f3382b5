"""What models and floors ask of features, wherever they were made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from baselines.arrays import SingleArray


class Features(Protocol):
    """Features of a collection. Clip i of a video is what is seen and said from ``i * clip_seconds`` on.

    Attributes:
        name: the file's, for messages. manifest: the encoders' identities, frame rate, dimensions; plain JSON.
        videos: the videos' names. clip_seconds: a clip's length. visual_size, subtitle_size, word_size, shared_size:
        dimensions; None where there are no subtitles, or no space that texts and frames share.
    """

    name: str
    manifest: dict[str, Any]
    videos: tuple[str, ...]
    clip_seconds: float
    visual_size: int
    subtitle_size: int | None
    word_size: int
    shared_size: int | None

    def clips(self, video: str) -> int:
        """How many clips a video has, >= 1. Raises: BaselineError if it isn't there."""

    def visual(self, video: str) -> SingleArray:
        """A video's frames, shape (clips, visual_size), float32. Raises: BaselineError if it is missing or broken."""

    def subtitles(self, video: str) -> SingleArray | None:
        """What is said in a video, shape (clips, subtitle_size), float32; zeros where nothing is said, None where the
        collection has no subtitles. Raises: BaselineError as `visual`."""

    def words(self, query_text: str, query_id: str = "") -> SingleArray:
        """A query's words, shape (words, word_size), float32, words >= 1.

        Features made elsewhere know queries by their id alone. Raises: BaselineError if the query isn't there.
        """

    def prepare_words(self, texts: Sequence[str]) -> None:
        """Encode many queries' words at once, so that `words` has them at hand."""

    def shared(self, video: str) -> SingleArray:
        """A video's clips in the space shared with texts, shape (clips, shared_size), rows of unit length or zero.

        Raises: BaselineError where there is no such space (`shared_size` is None), or as `visual`."""

    def shared_texts(self, texts: Sequence[str]) -> SingleArray:
        """Texts in that space, shape (texts, shared_size), rows of unit length. Raises: as `shared`."""
