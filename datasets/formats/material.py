"""Input of the format writers, and how all formats name their rows."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from datasets.content.moment_locations import MomentLocation
from datasets.content.splits import QueryId, Splits
from datasets.content.training import Training
from evaluation.formats import trec_ids
from foundation.infra.progress import Advance
from queries.models import QueryMedium

if TYPE_CHECKING:
    from _csv import Writer as CsvWriter


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
"""Made once: `json.dumps` makes one for each value."""


@dataclass(frozen=True, slots=True)
class Material:
    """A release to be written: its content, and where it goes.

    Args:
        folder: the release's; a format writes into its own subfolder, `tvr-ranking` at the top.
        facts: the manifest but for its files, with the statistics.
        depths: the training files' numbers of moments a query, rising.
        progress: called with the number of queries written.
    """

    splits: Splits
    training: Training
    folder: Path
    facts: Mapping[str, Any]
    depths: tuple[int, ...]
    progress: Advance

    def medium_of(self, query_id: QueryId) -> dict[str, str]:
        """A query's picture, clip or sound as records say it: {"query_medium": path in the release}; {} without one."""
        medium = self.splits.media.get(str(query_id))
        return {} if medium is None else {"query_medium": medium_path(medium)}

    def subfolder(self, name: str) -> Path:
        """A format's own folder, created if missing."""
        path = self.folder / name
        path.mkdir(parents=True, exist_ok=True)
        return path


def moment_id(place: MomentLocation) -> str:
    """A moment's id: video name, `@`, start-end in seconds; the same in every format and release.

    A name's characters but for letters, digits and `_.-~` are percent-encoded as UTF-8: ids hold no white space.

    >>> moment_id(MomentLocation("friends s01", (2.5, 6.75), 60.5))
    'friends%20s01@2.5-6.75'
    """
    return trec_ids.moment_id(place.video_name, *place.timestamp)


def topic_id(query_id: QueryId) -> str:
    """A query's id as text without white space, percent-encoded where needed."""
    return trec_ids.written_id(str(query_id))


def medium_path(medium: QueryMedium) -> str:
    """Where a release has a topic's picture, clip or sound, which has the topic's id for its name."""
    return f"query_media/{topic_id(medium.query.topic_id)}.{medium.suffix}"


def create(path: Path) -> TextIO:
    """Create a text file: UTF-8, with line ends as written on every platform."""
    return path.open("w", encoding="utf-8", newline="")


@contextmanager
def create_csv(path: Path, columns: Sequence[str]) -> "Iterator[CsvWriter]":
    """Create a CSV file with its header, and write rows into it."""
    with create(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        yield writer


def to_json(value: Any) -> str:
    """A value as JSON on one line. Raises: ValueError for NaN and infinities."""
    return _ENCODER.encode(value)


def one_line(text: str) -> str:
    """A text for a tab-separated table: white space collapsed."""
    return " ".join(text.split())
