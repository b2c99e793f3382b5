"""Features made elsewhere, read as they are: the layout of the published TVR features.

A JSON file names the HDF5 files, beside it or by whole paths:

    {"name": "TVR", "clip_seconds": 1.5, "visual": "tvr_resnet152_rgb_max_i3d_rgb600_avg_cat_cl-1.5.h5",
     "subtitles": "tvr_sub_pretrained_w_sub_query_max_cl-1.5.h5", "words": "tvr_query_pretrained_w_sub_query.h5"}

``visual`` and ``subtitles`` hold one dataset a video, named as the video, shape (clips, size); ``words`` one a query,
named as its query_id (TVR's desc_id), shape (words, size). ``subtitles`` may be missing. Datasets that end in ``-mask``
or ``-lengths`` are TVR's by-products and are left alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from baselines.arrays import SingleArray
from baselines.errors import BaselineError
from baselines.features.store import checked, open_hdf5

BY_PRODUCTS = ("-mask", "-lengths")
KNOWN = {"name", "clip_seconds", "visual", "subtitles", "words"}


class PublishedFeatures:
    """Features of other programs; see `baselines.features.interface.Features`."""

    shared_size: int | None = None

    def __init__(self, path: Path) -> None:
        """Raises: BaselineError if the JSON file or a file it names can't be used."""
        self.path = path
        self.name = path.name
        stated = _stated(path)
        self.clip_seconds = float(stated["clip_seconds"])
        self._files = {
            kind: open_hdf5(path.parent / stated[kind]) for kind in ("visual", "subtitles", "words") if stated.get(kind)
        }
        self.videos = tuple(key for key in self._files["visual"] if not key.endswith(BY_PRODUCTS))
        self.visual_size = self._size("visual", self.videos)
        self.word_size = self._size("words", tuple(self._files["words"]))
        self.subtitle_size: int | None = (
            self._size("subtitles", tuple(self._files["subtitles"])) if "subtitles" in self._files else None
        )
        self.manifest: dict[str, Any] = {
            "format": "made elsewhere",
            "name": stated.get("name", path.stem),
            "files": {
                kind: {"name": Path(file.filename).name, "bytes": Path(file.filename).stat().st_size}
                for kind, file in self._files.items()
            },
            "clip_seconds": self.clip_seconds,
            "dimensions": {
                "visual": self.visual_size,
                "subtitles": self.subtitle_size,
                "words": self.word_size,
                "shared": None,
            },
        }

    def clips(self, video: str) -> int:
        """How many clips a video has."""
        return int(self._dataset("visual", video, f"the video {video!r}").shape[0])

    def visual(self, video: str) -> SingleArray:
        """Shape (clips, visual_size)."""
        return self._read("visual", video, f"the video {video!r}", self.clips(video), self.visual_size)

    def subtitles(self, video: str) -> SingleArray | None:
        """Shape (clips, subtitle_size), or None."""
        if self.subtitle_size is None:
            return None
        return self._read("subtitles", video, f"the video {video!r}", self.clips(video), self.subtitle_size)

    def words(self, query_text: str, query_id: str = "") -> SingleArray:
        """Shape (words, word_size), found by the query's id."""
        what = f"the query_id {query_id!r}"
        count = int(self._dataset("words", query_id, what).shape[0])
        return self._read("words", query_id, what, count, self.word_size)

    def prepare_words(self, texts: Sequence[str]) -> None:
        """Nothing: the words are in a file."""

    def shared(self, video: str) -> SingleArray:
        """Raises: BaselineError: nothing here brings texts into such a space."""
        raise BaselineError(f"{self.path}: features that were made elsewhere have no space shared with texts")

    def shared_texts(self, texts: Sequence[str]) -> SingleArray:
        """Raises: as `shared`."""
        return self.shared("")

    def _size(self, kind: str, keys: tuple[str, ...]) -> int:
        file = self._files[kind]
        first = next((key for key in keys if not key.endswith(BY_PRODUCTS)), None)
        if first is None or getattr(file[first], "ndim", 0) != 2:
            found = "no dataset" if first is None else f"{first!r} with the shape {getattr(file[first], 'shape', None)}"
            raise BaselineError(f"{file.filename}: found {found}, expected datasets of the shape (rows, size)")
        return int(file[first].shape[1])

    def _dataset(self, kind: str, key: str, what: str) -> Any:
        dataset = self._files[kind].get(key) if key else None
        if dataset is None:
            raise BaselineError(f"{self._files[kind].filename}: found no dataset for {what}")
        return dataset

    def _read(self, kind: str, key: str, what: str, rows: int, size: int) -> SingleArray:
        where = f"{self._files[kind].filename}, {what}"
        try:
            values = np.asarray(self._dataset(kind, key, what)[:], dtype=np.float32)
        except OSError as error:
            raise BaselineError(f"{where}: can't be read ({error}); the file is damaged") from error
        return checked(values, (rows, size), where)


def _stated(path: Path) -> dict[str, Any]:
    try:
        stated = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BaselineError(f"{path}: found no JSON ({error}), expected the names of files of features") from error
    expected = (
        'expected {"clip_seconds": 1.5, "visual": FILE, "words": FILE}, and "subtitles": FILE where there are any'
    )
    if not isinstance(stated, dict):
        raise BaselineError(f"{path}: found {type(stated).__name__}, {expected}")
    unknown = sorted(stated.keys() - KNOWN)
    if unknown:
        raise BaselineError(f"{path}: found {', '.join(map(repr, unknown))}, {expected}")
    seconds = stated.get("clip_seconds")
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 < seconds < 3600:
        raise BaselineError(f"{path}: found clip_seconds {seconds!r}, {expected}")
    for kind in ("visual", "words"):
        if not isinstance(stated.get(kind), str):
            raise BaselineError(f"{path}: found {kind} {stated.get(kind)!r}, {expected}")
    if not isinstance(stated.get("subtitles"), str | None):
        raise BaselineError(f"{path}: found subtitles {stated['subtitles']!r}, {expected}")
    return stated
