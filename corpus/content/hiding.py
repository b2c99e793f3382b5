"""Hide regions of videos, from a file, whole or not at all, or one video's as typed.

Clips that show what is to be hidden go at once, with every former one, also where people judged by them; what is open
for judging is cut anew by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from django.db import transaction

from corpus.description_formats import BadRow, fields
from corpus.description_formats.csv_dialects import Fields
from corpus.description_import.row_files import RowChoices, RowKind, read_whole
from corpus.models import Clip, ContextClip, FormerClip, HiddenRegion, Video
from foundation.infra.advisory_lock import alone_at
from foundation.infra.storage import delete_file, keep_file
from foundation.models import Collection, new_public_name

LARGEST_MASK = 20 << 20
"""Bytes."""
NUMBERS = ("start", "end", "x", "y", "width", "height")


class HiddenRow(NamedTuple):
    """A row of a file: a rectangle, a mask's file name, or neither: nothing of the video is hidden."""

    line: int
    video: str
    numbers: Mapping[str, float | None]
    mask: str

    @property
    def hides(self) -> bool:
        return bool(self.mask) or self.numbers["x"] is not None


def _number(values: Mapping[str, Any], name: str) -> float | None:
    said = str(values.get(name) or "").strip()
    if not said:
        return None
    try:
        number = float(said)
    except ValueError:
        number = -1.0
    most = float("inf") if name in ("start", "end") else 1.0
    if not (isfinite(number) and 0 <= number <= most):
        expected = "seconds" if name in ("start", "end") else "a share of the picture, 0 to 1"
        raise BadRow(name, said, expected)
    return number


def hidden_row(values: Mapping[str, Any], line: int) -> HiddenRow:
    """A row of its fields by name. Raises: BadRow."""
    video = fields.source_id(values.get("video"), "video", 200)
    numbers = {name: _number(values, name) for name in NUMBERS}
    mask = str(values.get("mask") or "").strip()
    rectangle = [numbers[name] for name in ("x", "y", "width", "height")]
    if mask and any(side is not None for side in rectangle):
        raise BadRow("mask", mask, "either a mask or a rectangle")
    x, y, width, height = rectangle
    if x is None and y is None and width is None and height is None:
        return HiddenRow(line, video, numbers, mask)
    if x is None or y is None or not width or not height or x + width > 1 + 1e-6 or y + height > 1 + 1e-6:
        raise BadRow.saying("x", "x, y, width, height of no rectangle within the picture", "all four, as shares of it")
    start, end = numbers["start"], numbers["end"]
    if start is not None and end is not None and end <= start:
        raise BadRow("end", end, "an end after the start")
    return HiddenRow(line, video, numbers, "")


_FIELDS = Fields(
    ("video",),
    (*NUMBERS, "mask"),
    {"video": "video_id video_name vid name", "start": "from begin", "end": "to stop", "x": "left", "y": "top"}
    | {"width": "w", "height": "h", "mask": "mask_file"},
)
ROWS = RowKind("hidden regions", _FIELDS, hidden_row)


def hide_regions(*, collection: Collection, path: Path) -> int:
    """Hide what a file's rows say, as CSV or JSON Lines: `video`, `start`, `end`, and `x`, `y`, `width`, `height` or
    a `mask` beside the file. The rows of a video take the place of what was hidden of it.

    Returns: how many videos are hidden otherwise than before. Raises: BadFile naming the first ten problems.
    """
    videos = {video.name: video for video in Video.objects.filter(collection=collection)}
    with path.open("rb") as file:
        read = read_whole(file, path.name, RowChoices(), ROWS, conflicts=partial(_conflicts, videos, path.parent))
    read.refuse()
    by_video: dict[str, list[HiddenRow]] = {}
    for row in read.rows:
        by_video.setdefault(row.video, []).append(row)
    return sum(_hide(videos[name], rows, path.parent) for name, rows in by_video.items())


