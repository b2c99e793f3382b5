"""Writing a file of features so that a kill loses at most the video in hand.

HDF5 files that are cut off while they are written can't be opened again. So each video goes to a file of its own in the
folder ``OUT.parts``, which appears by one renaming; at the end they are joined to ``OUT``, which appears by another.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from baselines.arrays import SingleArray
from baselines.errors import BaselineError
from baselines.features.store import FeatureFile, key_of, require_same
from baselines.whole_files import whole_file

HALF_LARGEST = 65504.0
"""What float16 holds at most."""


@dataclass(frozen=True)
class VideoFeatures:
    """One video's features, as `FeatureFile` has them; subtitles and shared are None where there are none."""

    duration: float
    source: str
    visual: SingleArray
    subtitles: SingleArray | None = None
    shared: SingleArray | None = None


class FeatureWriter:
    """Collects features beside a file, and makes the file of them."""

    def __init__(self, path: Path, manifest: Mapping[str, Any]) -> None:
        """Go on where an earlier call with the same settings stopped.

        Raises: BaselineError if the file, or what was begun of it, was made with other settings.
        """
        self.path = path
        self.manifest = dict(manifest)
        self.parts = path.with_name(path.name + ".parts")
        self._before = FeatureFile(path) if path.exists() else None
        if self._before is not None:
            require_same(path, self._before.manifest, self.manifest)
        note = self.parts / "manifest.json"
        if note.exists():
            require_same(self.parts, json.loads(note.read_text()), self.manifest)
        else:
            with whole_file(note) as file:
                file.write(json.dumps(self.manifest, indent=1).encode())

    def has(self, video: str, source: str) -> bool:
        """Whether a video's features are there, made of this very file."""
        part = self._part(video)
        if part.exists():
            with np.load(part) as stored:
                return str(stored["source"]) == source
        before = self._before
        return before is not None and video in before.videos and before.source(video) == source

    def add(self, video: str, features: VideoFeatures) -> None:
        """Keep a video's features. Raises: BaselineError if a value isn't finite or too large for float16."""
        arrays: dict[str, Any] = {"duration": features.duration, "source": features.source, "name": video}
        for group, values in _groups(features).items():
            if values is None:
                continue
            wrong = ~(np.abs(values) <= HALF_LARGEST).all(axis=1)  # NaN compares as False
            if wrong.any():
                raise BaselineError(
                    f"the video {video!r}, {group}, clip {int(np.argmax(wrong))}: the encoder gave NaN or a number "
                    f"above {HALF_LARGEST:g}, which float16 can't hold"
                )
            arrays[group] = values.astype(np.float16)
        with whole_file(self._part(video)) as file:
            np.savez(file, **arrays)

    def finish(self, words: Mapping[str, SingleArray] | None = None) -> FeatureFile:
        """Join all that is there to the file, and take the parts away.

        Args: words: further queries' words by text.
        """
        import h5py

        temporary = self.path.with_name(self.path.name + ".new")
        parts = sorted(self.parts.glob("*.npz"))
        with h5py.File(temporary, "w") as file:
            file.attrs["manifest"] = json.dumps(self.manifest)
            file.create_group("visual")
            for part in parts:
                with np.load(part) as stored:
                    _write(file, str(stored["name"]), dict(stored))
            if self._before is not None:
                self._take_over(file)
            _write_words(file, self._all_words(words or {}))
        if self._before is not None:
            self._before.close()
        temporary.replace(self.path)
        shutil.rmtree(self.parts)
        return FeatureFile(self.path)

    def _take_over(self, file: Any) -> None:
        before = self._before
        assert before is not None
        for video in before.videos:
            if key_of(video) not in file["visual"]:
                for group in ("visual", "subtitles", "shared"):
                    if group in before.hdf5:
                        file.require_group(group)
                        before.hdf5.copy(f"{group}/{key_of(video)}", file[group])

    def _all_words(self, words: Mapping[str, SingleArray]) -> dict[str, SingleArray]:
        before = self._before
        stored = {} if before is None else {text: before.words(text) for text in before.stored_texts}
        return stored | dict(words)

    def _part(self, video: str) -> Path:
        return self.parts / (hashlib.sha256(video.encode()).hexdigest()[:32] + ".npz")


def _groups(features: VideoFeatures) -> dict[str, SingleArray | None]:
    return {"visual": features.visual, "subtitles": features.subtitles, "shared": features.shared}


def _write(file: Any, video: str, stored: Mapping[str, Any]) -> None:
    for group in ("visual", "subtitles", "shared"):
        if group in stored:
            file.require_group(group)
            rows = file[group].create_dataset(key_of(video), data=stored[group])
            if group == "visual":
                rows.attrs["duration"] = float(stored["duration"])
                rows.attrs["source"] = str(stored["source"])


def _write_words(file: Any, words: Mapping[str, SingleArray]) -> None:
    import h5py

    if not words:
        return
    group = file.create_group("words")
    texts: Sequence[str] = list(words)
    group.create_dataset("texts", data=texts, dtype=h5py.string_dtype())
    group.create_dataset("offset", data=np.cumsum([0, *(len(words[text]) for text in texts)]))
    group.create_dataset("vectors", data=np.concatenate([words[text] for text in texts]).astype(np.float16))
