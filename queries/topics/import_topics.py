"""Import topics from a file, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from django.db import transaction

from corpus.description_import.row_files import read_whole
from foundation.counted import counted
from foundation.infra.advisory_lock import hold_descriptions
from foundation.models import Collection
from queries.topics.query_media import holds_media, store_media
from queries.topics.readers import TOPICS, TopicFileChoices
from queries.topics.standing_topics import StandingTopics


@dataclass(frozen=True, slots=True)
class TopicReport:
    """What an import did, in topics; `remarks` say how the file was read."""

    added: int
    changed: int
    unchanged: int
    remarks: list[str] = field(default_factory=list)

    def in_words(self) -> str:
        every = self.added + self.changed + self.unchanged
        if not self.added + self.changed:
            all_are = "The only topic of the file is" if every == 1 else f"All {every:,} topics of the file are"
            return f"{all_are} in the collection already: nothing changed."
        clauses = [f"{counted(self.added, 'topic')} added"] if self.added else []
        clauses += [f"{self.changed:,} changed"] if self.changed else []
        clauses += [f"{self.unchanged:,} unchanged"] if self.unchanged else []
        return f"{', '.join(clauses)}."


def import_topics(
    *,
    collection: Collection,
    path: Path,
    choices: TopicFileChoices | None = None,
    progress: Callable[[int], object] = lambda rows: None,
) -> TopicReport:
    """`import_stream` of a file on disk."""
    with path.open("rb") as file:
        return import_stream(
            collection=collection, file=file, name=path.name, choices=choices or TopicFileChoices(), progress=progress
        )


@transaction.atomic
def import_stream(
    *,
    collection: Collection,
    file: BinaryIO,
    name: str,
    choices: TopicFileChoices,
    progress: Callable[[int], object] = lambda rows: None,
) -> TopicReport:
    """Import topics, or their pictures, clips and sounds from a zip file (`store_media`). Importing the same file again
    changes nothing.

    A row with the id of a topic that is there changes it, as long as no candidate of it is open for judging; what the
    row doesn't state stays as it is. A row without an id gets one made of its text.

    Args:
        file: seekable, at its beginning.
        name: the file's, for messages.
        progress: called with the number of rows read since the last call.

    Raises:
        BadFile: naming the first ten problems with line, found and expected, and how many there are.
        Busy: while descriptions or topics are imported, or queries are drawn.
    """
    if not choices.format and holds_media(file):
        counts = store_media(collection=collection, file=file, name=name, split=choices.split, progress=progress)
        return TopicReport(*counts)
    hold_descriptions(collection)
    standing = StandingTopics(collection)
    read = read_whole(file, name, choices, TOPICS, conflicts=standing.conflicts, progress=progress)
    read.refuse()
    added, changed = standing.store(read.rows, split=choices.split)
    return TopicReport(added, changed, len(read.rows) - added - changed, read.remarks)