def hide_in_video(*, video: Video, lines: str) -> bool:
    """Hide rectangles as typed, a line each: start end x y width height, with `-` for no start or end.

    Returns: whether anything changed. Raises: BadRow.
    """
    rows = []
    for line, text in enumerate(lines.splitlines(), start=1):
        values = text.split()
        if values and len(values) != len(NUMBERS):
            raise BadRow("regions", text, "six numbers a line: start end x y width height")
        if values:
            said = {name: "" if value == "-" else value for name, value in zip(NUMBERS, values, strict=True)}
            rows.append(hidden_row({"video": video.name, **said}, line))
    return _hide(video, rows, None)


def typed(video: Video) -> str:
    """A video's rectangles as `hide_in_video` takes them."""
    rows = video.hidden_regions.filter(mask_file="").order_by("pk").values_list(*NUMBERS)
    return "\n".join(" ".join("-" if number is None else f"{number:g}" for number in row) for row in rows)


def _conflicts(
    videos: Mapping[str, Video], folder: Path, rows: Sequence[HiddenRow]
) -> Iterator[tuple[HiddenRow, BadRow]]:
    for row in rows:
        if row.video not in videos:
            yield row, BadRow("video", row.video, "the name of a video of this collection")
        elif row.mask and (bad := _bad_mask(folder, row.mask)) is not None:
            yield row, bad


def _bad_mask(folder: Path, name: str) -> BadRow | None:
    from PIL import Image

    path = folder / name
    if Path(name).name != name or not path.is_file():
        return BadRow("mask", name, "a file beside this one")
    if path.stat().st_size > LARGEST_MASK:
        return BadRow.saying("mask", f"{path.stat().st_size:,} bytes", f"at most {LARGEST_MASK:,}")
    try:
        with Image.open(path, formats=["PNG", "JPEG"]) as image:
            image.load()
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return BadRow("mask", name, "a PNG or JPEG picture, bright where the video is hidden")
    return None


def _hide(video: Video, rows: Sequence[HiddenRow], folder: Path | None) -> bool:
    wanted = [row for row in rows if row.hides]
    # Whoever cuts the video just now has read what was hidden before.
    with ExitStack() as stack:
        stack.enter_context(alone_at("corpus.cutting", video.pk, wait=True))
        standing = list(video.hidden_regions.order_by("pk").values_list(*NUMBERS))
        fresh = [tuple(_columns(row)[name] for name in NUMBERS) for row in wanted]
        masked = any(row.mask for row in wanted) or video.hidden_regions.exclude(mask_file="").exists()
        if standing == fresh and not masked:
            return False
        kept = [_kept_mask(row, folder) for row in wanted]
        stack.enter_context(transaction.atomic())
        gone = list(video.hidden_regions.exclude(mask_file="").values_list("mask_file", flat=True))
        video.hidden_regions.all().delete()
        HiddenRegion.objects.bulk_create(
            HiddenRegion(video=video, mask_file=mask, **_columns(row)) for row, mask in zip(wanted, kept, strict=True)
        )
        for name in gone + _shown_clips(video):
            transaction.on_commit(partial(delete_file, name), robust=True)
    return True


def _columns(row: HiddenRow) -> dict[str, float | None]:
    whole = {"x": 0.0, "y": 0.0, "width": 1.0, "height": 1.0}
    return {name: whole.get(name) if number is None else number for name, number in row.numbers.items()}


def _kept_mask(row: HiddenRow, folder: Path | None) -> str:
    if not row.mask or folder is None:
        return ""
    with (folder / row.mask).open("rb") as file:
        return keep_file(f"masks/{new_public_name()}{Path(row.mask).suffix.lower()}", file)


def _shown_clips(video: Video) -> list[str]:
    """Delete the rows of the video's clips, those of its moments' neighbourhood too. Returns: their files."""
    files: list[str] = []
    for model, columns in (
        (Clip, ("video_file", "poster_file", "gif_file")),
        (FormerClip, ("video_file", "poster_file", "gif_file")),
        (ContextClip, ("video_file",)),
    ):
        rows = model._default_manager.filter(moment__video=video)
        files += [name for row in rows.values_list(*columns) for name in row if name]
        rows.delete()
    return files
