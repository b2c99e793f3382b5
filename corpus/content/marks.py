"""Mark videos with kinds of content and a minimum age, from a file, whole or not at all, or one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Q

from corpus.description_formats import BadRow, fields
from corpus.description_formats.csv_dialects import Fields
from corpus.description_import.row_files import RowChoices, RowKind, read_whole
from corpus.models import Video
from foundation.access.form_input import whole_number
from foundation.infra.advisory_lock import hold_descriptions
from foundation.models import Collection
from foundation.text import UNSTORABLE, composed

OLDEST = 99
LONGEST_KIND, MOST_KINDS = 40, 20
"""Characters of a kind's name, and kinds a video."""


class Mark(NamedTuple):
    """What a row of a file says of a video."""

    line: int
    video: str
    content: list[str]
    minimum_age: int


def read_kinds(text: object) -> list[str]:
    """Kinds of content, separated by commas or semicolons. Raises: BadRow, of the field "content".

    >>> read_kinds("Violence; blood,  violence")
    ['blood', 'violence']
    """
    if not isinstance(text, str) or UNSTORABLE.search(text):
        raise BadRow("content", text, "a text of kinds separated by commas")
    kinds = {" ".join(composed(kind).lower().split()) for kind in text.replace(";", ",").split(",")} - {""}
    if len(kinds) > MOST_KINDS:
        raise BadRow.saying("content", f"{len(kinds)} kinds", f"at most {MOST_KINDS}")
    for kind in kinds:
        if len(kind) > LONGEST_KIND:
            raise BadRow("content", kind, f"at most {LONGEST_KIND} characters")
    return sorted(kinds)


def read_age(text: str) -> int:
    """A minimum age in years; blank is 0, no age. Raises: BadRow, of the field "minimum_age".

    >>> read_age("18"), read_age("")
    (18, 0)
    """
    age = whole_number(text.strip() or "0")
    if age is None or age > OLDEST:
        raise BadRow("minimum_age", text, f"a number of years up to {OLDEST}")
    return age


def _row(values: Mapping[str, Any], line: int) -> Mark:
    name, age = fields.source_id(values.get("video"), "video", 200), values.get("minimum_age")
    return Mark(line, name, read_kinds(values.get("content") or ""), read_age("" if age is None else str(age)))


_FIELDS = Fields(
    ("video",),
    ("content", "minimum_age"),
    {"video": "video_id video_name vid name", "content": "kinds warning warnings", "minimum_age": "age min_age"},
)
MARKS = RowKind("videos with kinds of content", _FIELDS, _row)


@transaction.atomic
def mark_videos(*, collection: Collection, path: Path) -> int:
    """Mark videos as a file's rows say: `video`, `content`, `minimum_age`, as CSV or JSON Lines. What a row doesn't say
    is taken away; videos without a row stay as they are.

    Returns: how many videos changed. Raises: BadFile naming the first ten problems; Busy.
    """
    hold_descriptions(collection)
    videos = {video.name: video for video in Video.objects.filter(collection=collection)}
    with path.open("rb") as file:
        read = read_whole(file, path.name, RowChoices(), MARKS, conflicts=partial(_conflicts, videos))
    read.refuse()
    changed = [mark for mark in read.rows if _state(videos[mark.video], mark.content, mark.minimum_age)]
    Video.objects.bulk_update((videos[mark.video] for mark in changed), ["content", "minimum_age"], batch_size=2000)
    _note(collection)
    return len(changed)


@transaction.atomic
def mark_video(*, video: Video, content: str, minimum_age: str) -> None:
    """Mark one video as typed. Raises: BadRow."""
    if _state(video, read_kinds(content), read_age(minimum_age)):
        video.save(update_fields=["content", "minimum_age"])
        _note(video.collection)


def kinds_of(collection: Collection) -> list[str]:
    """The kinds of content that the collection's videos have, in alphabetical order. One SQL query."""
    marked = Video.objects.filter(collection=collection).exclude(content=[])
    return sorted({kind for kinds in marked.values_list("content", flat=True).distinct() for kind in kinds})


def _conflicts(videos: Mapping[str, Video], rows: Sequence[Mark]) -> Iterator[tuple[Mark, BadRow]]:
    lines: dict[str, int] = {}
    for row in rows:
        if row.video not in videos:
            yield row, BadRow("video", row.video, "the name of a video of this collection")
        elif row.video in lines:
            expected = f"each video once; the first is in line {lines[row.video]:,}"
            yield row, BadRow("video", row.video, expected)
        lines.setdefault(row.video, row.line)


def _state(video: Video, content: list[str], minimum_age: int) -> bool:
    """Set what is said of a video; returns whether it changed."""
    if (video.content, video.minimum_age) == (content, minimum_age):
        return False
    video.content, video.minimum_age = content, minimum_age
    return True


def _note(collection: Collection) -> None:
    """Whether there is any mark, where judging and the collection's studies see it without a look at the videos."""
    marked = Video.objects.filter(collection=collection).exclude(content=[], minimum_age=0).exists()
    Collection.objects.filter(Q(pk=collection.pk) | Q(study_of=collection)).update(marks_content=marked)
