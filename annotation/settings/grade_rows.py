"""Rows that say how a scale's grades are called, explained and coloured, and what is wrong in them. Pure.

A row is of a grade and a language. A grade's colours may stand in any of its rows.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.grade_colours import HEX, Colour, hard_to_read
from annotation.scale import GradeText, Scale, Texts
from corpus.description_formats import BadRow
from corpus.description_formats.csv_dialects import Fields
from corpus.description_formats.fields import is_text
from corpus.description_import.row_files import RowKind
from foundation.text import LANGUAGE_TAG, LONGEST_TAG, composed, normalise

LONGEST_WORD, LONGEST_SHOWS = 40, 200
COLUMNS = ("grade", "language", "word", "shows", "colour", "dark_colour")
_A_COLOUR = "a colour such as #0d5f57"


@dataclass(frozen=True, slots=True)
class GradeRow:
    """A grade's text in a language; `colour` is "" where the row says none, `dark_colour` where it is the same."""

    line: int
    grade: int
    language: str
    word: str
    shows: str = ""
    colour: str = ""
    dark_colour: str = ""

    @property
    def colours(self) -> Colour:
        return self.colour, self.dark_colour or self.colour


def grade_row(values: Mapping[str, Any], line: int = 0) -> GradeRow:
    """A row of its fields by name. Raises: BadRow naming the field that won't do."""
    grade = str(values["grade"]).strip()
    if not grade.isascii() or not grade.isdecimal() or len(grade) > 3:
        raise BadRow("grade", values["grade"], "a whole number from 0 to 100")
    language = str(values.get("language") or "").strip()
    if not LANGUAGE_TAG.fullmatch(language) or len(language) > LONGEST_TAG:
        raise BadRow("language", values.get("language"), "a language tag such as en or pt-BR")
    light, dark = (_colour(values.get(name), name) for name in ("colour", "dark_colour"))
    if dark and not light:
        raise BadRow("colour", None, f"{_A_COLOUR}, since there is a dark_colour")
    return GradeRow(
        line,
        int(grade),
        language,
        _text(values["word"], "word", "a word", LONGEST_WORD),
        _text(values.get("shows"), "shows", "what a moment shows", LONGEST_SHOWS) if values.get("shows") else "",
        light,
        dark,
    )


def _text(value: Any, name: str, expected: str, longest: int) -> str:
    text = " ".join(composed(value).split()) if is_text(value) else ""
    # A sign without a shape could make two words look alike, or turn the line around.
    if not 0 < len(text) <= longest or any(unicodedata.category(sign) in ("Cc", "Cf") for sign in text):
        raise BadRow(name, value or None, f"{expected} of 1 to {longest} characters")
    return text


def _colour(value: Any, name: str) -> str:
    text = str(value or "").strip().lower()
    if text and not HEX.fullmatch(text):
        raise BadRow(name, value, _A_COLOUR)
    return text


OF_GRADES = Fields(
    ("grade", "word"),
    COLUMNS[1:2] + COLUMNS[3:],
    {
        "grade": "relevance",
        "word": "name label",
        "language": "lang",
        "shows": "description meaning",
        "colour": "color",
        "dark_colour": "dark_color",
    },
)
GRADE_WORDS = RowKind("grade words", OF_GRADES, grade_row)


def faults(rows: Sequence[GradeRow], scale: Scale) -> Iterator[tuple[GradeRow, BadRow]]:
    """Rows that the scale can't have, each with why: in the order in which somebody would mend them."""
    known: dict[tuple[str, int], GradeRow] = {}
    words: dict[tuple[str, str], GradeRow] = {}
    coloured: dict[int, GradeRow] = {}
    for row in rows:
        if row.grade not in scale.marks:
            yield row, BadRow("grade", row.grade, f"one of {', '.join(map(str, scale.marks))}")
            continue
        if known.setdefault((row.language.lower(), row.grade), row) is not row:
            yield row, BadRow("grade", row.grade, f"each grade once in {row.language}")
        same = words.setdefault((row.language.lower(), normalise(row.word)), row)
        if same is not row:
            yield row, BadRow("word", row.word, f"another word than that of {same.grade}")
        if row.colour:
            yield from _colour_faults(row, coloured)
    yield from _missing(rows, scale, coloured)


def _colour_faults(row: GradeRow, coloured: dict[int, GradeRow]) -> Iterator[tuple[GradeRow, BadRow]]:
    first = coloured.setdefault(row.grade, row)
    if first.colours != row.colours:
        yield row, BadRow("colour", row.colour, f"{first.colour}, as {first.language} has it, or nothing")
    elif first is row and (page := hard_to_read(row.colours)):
        field = "dark_colour" if page == "dark" and row.dark_colour else "colour"
        found = row.colours[page == "dark"]
        what = "lighter" if page == "light" else "darker"
        yield row, BadRow(field, found, f"a {what} one: words on it must be read on {page} pages (contrast 4.5)")


def _missing(
    rows: Sequence[GradeRow], scale: Scale, coloured: Mapping[int, GradeRow]
) -> Iterator[tuple[GradeRow, BadRow]]:
    """What each language, and the colours, must have: all grades, or a slider's ends and the same marks everywhere."""
    if not rows:
        return
    needed = {0, scale.top} if scale.slides else set(scale.marks)
    needed |= {row.grade for row in rows if row.grade in scale.marks}
    for language in dict.fromkeys(row.language for row in rows):
        own = [row for row in rows if row.language == language]
        for grade in sorted(needed - {row.grade for row in own}):
            yield own[-1], BadRow.saying("grade", f"no word for {grade} in {language}", "a word for each grade")
    ends = {0, scale.top} if scale.slides else needed
    for grade in sorted(ends - set(coloured) if coloured else ()):
        row = next((row for row in rows if row.grade == grade), rows[-1])
        yield row, BadRow.saying("colour", f"no colour for {grade}", "a colour for each grade, or for none")


def own_of(rows: Sequence[GradeRow], scale: Scale) -> tuple[Texts, dict[int, Colour]]:
    """The texts and colours of rows without faults; nothing for what the scale has anyway."""
    texts: dict[str, dict[int, GradeText]] = {}
    for row in rows:
        texts.setdefault(row.language, {})[row.grade] = GradeText(row.word, row.shows)
    colours = {row.grade: row.colours for row in rows if row.colour}
    usual = Scale(scale.top, scale.step)
    if all(colour == usual.colour(grade) for grade, colour in colours.items()):
        colours = {}
    # In one language alone, or else the site's translations of the usual words would be lost.
    if list(texts) == ["en"] and texts["en"] == {row.grade: row_text(usual, row.grade, "en") for row in rows}:
        texts = {}
    return texts, colours


def row_text(scale: Scale, grade: int, language: str) -> GradeText:
    """How the scale calls a grade and explains it in a language."""
    return GradeText(scale.word(grade, language), scale.description(grade, language))


def rows_of(scale: Scale) -> list[GradeRow]:
    """A scale as rows, by language and grade upwards, its colours in the first language's."""
    rows = []
    for place, language in enumerate(scale.languages or ["en"]):
        for line, (grade, word) in enumerate(scale.named(language)):
            light, dark = scale.colour(grade) if not place else ("", "")
            rows.append(GradeRow(line, grade, language, word, scale.description(grade, language), light, dark))
    return rows
