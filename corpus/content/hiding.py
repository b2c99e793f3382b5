"""Hide regions of videos, from a file, whole or not at all, or one video's as typed.

Clips that show what is to be hidden go at once, with every former one, also where people judged by them; what is open
for judging is cut anew by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _

from corpus.description_formats import BadRow, fields
from corpus.description_formats.csv_dialects import Fields
from corpus.description_import.row_files import RowChoices, RowKind, read_whole
from corpus.models import Clip, ContextClip, FormerClip, HiddenRegion, Video
from foundation.infra.advisory_lock import alone_at
from foundation.infra.storage import delete_at_commit, kept_files
from foundation.models import Collection
from foundation.refused import Busy

LARGEST_MASK = 20 << 20
"""Bytes."""
NUMBERS = ("start", "end", "x", "y", "width", "height")
COLUMNS = (*NUMBERS, "mask_file")


class HiddenRow(NamedTuple):
    """A row of a file: a rectangle, a mask's file name, or nothing: nothing of the video is hidden."""

    line: int
    video: str
    numbers: Mapping[str, float | None]
    mask: str

    @property
    def hides(self) -> bool:
        return bool(self.mask) or self.numbers["x"] is not None


def _number(values: Mapping[str, Any], name: str) -> float | None:
    said = "" if (value := values.get(name)) is None else str(value).strip()
    if not said:
        return None
    if name in ("start", "end"):
        number, most, expected = fields.seconds_in(said, name), inf, fields.SECONDS
    else:
        expected = "a share of the picture, 0 to 1"
        number, most = fields.number_in(said, name, expected), 1.0
    if not (fields.is_time(number) and number <= most):
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
    start, end = numbers["start"], numbers["end"]
    if start is not None and end is not None and end <= start:
        raise BadRow("end", end, "an end after the start")
    x, y, width, height = rectangle
    if mask or all(number is None for number in numbers.values()):
        return HiddenRow(line, video, numbers, mask)
    if x is None or y is None or not width or not height or x + width > 1 + 1e-6 or y + height > 1 + 1e-6:
        raise BadRow.saying("x", "x, y, width, height of no rectangle within the picture", "all four, as shares of it")
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
    changed = 0
    for name, rows in by_video.items():
        masks = {row.mask: path.parent / row.mask for row in rows if row.mask}
        stored = {mask: _name_of_mask(videos[name], file) for mask, file in masks.items()}
        regions = [_region(videos[name], row, stored.get(row.mask, "")) for row in rows if row.hides]
        changed += _hide(videos[name], regions, {stored[mask]: file for mask, file in masks.items()}, wait=True)
    return changed


def hide_in_video(*, video: Video, lines: str) -> bool:
    """Hide what is typed in place of what was hidden, a line each: start end x y width height, with `-` for no start or
    end; or start, end and one of the video's masks by the name that `typed` has for it.

    Returns: whether anything changed. Raises: BadRow; Busy while its clips are being cut.
    """
    masks = {Path(name).name: name for name in video.hidden_regions.values_list("mask_file", flat=True) if name}
    regions = []
    for line, text in enumerate(lines.splitlines(), start=1):
        values = ["" if value == "-" else value for value in text.split()]
        masked = len(values) == 3 and values[2] in masks
        if values and len(values) != len(NUMBERS) and not masked:
            raise BadRow("regions", text, "six numbers a line: start end x y width height")
        if values:
            names = ("start", "end", "mask") if masked else NUMBERS
            row = hidden_row({"video": video.name, **dict(zip(names, values, strict=True))}, line)
            regions += [_region(video, row, masks.get(row.mask, ""))] if row.hides else []
    return _hide(video, regions, {}, wait=False)


def typed(video: Video) -> str:
    """What is hidden of a video, as `hide_in_video` takes it."""
    lines = []
    for *numbers, mask in video.hidden_regions.order_by("pk").values_list(*COLUMNS):
        said = ["-" if number is None else repr(number).removesuffix(".0") for number in numbers]
        lines.append(" ".join([*said[:2], Path(mask).name] if mask else said))
    return "\n".join(lines)


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
    try:
        if Path(name).name != name or not path.is_file():
            return BadRow("mask", name, "a file beside this one")
        if (size := path.stat().st_size) > LARGEST_MASK:
            return BadRow.saying("mask", f"{size:,} bytes", f"at most {LARGEST_MASK:,}")
        with Image.open(path, formats=["PNG", "JPEG"]) as image:
            image.load()
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return BadRow("mask", name, "a PNG or JPEG picture, bright where the video is hidden")
    return None


def _region(video: Video, row: HiddenRow, mask: str) -> HiddenRegion:
    whole = {"x": 0.0, "y": 0.0, "width": 1.0, "height": 1.0}
    numbers = {name: whole.get(name) if number is None else number for name, number in row.numbers.items()}
    return HiddenRegion(video=video, mask_file=mask, **numbers)


def _name_of_mask(video: Video, path: Path) -> str:
    """A name in the storage that tells the mask's content, so that the same one again changes nothing."""
    return f"masks/{video.pk}-{blake2b(path.read_bytes(), digest_size=10).hexdigest()}{path.suffix.lower()}"


def _hide(video: Video, regions: Sequence[HiddenRegion], masks: Mapping[str, Path], *, wait: bool) -> bool:
    """Hide this and no more. Args: masks: the files of its masks, as far as they may not be stored yet."""
    # Whoever cuts the video just now has read what was hidden before.
    with alone_at("corpus.cutting", video.pk, wait=wait) as ours:
        if not ours:
            raise Busy(_("Clips are being cut right now. Try again once that has ended."))
        standing = list(video.hidden_regions.order_by("pk").values_list(*COLUMNS))
        if standing == [tuple(getattr(region, column) for column in COLUMNS) for region in regions]:
            return False
        had = {mask for *_numbers, mask in standing if mask}
        fresh = {name: path for name, path in masks.items() if name not in had}
        with kept_files(fresh.items()) as kept, transaction.atomic():
            stored = dict(zip(fresh, kept, strict=True))
            for region in regions:
                region.mask_file = stored.get(region.mask_file, region.mask_file)
            delete_at_commit([*had.difference(region.mask_file for region in regions), *_shown_clips(video)])
            video.hidden_regions.all().delete()
            HiddenRegion.objects.bulk_create(regions)
    return True


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
