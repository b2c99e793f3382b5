"""Stratified draws, seeded. Pure."""

import csv
import hashlib
import io
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from corpus.description_formats.charsets import whole_text
from corpus.description_formats.rows import Unreadable
from foundation.refused import Refused
from foundation.text import composed

VIDEO_COLUMNS = ("video_name", "video")

Key = TypeVar("Key")


class BadStrata(Refused):
    """The strata of the videos can't be read; the message says why."""


def read_attribute(path: Path, column: str) -> tuple[dict[str, str], str]:
    """Read an attribute of videos: a column of a CSV file whose `video_name` or `video` names the video.

    Returns and raises: as `read_attribute_of`.
    """
    try:
        return read_attribute_of(path.read_bytes(), path.name, column)
    except OSError as error:
        raise BadStrata(f"{path} can't be read: {error.strerror}") from error


def read_attribute_of(content: bytes, name: str, column: str) -> tuple[dict[str, str], str]:
    """`read_attribute` of a file's content; `name` is the file's, for messages.

    Returns: video name -> value; and the column with the file's SHA-256, by which a draw says what it went by.
    Raises: BadStrata naming file, line, found and expected.
    """
    try:
        rows = csv.DictReader(io.StringIO(whole_text(content), newline=""))
        columns = list(rows.fieldnames or [])
        key = next((candidate for candidate in VIDEO_COLUMNS if candidate in columns), None)
        if key is None or column not in columns:
            raise BadStrata(f"{name}: found the columns {columns}, expected video_name and {column}")
        values: dict[str, str] = {}
        for row in rows:
            if not row[key] or row[column] is None:
                raise BadStrata(f"{name}, line {rows.line_num}: expected a video's name and its {column}")
            if values.setdefault(composed(row[key]), row[column]) != row[column]:
                raise BadStrata(f"{name}, line {rows.line_num}: {row[key]} has two different values of {column}")
    except Unreadable as end:
        raise BadStrata(str(end.fault.at(name, end.line))) from end
    except csv.Error as error:
        raise BadStrata(f"{name} is no CSV file: {error}") from error
    return values, f"{column} sha256:{hashlib.sha256(content).hexdigest()}"


def share(total: int, sizes: Mapping[str, int]) -> dict[str, int]:
    """`total` divided in proportion to the sizes, what is left going to the largest remainders, then by name.

    No share is larger than its size as long as `total` isn't larger than their sum.

    >>> share(5, {"a": 10, "b": 7, "c": 3})
    {'a': 2, 'b': 2, 'c': 1}
    """
    whole = sum(sizes.values())
    if not 0 <= total <= whole:
        raise ValueError(f"found {total}, expected 0 to {whole}")
    shares = {name: total * size // whole if whole else 0 for name, size in sizes.items()}
    left = total - sum(shares.values())
    for name in sorted(sizes, key=lambda name: (-(total * sizes[name] % whole), name))[:left]:
        shares[name] += 1
    return shares


def draw_by_stratum(members: Mapping[str, Sequence[Key]], *, val: int, test: int, seed: int) -> list[Key]:
    """Draw `val + test` keys, the first `val` of them for val, in every stratum as many as is its share.

    Args: members: stratum -> its keys, in an order that depends on them alone.
    Returns: the keys in the order of the draw; it depends on keys, strata and seed alone.
    """
    chance = random.Random(seed)
    drawn = share(val + test, {name: len(keys) for name, keys in members.items()})
    for_val = share(val, drawn)
    first: list[Key] = []
    second: list[Key] = []
    for name in sorted(members):
        own = chance.sample(members[name], drawn[name])
        first += own[: for_val[name]]
        second += own[for_val[name] :]
    chance.shuffle(first)
    chance.shuffle(second)
    return first + second
