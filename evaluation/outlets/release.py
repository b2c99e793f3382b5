"""A release as outlets read it: queries with their moments by split, the videos' durations, the scale."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..errors import EvaluationError
from ..reading.moment_ids import MOMENT_IDS, read_moment_ids
from ..releases import release
from ..releases.queries import CORPUS_FILE, Query, read_queries

TRAIN = "train"
TOP_GRADE = len(release.PAPERS_WORDS) - 1


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
    """A release whose files are whole; what isn't needed isn't read. Args: files: as `load` has them.

    Attributes: stated: the durations that video_corpus.json states, by video.

    Raises: EvaluationError if it is none, InputError for a bad file.
    """

    def __init__(self, files: release.Release) -> None:
        if not files.has(CORPUS_FILE):
            expected = "a release's folder or archive"
            raise EvaluationError(f"{files.given}: found no {CORPUS_FILE}, expected {expected}")
        self._files, self.given, self.stated = files, files.given, files.durations

    @property
    def name(self) -> str:
        """What the release is called: collection and name by its manifest, else as its folder or archive."""
        told = [self.manifest.get("collection"), self.manifest.get("release")]
        return "-".join(part for part in told if isinstance(part, str) and part) or self._files.name

    @property
    def manifest(self) -> Mapping[str, Any]:
        """What the release says of itself; empty if it has no manifest. Raises: InputError for a bad one."""
        return self._files.manifest

    @cached_property
    def judged(self) -> dict[str, list[Query]]:
        """The queries of val and test. Raises: InputError naming what is wrong, EvaluationError if there are none."""
        judged = {
            split: list(read_queries(self._files.path(f"{split}.json"), graded=True, corpus=self.stated))
            for split in self._files.splits
        }
        if not any(judged.values()):
            raise EvaluationError(f"{self.given}: found no judged query, expected val.json or test.json with some")
        return judged

    def splits(self) -> Iterator[tuple[str, Iterable[Query]]]:
        """train (of the training file with the fewest moments a query), val, test. Raises: as `judged`."""
        judged = self.judged
        if depths := self._files.training_depths:
            yield TRAIN, self._files.training(depths[0], corpus=self.stated)
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
    def moment_ids(self) -> dict[tuple[str, float, float], str]:
        """What moments are called elsewhere, by (video, start, end), as far as it says. Raises: InputError."""
        return read_moment_ids(self._files.path(MOMENT_IDS)) if self._files.has(MOMENT_IDS) else {}

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
        return release.words_of_grades(self._files.manifest, self.top_grade)

    @cached_property
    def documents(self) -> dict[str, Document]:
        """All moments of the release's queries, train's too, by id, each with its captions."""
        documents: dict[str, Document] = {}
        for _, queries in self.splits():
            for moment in (moment for query in queries for moment in query.moments):
                place = (moment.video_name, moment.start, moment.end)
                document = documents.setdefault(moment.moment_id, Document(moment.moment_id, *place))
                if caption := " ".join((moment.caption or "").split()):
                    document.captions.setdefault(caption)
        return documents
