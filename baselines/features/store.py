"""The file of features that Qreels makes: one HDF5 file a collection.

Its layout:

- attribute ``manifest``: JSON text; what `describe` makes, `FORMAT` among it.
- ``visual/VIDEO``: shape (clips, visual size), float16; its attributes ``duration`` (seconds) and ``source`` (the
  file's name and bytes).
- ``subtitles/VIDEO``: shape (clips, subtitle size), float16, zeros where nothing is said; no group without subtitles.
- ``shared/VIDEO``: shape (clips, shared size), float16, the clips in a space shared with texts; no group where there
  is none, or where the visual features are in it already (``"shared": "visual"`` in the manifest).
- ``words/texts``, ``words/offset``, ``words/vectors``: queries' words one after the other, text i has the rows
  ``offset[i]:offset[i + 1]``. Other texts are encoded when they are asked for.

VIDEO is the video's name with ``/`` and ``%`` percent-encoded.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np

from baselines.arrays import SingleArray
from baselines.errors import BaselineError
from evaluation.arrays import IntArray

if TYPE_CHECKING:
    from baselines.features.encoders.interface import SharedTexts, WordEncoder

FORMAT = "qreels features 1"


def key_of(video: str) -> str:
    """A video's name as HDF5 and file systems take it."""
    return video.replace("%", "%25").replace("/", "%2F") if video != "." else "%2E"


def video_of(key: str) -> str:
    """The name behind a key."""
    return unquote(key)


class FeatureFile:
    """Features as `python -m baselines features` writes them; see `baselines.features.interface.Features`."""

    def __init__(self, path: Path) -> None:
        """Raises: BaselineError if the file is missing, cut off or no file of features."""
        self.path = path
        self.name = path.name
        self.hdf5 = open_hdf5(path)
        self.manifest: dict[str, Any] = _manifest(path, self.hdf5)
        sizes = self.manifest["dimensions"]
        self.clip_seconds = float(self.manifest["clip_seconds"])
        self.visual_size = int(sizes["visual"])
        self.word_size = int(sizes["words"])
        self.subtitle_size: int | None = sizes["subtitles"]
        self.shared_size: int | None = sizes["shared"]
        self.videos = tuple(video_of(key) for key in self.hdf5["visual"])
        self._words: dict[str, SingleArray] = {}

    def clips(self, video: str) -> int:
        """How many clips a video has."""
        return int(self._rows("visual", video).shape[0])

    def duration(self, video: str) -> float:
        """A video's duration in seconds, as its file has it."""
        return float(self._rows("visual", video).attrs["duration"])

    def source(self, video: str) -> str:
        """The file that the features were made of: its name and bytes."""
        return str(self._rows("visual", video).attrs["source"])

    def visual(self, video: str) -> SingleArray:
        """Shape (clips, visual_size)."""
        return self._read("visual", video, self.visual_size)

    def subtitles(self, video: str) -> SingleArray | None:
        """Shape (clips, subtitle_size), or None."""
        return None if self.subtitle_size is None else self._read("subtitles", video, self.subtitle_size)

    def words(self, query_text: str, query_id: str = "") -> SingleArray:
        """Shape (words, word_size); encoded now if the file hasn't got the text."""
        place = self._stored.get(query_text)
        if place is None:
            self.prepare_words([query_text])
            return self._words[query_text]
        first, last = self._offset[place : place + 2]
        return checked(
            self.hdf5["words/vectors"][first:last].astype(np.float32),
            (int(last - first), self.word_size),
            f"{self.path}, the words of {query_text!r}",
        )

    def prepare_words(self, texts: Sequence[str]) -> None:
        """Encode the texts that aren't in the file."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._words and text not in self._stored]
        if missing:
            self._words.update(zip(missing, self._word_encoder.words(missing), strict=True))

    def shared(self, video: str) -> SingleArray:
        """Shape (clips, shared_size), rows of unit length or zero."""
        if self.shared_size is None:
            raise BaselineError(_no_shared_space(self.path, self.manifest["frames"]["name"]))
        group = "visual" if self.manifest["shared"] == "visual" else "shared"
        rows = self._read(group, video, self.shared_size)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.where(lengths > 0, lengths, 1.0), dtype=np.float32)

    def shared_texts(self, texts: Sequence[str]) -> SingleArray:
        """Shape (texts, shared_size), rows of unit length."""
        if self.shared_size is None:
            raise BaselineError(_no_shared_space(self.path, self.manifest["frames"]["name"]))
        return self._shared_texts.shared_texts(texts)

    @property
    def stored_texts(self) -> list[str]:
        """The queries whose words are in the file."""
        return list(self._stored)

    def close(self) -> None:
        """Let go of the file."""
        self.hdf5.close()

    @cached_property
    def _stored(self) -> dict[str, int]:
        if "words" not in self.hdf5:
            return {}
        return {text.decode(): row for row, text in enumerate(self.hdf5["words/texts"][:])}

    @cached_property
    def _offset(self) -> IntArray:
        return np.asarray(self.hdf5["words/offset"][:], dtype=np.int64)

    @cached_property
    def _word_encoder(self) -> WordEncoder:
        from baselines.features.encoders import word_encoder

        encoder = word_encoder(self.manifest["text"]["name"])
        require_same_weights(self.path, self.manifest["text"], encoder.identity)
        return encoder

    @cached_property
    def _shared_texts(self) -> SharedTexts:
        from baselines.features.encoders import shared_texts

        encoder = shared_texts(self.manifest["frames"]["name"])
        require_same_weights(self.path, self.manifest["shared_texts"], encoder.identity)
        return encoder

    def _rows(self, group: str, video: str) -> Any:
        rows = self.hdf5.get(f"{group}/{key_of(video)}")
        if rows is None:
            raise BaselineError(
                f"{self.path}: found no {group} features of the video {video!r} among {len(self.videos)} videos; "
                "extract them by the same call of `features` with a folder that has it"
            )
        return rows

    def _read(self, group: str, video: str, size: int) -> SingleArray:
        rows = self._rows(group, video)
        where = f"{self.path}, {group} of the video {video!r}"
        try:
            values = rows[:].astype(np.float32)
        except OSError as error:
            raise BaselineError(f"{where}: can't be read ({error}); the file is damaged") from error
        return checked(values, (self.clips(video), size), where)


def checked(values: SingleArray, shape: tuple[int, int], where: str) -> SingleArray:
    """The values, if they have this shape, a row or more, and are all finite. Raises: BaselineError naming the row."""
    if values.shape != shape or not len(values):
        raise BaselineError(f"{where}: found the shape {values.shape}, expected {shape}, with a row or more")
    finite = np.isfinite(values).all(axis=1)
    if not finite.all():
        row = int(np.argmin(finite))
        raise BaselineError(f"{where}, row {row}: found NaN or infinite values, expected numbers; extract it again")
    return values


def settled(value: Any) -> Any:
    """The part of a manifest's entry that must agree: an encoder's name and weights, not its library's version."""
    return {key: entry for key, entry in value.items() if key != "library"} if isinstance(value, dict) else value


