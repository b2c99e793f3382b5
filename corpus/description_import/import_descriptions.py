"""Import a file of descriptions as videos, moments and descriptions: all or nothing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, BinaryIO

from django.db import transaction
from django.db.models import Model, ProtectedError, QuerySet

from corpus.description_formats import (
    DETECTED,
    BadFile,
    BadRow,
    DescriptionFormat,
    FileChoices,
    FilePiece,
    Problem,
    Understood,
    Unreadable,
    understand,
)
from corpus.description_import.change_hooks import DescriptionsChanged, tell_changed
from corpus.description_import.rejected_rows import Rejections, as_json
from corpus.description_import.staging_tables import Staging
from corpus.models import Description, Moment, Video
from foundation.counted import counted
from foundation.infra.advisory_lock import hold_descriptions
from foundation.infra.set_based_sql import MANY, analyse_after_commit
from foundation.infra.storage import delete_at_commit
from foundation.models import Collection

PROGRESS = 500
"""Rows between two calls of `progress`."""
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did, in descriptions; `moments` and `videos` are new ones, `retimed` videos of another duration,
    `named` moments with another id from elsewhere.

    `rejected` rows were left out; `problems` are the first of them.
    """

    added: int
    unchanged: int
    moments: int
    videos: int
    changed: int = 0
    rejected: int = 0
    moments_removed: int = 0
    retimed: int = 0
    named: int = 0
    format: str = ""
    guessed: bool = False
    problems: tuple[Problem, ...] = ()
    remarks: tuple[tuple[str, str], ...] = ()
    """How the file was read where nobody chose it (`Understood.remarks`)."""
    record: Mapping[str, list[Any]] = field(default_factory=dict, compare=False, repr=False)
    """What it added and changed (`Staging.record`)."""

    def in_words(self) -> str:
        """One sentence for people."""
        parts = [
            f"{counted(self.added, 'description')} added, {self.changed:,} changed, {self.unchanged:,} unchanged",
            f"{counted(self.moments, 'new moment')} in {counted(self.videos, 'new video')}",
        ]
        if self.moments_removed:
            parts.append(f"{counted(self.moments_removed, 'moment')} without description removed")
        if self.retimed:
            parts.append(f"{counted(self.retimed, 'video')} with another duration")
        if self.named:
            parts.append(f"{counted(self.named, 'moment')} with an id from elsewhere")
        if self.rejected:
            parts.append(f"{counted(self.rejected, 'row')} rejected")
        return "; ".join(parts) + "."


def import_descriptions(
    *,
    collection: Collection,
    path: Path,
    format_name: str = "",
    choices: FileChoices = DETECTED,
    rejected: Path | None = None,
    progress: Progress = lambda rows: None,
) -> ImportReport:
    """Import a description file: `import_stream` for a path. The file of rejected rows is there only if there are any.

    Args: format_name: a key of `FORMATS`; empty: that of `choices`.
    Raises: BadFile and Busy as `import_stream`; OSError if a file can't be read or written.
    """
    choices = replace(choices, format=format_name or choices.format)
    with path.open("rb") as file:
        if rejected is None:
            return import_stream(collection=collection, file=file, name=path.name, choices=choices, progress=progress)
        # Renamed when complete, so that nobody mistakes half of the rejected rows for all of them.
        unfinished = rejected.with_name(f"{rejected.name}.unfinished")
        try:
            with unfinished.open("w", encoding="utf-8") as rows:
                report = import_stream(
                    collection=collection,
                    file=file,
                    name=path.name,
                    choices=choices,
                    rejected=rows,
                    progress=progress,
                )
            if report.rejected:
                unfinished.replace(rejected)
            return report
        finally:
            unfinished.unlink(missing_ok=True)


@transaction.atomic
def import_stream(
    *,
    collection: Collection,
    file: BinaryIO,
    name: str,
    choices: FileChoices = DETECTED,
    rejected: IO[str] | None = None,
    progress: Progress = lambda rows: None,
) -> ImportReport:
    """Import descriptions, all of them or, with `rejected`, the good ones. Importing the same again changes nothing.

    Descriptions are matched by id. One that differs in the file is changed, unless a later room holds it
    (`corpus.description_import.change_hooks`); one that the file doesn't mention stays.

    Args:
        collection: takes the descriptions; its `end_slack` bounds how late a moment may end.
        file: open at its beginning, and seekable.
        name: what the file is called in problems.
        choices: what somebody chose about the file; the rest is detected.
        rejected: takes the rows that are left out, one JSON object a line; None leaves none out.
        progress: called with the number of rows read since the last call.

    Raises:
        BadFile: nothing was imported; names each bad row (the first ten) with what was found and what was expected.
        Busy: nothing was imported, since another import or a draw of queries is under way.
        KeyError: if there is no such format.
    """
    # Not the collection's row: people join, and settings and roles change, for as long as this takes.
    hold_descriptions(collection)
    read = read_and_compare(
        collection=collection, file=file, name=name, choices=choices, rejected=rejected, progress=progress
    )
    staging, rejections, rows = read.staging, read.rejections, read.staging.rows()
    if rejections.total and (rejected is None or not rows):
        raise rejections.as_error()
    if not rows:
        raise BadFile([no_row(name)], 1)
    videos, retimed = staging.store_videos()
    moments = staging.store_moments()
    added = staging.store_descriptions()
    record, named = staging.record(), staging.name_moments()
    changed = staging.change_descriptions()
    removed = _after_changes(collection, staging) if changed else 0
    if added >= MANY:
        analyse_after_commit(
            {
                Video: ("collection_id",),
                Moment: ("video_id",),
                Description: ("collection_id", "moment_id", "kind"),
            }
        )
    return ImportReport(
        added=added,
        changed=changed,
        unchanged=rows - added - changed + read.repeated,
        moments=moments,
        videos=videos,
        rejected=rejections.total,
        moments_removed=removed,
        retimed=retimed,
        named=named,
        format=read.understood.format.name,
        guessed=not choices.format,
        problems=tuple(rejections.first),
        remarks=tuple(read.understood.remarks),
        record=record,
    )


