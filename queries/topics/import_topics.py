"""Import topics from a file, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from django.db import transaction

from corpus.description_formats import BadFile, BadRow, FilePiece, Problem, Unreadable
from foundation.counted import counted
from foundation.infra.advisory_lock import hold_descriptions
from foundation.models import Collection
from queries.topics.readers import TopicFileChoices, read_topics
from queries.topics.standing_topics import StandingTopics
from queries.topics.topic_rows import SourceTopic

READ_AT_ONCE = 500
"""Rows between two words of progress."""


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
    """Import topics. Importing the same file again changes nothing.

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
    hold_descriptions(collection)
    problems: list[Problem] = []
    total = 0

    def refuse(piece: FilePiece, bad: BadRow) -> None:
        nonlocal total
        total += 1
        if len(problems) < BadFile.SHOWN:
            problems.append(bad.at(name, piece.line, piece.entry))

    rows: list[SourceTopic] = []
    remarks: list[str] = []
    try:
        source = read_topics(file, choices)
        remarks = source.remarks
        for row in source.rows(refuse):
            rows.append(row)
            if len(rows) % READ_AT_ONCE == 0:
                progress(READ_AT_ONCE)
        progress(len(rows) % READ_AT_ONCE)
    except BadRow as bad:
        refuse(FilePiece(1, "", None), bad)
    except Unreadable as end:
        refuse(FilePiece(end.line, "", None), end.fault)
    if not rows and not total:
        refuse(FilePiece(1, "", None), BadRow("file", None, "topics"))
    standing = StandingTopics(collection)
    for row, conflict in standing.conflicts(rows):
        refuse(FilePiece(row.line, "", None), conflict)
    if total:
        raise BadFile(sorted(problems, key=lambda problem: problem.line), total)
    added, changed = standing.store(rows, split=choices.split)
    return TopicReport(added, changed, len(rows) - added - changed, remarks)
