"""What factors are made of: their rows read strictly from files and forms, and the paper's three. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.conf import settings
from django.utils.translation import gettext, gettext_noop, override

from annotation.models.factors import FEWEST_ANSWERS, MOST_ANSWERS
from corpus.description_formats import BadRow, fields
from corpus.description_formats.csv_dialects import Fields
from corpus.description_import.row_files import RowKind
from foundation.text import composed

MOST_FACTORS = 8
BETWEEN = "|"
"""What is between two answers, where they are one text."""
COLUMNS = ("key", "language", "name", "question", "answers", "may_skip")
YES_NO = {"yes": True, "true": True, "1": True, "": False, "no": False, "false": False, "0": False}
_KEY = re.compile(r"[a-z][a-z0-9_-]{0,29}")
_LONGEST = {"name": 60, "question": 200, "answers": 40}


@dataclass(frozen=True, slots=True)
class Words:
    """A factor's words in a language; `answers` are those of the values 0, 1, ..."""

    name: str
    question: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeclaredFactor:
    """A factor to be declared; `languages` has its words by language besides its own."""

    key: str
    words: Words
    may_skip: bool = False
    languages: Mapping[str, Words] = field(default_factory=dict)


class FactorRow(NamedTuple):
    """A factor's words in a language, "" of its own ones. `line` is that of the file, 0 of a form."""

    line: int
    key: str
    language: str
    words: Words
    may_skip: bool


def factor_row(values: Mapping[str, Any], line: int = 0) -> FactorRow:
    """A row of its fields by name. Raises: BadRow naming the field that won't do."""
    key = str(values["key"] if values["key"] is not None else "").strip()
    if not _KEY.fullmatch(key):
        raise BadRow("key", values["key"], "a lower-case letter, then up to 29 letters, digits, - and _")
    language = fields.language(str(values.get("language") or "").strip() or None, "language") or ""
    skip = str(values.get("may_skip") or "").strip().lower()
    if skip not in YES_NO:
        raise BadRow("may_skip", values["may_skip"], "yes or no")
    given = values["answers"]
    parts = given if isinstance(given, list | tuple) else str(given or "").split(BETWEEN)
    answers = tuple(_text(part, "answers") for part in parts)
    if not FEWEST_ANSWERS <= len(answers) <= MOST_ANSWERS:
        raise BadRow("answers", given, f"{FEWEST_ANSWERS} to {MOST_ANSWERS} answers, the least first")
    if len(set(answers)) < len(answers):
        raise BadRow("answers", given, "answers that differ")
    words = Words(_text(values["name"], "name"), _text(values["question"], "question"), answers)
    return FactorRow(line, key, language, words, YES_NO[skip])


def _text(value: object, name: str) -> str:
    text = " ".join(composed(value).split()) if fields.is_text(value) else ""
    if not 0 < len(text) <= _LONGEST[name]:
        raise BadRow(name, value, f"a text of 1 to {_LONGEST[name]} characters")
    return text


_NEEDED, _OPTIONAL = ("key", "name", "question", "answers"), ("language", "may_skip")
FACTORS = RowKind("factors", Fields(_NEEDED, _OPTIONAL, dict.fromkeys(COLUMNS, "")), factor_row)


def conflicts(rows: Sequence[FactorRow]) -> Iterator[tuple[FactorRow, BadRow]]:
    """The rows that don't go with the others, and why."""
    own = {row.key: row for row in rows if not row.language}
    seen = set()
    for row in rows:
        if (row.key, row.language) in seen:
            yield row, BadRow("key", row.key, "each factor once in a language")
        seen.add((row.key, row.language))
        if row.key not in own:
            yield row, BadRow.saying("language", f"{row.key} in {row.language} alone", "a row of it without a language")
        elif len(row.words.answers) != (most := len(own[row.key].words.answers)):
            yield row, BadRow("answers", list(row.words.answers), f"{most} answers, as the factor has")
    for row in list(own.values())[MOST_FACTORS:]:
        yield row, BadRow.saying("key", f"{len(own)} factors", f"at most {MOST_FACTORS}")


def declared(rows: Iterable[FactorRow]) -> list[DeclaredFactor]:
    """The factors of rows, in the order of those without a language. Raises: BadRow for the first conflict."""
    rows = list(rows)
    for _, bad in conflicts(rows):
        raise bad
    return [
        DeclaredFactor(
            own.key,
            own.words,
            own.may_skip,
            {row.language: row.words for row in rows if row.key == own.key and row.language},
        )
        for own in rows
        if not own.language
    ]


_PAPER = (
    (
        "action",
        gettext_noop("Match of action"),
        gettext_noop("Is what is done in the clip what the query says?"),
        False,
    ),
    (
        "visual",
        gettext_noop("Visual completeness"),
        gettext_noop("Is the whole action to be seen within the frames?"),
        True,
    ),
    (
        "temporal",
        gettext_noop("Temporal completeness"),
        gettext_noop("Does the clip show the action from beginning to end, and little besides?"),
        True,
    ),
)
_ANSWERS = (gettext_noop("no"), gettext_noop("in part"), gettext_noop("yes"))


def paper_factors() -> list[DeclaredFactor]:
    """The three factors of the paper's appendix B.1, in our words, in every language of the site that has them."""

    def words(language: str, name: str, question: str) -> Words:
        with override(language):
            return Words(gettext(name), gettext(question), tuple(gettext(answer) for answer in _ANSWERS))

    return [
        DeclaredFactor(
            key,
            own := words("en", name, question),
            skip,
            {
                language: other
                for language, _ in settings.LANGUAGES
                if language != "en" and (other := words(language, name, question)).question != own.question
            },
        )
        for key, name, question, skip in _PAPER
    ]