@dataclass(frozen=True, slots=True)
class Compared:
    """A file that was read, checked and compared with the collection, within one transaction; nothing is stored yet."""

    understood: Understood
    staging: Staging
    rejections: Rejections
    repeated: int
    """Rows that say the same as an earlier one."""


def read_and_compare(
    *,
    collection: Collection,
    file: BinaryIO,
    name: str,
    choices: FileChoices,
    rejected: IO[str] | None = None,
    progress: Progress = lambda rows: None,
) -> Compared:
    """Read a file into staging tables, check its rows and compare them with what is there: as for `import_stream`.

    Raises: BadFile if it can't be detected how to read it, or reading breaks off.
    """
    understood = understand_file(file, name=name, choices=choices)
    rejections = Rejections(name, rejected)
    staging = Staging(collection, times=understood.format.times, refuse=rejections.add)
    _stage(staging, understood.format, understood.file, rejections, keep_raw=rejected is not None, progress=progress)
    repeated = staging.drop_repeats()
    staging.check_videos()
    staging.match()
    staging.compare()
    staging.check_durations()
    staging.check_moment_ids()
    return Compared(understood, staging, rejections, repeated)


def no_row(name: str) -> Problem:
    """The problem of a file without a row."""
    return Problem(name, 1, "file", "no description", "at least one")


def understand_file(file: BinaryIO, *, name: str, choices: FileChoices) -> Understood:
    """How the file is read (`understand`). Raises: BadFile if that can't be detected; KeyError for no such format."""
    try:
        return understand(file, choices)
    except BadRow as fault:
        raise BadFile([fault.at(name, 1)], 1) from fault
    except Unreadable as end:
        raise BadFile([end.fault.at(name, end.line)], 1) from end


def _stage(
    staging: Staging,
    format: DescriptionFormat,
    file: BinaryIO,
    rejections: Rejections,
    *,
    keep_raw: bool,
    progress: Progress,
) -> None:
    def refuse(piece: FilePiece, fault: BadRow) -> None:
        rejections.add(piece.line, piece.entry, fault, as_json(piece.value) if keep_raw else None)

    since = 0
    try:
        with staging.copying() as put:
            for piece, row in format.read(file, end_slack=staging.collection.end_slack, refuse=refuse):
                put(row, as_json(piece.value) if keep_raw else None)
                since += 1
                if since == PROGRESS:
                    progress(since)
                    since = 0
    except Unreadable as end:
        # What comes after is unknown, so even where bad rows may be left out the file isn't taken.
        rejections.add(end.line, "", end.fault, None)
        raise rejections.as_error() from end
    progress(since)


def _after_changes(collection: Collection, staging: Staging) -> int:
    """Tell later rooms, and remove moments that have no description any more. Returns how many."""
    changed, reworded = staging.changed()
    tell_changed(DescriptionsChanged(collection, changed, reworded))
    return remove_moments(staging.moments_left())


def remove_moments(left: list[int]) -> int:
    """Remove moments (ids) with their clips, but for those that some room needs. Returns how many."""
    return sum(_remove_moments(left[first : first + 500]) for first in range(0, len(left), 500))


def _remove_moments(ids: list[int]) -> int:
    files = _files_of(Moment, ids)
    try:
        with transaction.atomic():
            Moment.objects.filter(pk__in=ids).delete()
    except ProtectedError:  # some room needs one of them: find out which
        return 0 if len(ids) == 1 else sum(_remove_moments([pk]) for pk in ids)
    delete_at_commit(files)
    return len(ids)


def remove_videos(videos: QuerySet[Video]) -> None:
    """Remove videos that have no moments, with what is stored of them. Raises: ProtectedError."""
    delete_at_commit(_files_of(Video, list(videos.values_list("pk", flat=True))))
    videos.delete()


def _files_of(model: type[Model], ids: list[int]) -> list[str]:
    """The storage names of what hangs on these rows: clips and posters of moments, masks of videos."""
    names: list[str] = []
    for relation in model._meta.related_objects:
        for column in relation.related_model._meta.concrete_fields:
            if not (name := column.name).endswith("_file"):
                continue
            rows = relation.related_model._default_manager.filter(**{f"{relation.field.name}__in": ids})
            names += rows.exclude(**{name: ""}).values_list(name, flat=True)
    return names
