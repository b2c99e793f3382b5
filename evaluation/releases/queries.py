"""Queries with their moments, as a release's JSON files have them, one at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unicodedata import normalize

from ..errors import InputError, read_each, shown
from ..formats.trec_ids import moment_id
from ..reading.fields import interval, list_of, name, number, text_id
from ..reading.json_stream import json_items

CORPUS_FILE = "video_corpus.json"


@dataclass(frozen=True, slots=True)
class Moment:
    """A query's moment. Seconds; grade: None in training files, where nobody judged. pair_id: "" if it has none."""

    video_name: str
    start: float
    end: float
    grade: int | None
    pair_id: str
    caption: str | None
    similarity: float | None = None

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


def read_queries(path: Path, *, graded: bool = False, corpus: Container[str] | None = None) -> Iterator[Query]:
    """The queries of a JSON list, whatever the file's size.

    Args: graded: their moments have grades, and those whose grade is null are left out. corpus: the videos that there
        are; None for files of others, whose queries may come again and may lack a text.
    Raises: InputError naming record, what was found and expected.
    """
    seen: set[str] = set()
    for place, record in json_items(path, streamed=True):
        if not isinstance(record, dict):
            expected = '{"query_id", "query", "relevant_moment"}'
            raise InputError(path, place, found=shown(record), expected=expected)
        query_id = normalize("NFC", text_id(path, place, record, "query_id"))
        if corpus is not None and query_id in seen:
            found = f"query_id {shown(query_id)} a second time"
            raise InputError(path, place, found=found, expected="each query once")
        seen.add(query_id)
        at = f"{place}, query_id {query_id}"
        records = enumerate(list_of(path, at, record, "relevant_moment"), start=1)
        placed = [(f"{at}, moment {number}", moment) for number, moment in records]
        moments = read_each(placed, lambda item: _moment(path, *item, corpus, graded=graded))
        text = str(record.get("query", "")) if corpus is None else name(path, place, record, "query")
        yield Query(query_id, text, tuple(own for own in moments if not graded or own.grade is not None))


def _moment(path: Path, place: str, record: Any, corpus: Container[str] | None, *, graded: bool) -> Moment:
    video = normalize("NFC", name(path, place, record, "video_name"))
    if corpus is not None and video not in corpus:
        raise InputError(path, place, found=f"video_name {shown(video)}", expected=f"a video of {CORPUS_FILE}")
    start, end = interval(path, place, record.get("timestamp"))
    grade = record.get("relevance") if graded else None
    if graded and "relevance" not in record:
        raise InputError(path, place, found="no relevance", expected="relevance: a whole number of 0 or more")
    if grade is not None and not (number(grade) and grade >= 0 and grade == int(grade)):
        raise InputError(path, place, field="relevance", value=shown(grade), expected="a whole number of 0 or more")
    pair_id, caption, similarity = (record.get(key) for key in ("pair_id", "caption", "similarity"))
    return Moment(
        video,
        start,
        end,
        None if grade is None else int(grade),
        "" if pair_id is None else str(pair_id),
        caption if isinstance(caption, str) else None,
        float(similarity) if number(similarity) else None,
    )