def require_same(path: Path, stored: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    """Raises: BaselineError if something was made with another manifest than is asked for; the code may be another."""
    for key, value in asked.items():
        if key != "code" and settled(stored.get(key)) != settled(value):
            raise BaselineError(
                f"{path}: was made with {key} = {json.dumps(stored.get(key))[:200]}, asked for is "
                f"{json.dumps(value)[:200]}; give another OUT, or delete this one"
            )


def open_hdf5(path: Path) -> Any:
    """An open HDF5 file. Raises: BaselineError if it is missing, cut off or something else."""
    import h5py

    if not path.is_file():
        found = "a folder" if path.is_dir() else "nothing"
        raise BaselineError(f"{path}: found {found}, expected a file of features (HDF5)")
    try:
        return h5py.File(path, "r")
    except OSError as error:
        raise BaselineError(f"{path}: found no whole HDF5 file ({error}), expected one that was not cut off") from error


def require_same_weights(path: Path, stored: dict[str, Any], found: dict[str, Any]) -> None:
    """Raises: BaselineError if an encoder here isn't the one that a file was made with."""
    if stored["weights"] != found["weights"]:
        raise BaselineError(
            f"{path}: was made with {stored['name']}, weights {stored['weights'][:12]}; found {found['name']} with the "
            f"weights {found['weights'][:12]} here, expected the same"
        )


def _manifest(path: Path, file: Any) -> dict[str, Any]:
    try:
        manifest = json.loads(file.attrs["manifest"])
    except (KeyError, ValueError):
        manifest = None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT or "visual" not in file:
        raise BaselineError(
            f"{path}: found an HDF5 file without the manifest of {FORMAT!r}; for features that were made elsewhere, "
            "give a JSON file that names their files (docs/baselines.md)"
        )
    return manifest


def _no_shared_space(path: Path, encoder: str) -> str:
    return f"{path}: the frames' encoder {encoder} has no space that it shares with texts; extract with another one"
