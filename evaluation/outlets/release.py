"""A release as outlets read it: queries with their moments by split, the videos' durations, the scale."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from unicodedata import normalize

from ..errors import EvaluationError, InputError, read_each, shown
from ..formats.system_names import SPLITS
from ..formats.trec_ids import moment_id
from ..reading.fields import interval, list_of, name, number, text_id
from ..reading.json_stream import json_items, json_members
from ..reading.moment_ids import MOMENT_IDS, read_moment_ids
from ..releases.manifest import read_manifest

CORPUS_FILE = "video_corpus.json"
MANIFEST = "manifest.json"
TRAIN = "train"
TOP_GRADE = 4
WORDS = ("unrelated", "a few points", "in part", "nearly perfect", "perfect")
"""How the paper's grades are called."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A query's moment. Seconds; grade: None in training files, where nobody judged; caption: "" if it has none."""

    video_name: str
    start: float
    end: float
    grade: int | None
    pair_id: str
    caption: str

    @property
    def moment_id(self) -> str:
        """As in a release's `trec/`."""
        return moment_id(self.video_name, self.start, self.end)

    def is_relevant(self, least: float) -> bool:
        """Whether its grade is at least this one; a training file's moments are taken as relevant."""
        return self.grade is None or self.grade >= least


@dataclass(frozen=True, slots=True)
class Query:
    """A query with its moments, in the order of the file."""

    query_id: str
    text: str
    moments: tuple[Moment, ...]

    def relevant(self, least: float) -> list[Moment]:
        """The moments from this grade on."""
        return [moment for moment in self.moments if moment.is_relevant(least)]

    def by_video(self) -> dict[str, list[Moment]]:
        """The moments of each video, by start."""
        videos: dict[str, list[Moment]] = defaultdict(list)
        for moment in self.moments:
            videos[moment.video_name].append(moment)
        return {video: sorted(own, key=lambda moment: (moment.start, moment.end)) for video, own in videos.items()}


@dataclass(frozen=True, slots=True)
class Document:
    """A moment on its own; captions: all that the release's queries have it under, as keys. Seconds."""

    document_id: str
    video_name: str
    start: float
    end: float
    captions: dict[str, None] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The captions, in the order of the files."""
        return " ".join(self.captions)


class Release:
    """A release's folder; what isn't needed isn't read.

    Attributes: folder; stated: the durations that video_corpus.json states, by video.
    """

    def __init__(self, folder: Path, stated: dict[str, float | None]) -> None:
        """`read_release`."""
        self.folder, self.stated = folder, stated

    @property
    def name(self) -> str:
        """What the release is called: collection and name by its manifest, else its folder's."""
        told = [self.manifest.get("collection"), self.manifest.get("release")]
        return "-".join(part for part in told if isinstance(part, str) and part) or self.folder.resolve().name

    @cached_property
    def judged(self) -> dict[str, list[Query]]:
        """The queries of val and test. Raises: InputError naming what is wrong, EvaluationError if there are none."""
        files = {split: self.folder / f"{split}.json" for split in SPLITS}
        judged = {
            split: list(_queries(path, self.stated, graded=True)) for split, path in files.items() if path.is_file()
        }
        if not any(judged.values()):
            raise EvaluationError(f"{self.folder}: found no judged query, expected val.json or test.json with some")
        return judged

    @cached_property
    def training_file(self) -> Path | None:
        """The training file with the fewest moments a query; None if there is none."""
        depths = {path.stem.removeprefix("train_top"): path for path in self.folder.glob("train_top*.json")}
        known = [depth for depth in depths if depth.isdecimal()]
        return depths[min(known, key=int)] if known else None

    def splits(self) -> Iterator[tuple[str, Iterable[Query]]]:
        """train (where there is a training file), val, test, each with its queries. Raises: as `judged`."""
        judged = self.judged
        if self.training_file is not None:
            yield TRAIN, _queries(self.training_file, self.stated, graded=False)
        yield from judged.items()

    @cached_property
    def durations(self) -> dict[str, float]:
        """The duration of every video, in seconds: what is stated, and at least its latest moment's end.

        A video without either isn't there.
        """
        durations = {video: seconds for video, seconds in self.stated.items() if seconds is not None}
        for _, queries in self.splits():
            for moment in (moment for query in queries for moment in query.moments):
                if durations.get(moment.video_name, 0.0) < moment.end:
                    durations[moment.video_name] = moment.end
        return {video: durations[video] for video in self.stated if video in durations}

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What the release says of itself; empty if it has no manifest. Raises: InputError for a bad one."""
        path = self.folder / MANIFEST
        return read_manifest(path) if path.is_file() else {}

    @cached_property
    def moment_ids(self) -> dict[tuple[str, float, float], str]:
        """What moments are called elsewhere, by (video, start, end), as far as it says. Raises: InputError."""
        path = self.folder / MOMENT_IDS
        return read_moment_ids(path) if path.is_file() else {}

    @cached_property
    def top_grade(self) -> int:
        """The scale's highest grade; where the manifest has no scale, it is the paper's, 0 to 4."""
        scale = self.manifest.get("scale")
        top = scale.get("top") if isinstance(scale, dict) else None
        moments = (moment for queries in self.judged.values() for query in queries for moment in query.moments)
        return max([top if isinstance(top, int) else TOP_GRADE, *(moment.grade or 0 for moment in moments)])

    @cached_property
    def grade_words(self) -> dict[int, str]:
        """How each grade is called, in the first of the manifest's languages; the paper's words without a scale."""
        return words_of_grades(self.manifest, self.top_grade)

    @cached_property
    def documents(self) -> dict[str, Document]:
        """All moments of the release's queries, train's too, by id, each with its captions."""
        documents: dict[str, Document] = {}
        for _, queries in self.splits():
            for moment in (moment for query in queries for moment in query.moments):
                place = (moment.video_name, moment.start, moment.end)
                document = documents.setdefault(moment.moment_id, Document(moment.moment_id, *place))
                if moment.caption:
                    document.captions.setdefault(moment.caption)
        return documents


def read_release(folder: Path) -> Release:
    """Open a release's folder. Raises: EvaluationError if it is none, InputError for a bad file."""
    path = folder / CORPUS_FILE
    if not path.is_file():
        found = f"no {CORPUS_FILE}" if folder.is_dir() else "a file" if folder.is_file() else "nothing"
        hint = "; unpack the archive first" if folder.is_file() else ""
        raise EvaluationError(f"{folder}: found {found}, expected a release's folder{hint}")
    stated: dict[str, float | None] = {}
    for place, video, seconds in json_members(path):
        if seconds is not None and not (number(seconds) and 0 < seconds < math.inf):
            expected = "a duration in seconds above 0, or null"
            raise InputError(path, f"{place}, video {shown(video)}", found=shown(seconds), expected=expected)
        stated[normalize("NFC", video)] = None if seconds is None else float(seconds)
    return Release(folder, stated)


