"""A release as a baseline needs it: pseudo-training queries, the queries of a split, the videos' durations."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from baselines.errors import BaselineError
from evaluation.arrays import FloatArray, IntArray
from evaluation.errors import InputError, shown
from evaluation.formats.system_names import SPLITS
from evaluation.reading.fields import interval, list_of, name, number, text_id
from evaluation.reading.json_stream import json_items
from evaluation.reading.tvr import read_durations

CORPUS_FILE = "video_corpus.json"


@dataclass(frozen=True)
class Query:
    """A query as a release states it."""

    query_id: str
    text: str


@dataclass(frozen=True, eq=False)
class Training:
    """Pseudo-training queries with their N most similar moments, as columns (TVR's N = 40 has 2.8 million rows).

    Attributes (Q queries, M pairs, V videos):
        top: N. queries: Q queries. video_names: V names.
        offset: shape (Q + 1,), a query's pairs are ``offset[q]:offset[q + 1]``, the most similar first.
        query, video: shape (M,), indices. start, end: shape (M,), seconds. similarity: shape (M,), in [-1, 1].
    """

    top: int
    queries: tuple[Query, ...]
    video_names: tuple[str, ...]
    offset: IntArray
    video: IntArray
    start: FloatArray
    end: FloatArray
    similarity: FloatArray

    def __len__(self) -> int:
        """How many queries there are."""
        return len(self.queries)

    @cached_property
    def query(self) -> IntArray:
        """Each pair's query, shape (M,)."""
        return np.repeat(np.arange(len(self.queries), dtype=np.int64), np.diff(self.offset))


class Release:
    """A release's folder.

    Attributes:
        folder: where it lies. durations: video name -> seconds, in the file's order; None where the release knows
        none (no source stated it, and the video has no moment).
    """

    def __init__(self, folder: Path, durations: dict[str, float | None]) -> None:
        self.folder = folder
        self.durations = durations

    @cached_property
    def training(self) -> Training:
        """All pairs of the deepest training file. Raises: BaselineError if there is none, InputError for a bad one."""
        return self.training_of(max(self._depths()))

    def training_of(self, top: int) -> Training:
        """Every pseudo-training query with its ``top`` most similar moments.

        They come from the training file of that depth, or from the first moments of a deeper one; a query has fewer
        where its file has fewer.
        Raises: BaselineError without a file that is as deep, InputError for a bad one.
        """
        deep = [depth for depth in self._depths() if depth >= top]
        if top < 1 or not deep:
            found = ", ".join(path.name for path in self._depths().values())
            raise BaselineError(
                f"{self.folder}: found {found}, expected a training file with {top} or more moments a query "
                f"(train_top{top:02d}.json); releases are made with the numbers of moments that are asked for"
            )
        return _training(self._depths()[min(deep)], top, self.durations)

    def queries(self, split: str) -> list[Query]:
        """The queries of ``val`` or ``test``. Raises: BaselineError if there is no such file, InputError."""
        path = self.ground_truth_path(split)
        return [
            Query(text_id(path, place, record, "query_id"), name(path, place, record, "query"))
            for place, record in _objects(path)
        ]

    def ground_truth_path(self, split: str) -> Path:
        """The file of ``val`` or ``test``, for `evaluation`. Raises: BaselineError if there is none."""
        path = self.folder / f"{split}.json"
        if split not in SPLITS or not path.is_file():
            raise BaselineError(f"{self.folder}: found no {split}.json, expected val.json or test.json")
        return path

    def query_texts(self) -> list[str]:
        """The texts of all queries that there are files of: val, test, pseudo-training. Raises: InputError."""
        texts = [
            query.text for split in SPLITS if (self.folder / f"{split}.json").is_file() for query in self.queries(split)
        ]
        if any(self.folder.glob("train_top*.json")):
            texts += [query.text for query in self.training_of(1).queries]
        return list(dict.fromkeys(texts))

    def _depths(self) -> dict[int, Path]:
        files = {
            int(digits): path
            for path in sorted(self.folder.glob("train_top*.json"))
            if (digits := path.stem.removeprefix("train_top")).isdecimal()
        }
        if not files:
            raise BaselineError(
                f"{self.folder}: found no training file, expected train_top01.json, train_top20.json or the like"
            )
        return files


def read_release(folder: Path | str) -> Release:
    """Open a release: a folder with video_corpus.json, val.json, test.json and train_topNN.json.

    Only the list of videos is read now, the rest when it is asked for.
    Raises: BaselineError if the folder is none of a release, InputError for a bad file.
    """
    folder = Path(folder)
    if not folder.is_dir():
        what = "a file" if folder.is_file() else "nothing"
        hint = " (unpack the archive first)" if folder.name.endswith((".zip", ".gz", ".tar")) else ""
        raise BaselineError(f"{folder}: found {what}, expected a release's folder{hint}")
    path = folder / CORPUS_FILE
    if not path.is_file():
        raise BaselineError(
            f"{folder}: found no {CORPUS_FILE}, expected a release's folder, with {CORPUS_FILE}, val.json, test.json "
            "and train_topNN.json at its top"
        )
    if not (durations := read_durations(path)):
        raise InputError(path, "", found="no video", expected="the videos' names with their durations in seconds")
    return Release(folder, durations)


def _training(path: Path, top: int, durations: dict[str, float | None]) -> Training:
    queries: list[Query] = []
    seen: set[str] = set()
    codes: dict[str, int] = {}
    lengths, video = array("q", [0]), array("q")
    start, end, similarity = array("d"), array("d"), array("d")
    for place, record in _objects(path):
        query = Query(text_id(path, place, record, "query_id"), name(path, place, record, "query"))
        at = f"{place}, query_id {query.query_id}"
        if query.query_id in seen:
            raise InputError(
                path, place, found=f"query_id {shown(query.query_id)} a second time", expected="each query once"
            )
        seen.add(query.query_id)
        queries.append(query)
        moments = list_of(path, at, record, "relevant_moment")[:top]
        for i, moment in enumerate(moments, start=1):
            own = f"{at}, moment {i}"
            video_name = name(path, own, moment, "video_name")
            if video_name not in durations:
                raise InputError(
                    path, own, found=f"video_name {shown(video_name)}", expected=f"a video of {CORPUS_FILE}"
                )
            seconds = interval(path, own, moment.get("timestamp"))
            value = moment.get("similarity")
            if not number(value) or not -1.001 <= value <= 1.001:  # a cosine's rounding is let through
                found = f"similarity {shown(value)}" if "similarity" in moment else "no similarity"
                raise InputError(path, own, found=found, expected="similarity: a number from -1 to 1")
            video.append(codes.setdefault(video_name, len(codes)))
            start.append(seconds[0])
            end.append(seconds[1])
            similarity.append(float(value))
        lengths.append(len(moments))
    if not video:
        raise InputError(
            path, "", found="no query with a moment", expected="pseudo-training queries with their moments"
        )
    return Training(
        top,
        tuple(queries),
        tuple(codes),
        np.cumsum(np.array(lengths, dtype=np.int64)),
        np.array(video, dtype=np.int64),
        np.array(start, dtype=np.float64),
        np.array(end, dtype=np.float64),
        np.array(similarity, dtype=np.float64),
    )


def _objects(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for place, record in json_items(path):
        if not isinstance(record, dict):
            raise InputError(path, place, found=shown(record), expected='{"query_id", "query", "relevant_moment"}')
        yield place, record
