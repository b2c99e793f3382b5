"""What writes to the corpus: collections, members, imported descriptions."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction
from django.db.models import Max

from corpus.importers import FORMATS, BadFile, DescriptionRow, Problem
from corpus.models import Account, Collection, Description, Membership, Moment, Video
from corpus.text import normalise

CHUNK = 2000
"""Rows written at a time: bounds the memory of an import whatever the file's size."""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did, in descriptions; `moments` and `videos` are new ones."""

    added: int
    unchanged: int
    moments: int
    videos: int


def get_or_create_collection(*, name: str, title: str = "", has_clips: bool = True) -> Collection:
    """The collection of this short name, made with the given title at the first call.

    Raises: ValidationError if the name is not made of lower-case letters, digits and hyphens.
    """
    existing = Collection.objects.filter(name=name).first()
    if existing is not None:
        return existing
    collection = Collection(name=name, title=title or name, has_clips=has_clips)
    collection.full_clean(validate_unique=False)
    return Collection.objects.get_or_create(name=name, defaults={"title": title or name, "has_clips": has_clips})[0]


@transaction.atomic
def add_member(*, collection: Collection, account: Account, role: str, worker: str = "") -> Membership:
    """The account's membership, made if it had none; without a worker id it gets the next free one (w01, w02 ...).

    An existing membership keeps its worker id and takes the role.
    """
    Collection.objects.select_for_update().get(pk=collection.pk)
    member = Membership.objects.filter(collection=collection, account=account).first()
    if member is None:
        member = Membership(collection=collection, account=account, worker=worker or _next_worker(collection))
    member.role = role
    member.full_clean()
    member.save()
    return member


def _next_worker(collection: Collection) -> str:
    taken = set(collection.memberships.values_list("worker", flat=True))
    number = len(taken) + 1
    while f"w{number:02d}" in taken:
        number += 1
    return f"w{number:02d}"


def import_descriptions(
    *,
    collection: Collection,
    path: Path,
    format_name: str,
    progress: Callable[[int], None] = lambda rows: None,
) -> ImportReport:
    """Import a description file whole or not at all. Importing the same file again changes nothing.

    Args:
        collection: takes the descriptions; its `end_slack` bounds how late a moment may end.
        path: the file.
        format_name: a key of `FORMATS`.
        progress: called with the number of rows done since the last call.

    Raises:
        BadFile: naming each bad row (the first 20) with what was found and what was expected.
        KeyError: if there is no such format.
    """
    problems: list[Problem] = []
    total = 0

    def report(problem: Problem) -> None:
        nonlocal total
        total += 1
        if len(problems) < BadFile.SHOWN:
            problems.append(problem)

    tally = _Tally()
    with transaction.atomic():
        rows = FORMATS[format_name](path, end_slack=collection.end_slack, report=report)
        for chunk in _chunks(rows):
            # Once a row is bad nothing will be kept: the rest is only read, to report every problem.
            if not total:
                _store(collection, path.name, chunk, tally, report)
            progress(len(chunk))
        if total:
            raise BadFile(problems, total)
        if not tally.added + tally.unchanged:
            raise BadFile([Problem(path.name, 1, "file", "no description", "one a line")], 1)
    return ImportReport(tally.added, tally.unchanged, tally.moments, tally.videos)


@dataclass(slots=True)
class _Tally:
    added: int = 0
    unchanged: int = 0
    moments: int = 0
    videos: int = 0


def _chunks(rows: Iterator[DescriptionRow]) -> Iterator[list[DescriptionRow]]:
    chunk: list[DescriptionRow] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    # The reader has reported its last bad rows only when it has ended, so an empty chunk tells nothing.
    yield chunk


def _store(
    collection: Collection,
    file: str,
    rows: list[DescriptionRow],
    tally: _Tally,
    report: Callable[[Problem], None],
) -> None:
    given = len(rows)
    rows = _without_repeats(file, rows, report)
    # A row said twice counts as unchanged, wherever the chunks happen to be cut.
    tally.unchanged += given - len(rows)
    known = {
        description.source_id: description
        for description in Description.objects.filter(
            collection=collection, source_id__in=[row.source_id for row in rows]
        ).select_related("moment__video")
    }
    fresh = []
    for row in rows:
        description = known.get(row.source_id)
        if description is None:
            fresh.append(row)
        elif _says_the_same(description, row):
            tally.unchanged += 1
        else:
            report(Problem(file, row.line, "id", f"{row.source_id!r} with other content", "an id of its own"))
    videos = _store_videos(collection, file, fresh, tally, report)
    moments = _store_moments(videos, fresh, tally)
    Description.objects.bulk_create(
        Description(
            collection=collection,
            moment_id=moments[videos[row.video_name].pk, row.start, row.end],
            source_id=row.source_id,
            text=row.text,
            normalised=normalise(row.text),
            kind=row.kind,
        )
        for row in fresh
    )
    tally.added += len(fresh)