def words_of_grades(manifest: Mapping[str, Any], top_grade: float) -> dict[int, str]:
    """How each grade is called, in the first of the manifest's languages.

    Without a scale these are the paper's words if the highest grade is the paper's, and none otherwise.

    >>> words_of_grades({}, 4)[4], words_of_grades({}, 1)
    ('perfect', {})
    """
    try:
        scale = manifest["scale"]
        words = scale["words"][scale["languages"][0]]
        return {int(grade): str(text["word"]) for grade, text in words.items()}
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return dict(enumerate(WORDS)) if top_grade == TOP_GRADE else {}


def _queries(path: Path, videos: Container[str], *, graded: bool) -> Iterator[Query]:
    seen: set[str] = set()
    for place, record in json_items(path):
        if not isinstance(record, dict):
            raise InputError(path, place, found=shown(record), expected='{"query_id", "query", "relevant_moment"}')
        query_id = normalize("NFC", text_id(path, place, record, "query_id"))
        if query_id in seen:
            found = f"query_id {shown(query_id)} a second time"
            raise InputError(path, place, found=found, expected="each query once")
        seen.add(query_id)
        at = f"{place}, query_id {query_id}"
        records = enumerate(list_of(path, at, record, "relevant_moment"), start=1)
        placed = [(f"{at}, moment {number}", moment) for number, moment in records]
        moments = read_each(placed, lambda item: _moment(path, *item, videos, graded=graded))
        judged = tuple(moment for moment in moments if not graded or moment.grade is not None)
        yield Query(query_id, name(path, place, record, "query"), judged)


def _moment(path: Path, place: str, record: Any, videos: Container[str], *, graded: bool) -> Moment:
    video = normalize("NFC", name(path, place, record, "video_name"))
    if video not in videos:
        raise InputError(path, place, found=f"video_name {shown(video)}", expected=f"a video of {CORPUS_FILE}")
    start, end = interval(path, place, record.get("timestamp"))
    grade = record.get("relevance") if graded else None
    if graded and "relevance" not in record:
        raise InputError(path, place, found="no relevance", expected="relevance: a whole number of 0 or more")
    if grade is not None and not (number(grade) and grade >= 0 and grade == int(grade)):
        raise InputError(path, place, field="relevance", value=shown(grade), expected="a whole number of 0 or more")
    pair_id, caption = record.get("pair_id"), record.get("caption")
    return Moment(
        video,
        start,
        end,
        None if grade is None else int(grade),
        "" if pair_id is None else str(pair_id),
        " ".join(caption.split()) if isinstance(caption, str) else "",
    )
