"""Which grades a file of judgments may state, and what they are on the scale that they are read for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError, shown
from ..reading.json_stream import lines_of

HIGHEST = 100
LONGEST_TABLE = 1_000
"""Entries."""
MOST_BARS = 11


@dataclass(frozen=True, slots=True)
class GradeScale:
    """The multiples of `step` from 0 to `top`. Where a file writes grades otherwise, `table` has what each of its words
    stands for, and a word that the table lacks is an error.

    >>> GradeScale(100, 20).read(Path("a.csv"), "line 2", "40")
    40
    >>> GradeScale(table={"relevant": 4}).read(Path("a.csv"), "line 2", "no")
    Traceback (most recent call last):
    evaluation.errors.InputError: a.csv, line 2: found relevance 'no', expected one of the table of grades: relevant
    """

    top: int = 4
    step: int = 1
    table: Mapping[str, int] | None = None

    def read(self, path: Path, place: str, text: str, *, field: str = "relevance", or_else: str = "") -> int:
        """A grade as it is written. Raises: InputError, which expects one or what `or_else` says."""
        word = text.strip()
        if self.table is not None:
            grade = self.table.get(word)
            expected = f"one of the table of grades: {', '.join(self.table)}"
        else:
            plain = word.isascii() and word.isdecimal() and (len(word) == 1 or word[0] != "0")
            grade = int(word) if plain and len(word) <= len(str(self.top)) else None
            expected = f"{self.words}{or_else}"
        if grade is None or grade not in self.grades:
            raise InputError(path, place, field=field, value=shown(text), expected=expected)
        return grade

    @property
    def grades(self) -> range:
        """All of them, from 0 on."""
        return range(0, self.top + 1, self.step)

    @property
    def words(self) -> str:
        """Which there are, for messages.

        >>> GradeScale(100, 25).words
        'a whole number from 0 to 100 in steps of 25'
        """
        return f"a whole number from 0 to {self.top}" + (f" in steps of {self.step}" if self.step > 1 else "")


def read_table(source: str, scale: GradeScale) -> dict[str, int]:
    """A table of grades from a file with a line `WORD=GRADE` each, or its entries themselves; see `table_in`.

    Raises: InputError as `table_in`, or for a file that can't be read.
    """
    if "=" in source and not _is_file(source):
        return table_in(source, scale)
    return _table(Path(source), lines_of(Path(source)), "line", scale)


def table_in(text: str, scale: GradeScale) -> dict[str, int]:
    """A table of grades: what a file's words, numbers among them, are on a scale.

    Args: text: entries `WORD=GRADE` in lines or separated by commas; empty ones say nothing.
    Raises: InputError naming the entry, what was found and expected.

    >>> table_in("0=0, 1=2, perfect=4", GradeScale())
    {'0': 0, '1': 2, 'perfect': 4}
    """
    return _table(Path("table of grades"), re.split(r"[,\n]", text), "entry", scale)


def table_in_words(table: Mapping[str, int]) -> str:
    """A table as `table_in` reads it."""
    return ", ".join(f"{word}={grade}" for word, grade in table.items())


def _table(path: Path, entries: Iterable[str], unit: str, scale: GradeScale) -> dict[str, int]:
    table: dict[str, int] = {}
    for number, entry in enumerate(entries, start=1):
        place = f"{unit} {number}"
        if not entry.strip() or (unit == "line" and entry.lstrip().startswith("#")):
            continue
        word, equals, grade = (part.strip() for part in entry.rpartition("="))
        if not equals or not word or "\0" in word:
            raise InputError(path, place, found=shown(entry.strip()), expected="WORD=GRADE, such as 1=4")
        if word in table:
            raise InputError(path, place, found=f"{shown(word)} a second time", expected="each word once")
        table[word] = scale.read(path, place, grade, field=shown(word))
        if len(table) > LONGEST_TABLE:
            raise InputError(path, place, found="another entry", expected=f"at most {LONGEST_TABLE:,}")
    if not table:
        raise InputError(path, "", found="no entry", expected="WORD=GRADE, such as 1=4")
    return table


def _is_file(source: str) -> bool:
    try:
        return Path(source).is_file()
    except (OSError, ValueError):
        return False


def bars_of(grades: Sequence[int]) -> list[tuple[str, range]]:
    """Stretches of a scale's grades for tables and bars, with their names: each grade, or where they are many, tens.

    >>> [name for name, _ in bars_of(range(3))], [name for name, _ in bars_of(range(0, 101, 5))][-3:]
    (['0', '1', '2'], ['80–89', '90–99', '100'])
    """
    if len(grades) <= MOST_BARS:
        return [(str(grade), range(grade, grade + 1)) for grade in grades]
    top = grades[-1]
    tens = [(f"{low}–{low + 9}", range(low, low + 10)) for low in range(0, top, 10)]
    return [*tens, (str(top), range(top, top + 1))]