def _without_repeats(file: str, rows: list[DescriptionRow], report: Callable[[Problem], None]) -> list[DescriptionRow]:
    first: dict[str, DescriptionRow] = {}
    for row in rows:
        other = first.setdefault(row.source_id, row)
        if other is not row and _content(other) != _content(row):
            expected = f"an id of its own (line {other.line} has it too)"
            report(Problem(file, row.line, "id", f"{row.source_id!r} with other content", expected))
    return list(first.values())


def _content(row: DescriptionRow) -> tuple[object, ...]:
    return (row.text, row.kind, row.video_name, row.start, row.end)


def _says_the_same(description: Description, row: DescriptionRow) -> bool:
    moment = description.moment
    return _content(row) == (description.text, description.kind, moment.video.name, moment.start, moment.end)


def _store_videos(
    collection: Collection,
    file: str,
    rows: list[DescriptionRow],
    tally: _Tally,
    report: Callable[[Problem], None],
) -> dict[str, Video]:
    names = {row.video_name for row in rows}
    known = {video.name: video for video in Video.objects.filter(collection=collection, name__in=names)}
    fresh: dict[str, Video] = {}
    timed: dict[str, Video] = {}
    for row in rows:
        video = known.get(row.video_name) or fresh.get(row.video_name)
        if video is None:
            video = fresh[row.video_name] = Video(collection=collection, name=row.video_name, duration=row.duration)
        if row.duration is None:
            continue
        if video.duration is None:
            video.duration = row.duration
            timed[row.video_name] = video
        elif abs(row.duration - video.duration) > 0.5:
            expected = f"{video.duration:g} s, as another row says of {row.video_name}"
            report(Problem(file, row.line, "duration", f"{row.duration:g} s", expected))
    _check_ends(collection, file, rows, known | fresh, timed, report)
    Video.objects.bulk_create(fresh.values())
    Video.objects.bulk_update([video for video in timed.values() if video.pk], ["duration"])
    tally.videos += len(fresh)
    return known | fresh


def _check_ends(
    collection: Collection,
    file: str,
    rows: list[DescriptionRow],
    videos: dict[str, Video],
    timed: dict[str, Video],
    report: Callable[[Problem], None],
) -> None:
    """What no single row tells: a row without duration ends within its video, and so do moments known before.

    `timed` are the videos whose duration these rows are the first to state.
    """
    for row in rows:
        duration = videos[row.video_name].duration
        if row.duration is None and duration is not None and row.end > duration + collection.end_slack:
            expected = f"an end within the video's {duration:g} s (slack {collection.end_slack:g} s)"
            report(Problem(file, row.line, "ts", f"[{row.start:g}, {row.end:g}]", expected))
    known = [video for video in timed.values() if video.pk]
    latest = dict(
        Moment.objects.filter(video__in=known)
        .values("video__name")
        .annotate(Max("end"))
        .values_list("video__name", "end__max")
    )
    for name, end in latest.items():
        if end > timed[name].duration + collection.end_slack:
            line = next(row.line for row in rows if row.video_name == name and row.duration is not None)
            expected = f"a duration that reaches the moment of {name} that ends at {end:g} s"
            report(Problem(file, line, "duration", f"{timed[name].duration:g} s", expected))


def _store_moments(
    videos: dict[str, Video], rows: list[DescriptionRow], tally: _Tally
) -> dict[tuple[int, float, float], int]:
    wanted = {(videos[row.video_name].pk, row.start, row.end) for row in rows}
    known = _moments_of(wanted)
    fresh = [
        Moment(video_id=video, start=start, end=end)
        for video, start, end in dict.fromkeys((videos[row.video_name].pk, row.start, row.end) for row in rows)
        if (video, start, end) not in known
    ]
    Moment.objects.bulk_create(fresh)
    tally.moments += len(fresh)
    return known | {(moment.video_id, moment.start, moment.end): moment.pk for moment in fresh}


def _moments_of(wanted: set[tuple[int, float, float]]) -> dict[tuple[int, float, float], int]:
    rows = Moment.objects.filter(video_id__in={video for video, _, _ in wanted}).values_list(
        "video_id", "start", "end", "pk"
    )
    return {(video, start, end): pk for video, start, end, pk in rows if (video, start, end) in wanted}
