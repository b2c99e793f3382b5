"""What a topic is made of: its fields read strictly, from files and forms alike. Pure."""

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from corpus.description_formats import BadRow, fields
from foundation.text import composed, is_seen, normalise

NEEDED = ("text",)
OPTIONAL = ("id", "narrative", "language", "written_by", "split")
SPLITS = ("val", "test")
LONGEST_TEXT = 2000
"""Bytes of a topic's normal form, which an index holds."""
LONGEST_NARRATIVE, LONGEST_AUTHOR = 10_000, 200
"""Characters."""
DERIVED = "auto-"
"""The prefix of ids that are made of a topic's text, where its source gives none."""


class SourceTopic(NamedTuple):
    """A topic of a source; None where the source says nothing. `line` is that of the file, 0 of a form."""

    line: int
    topic_id: str
    text: str
    narrative: str | None = None
    language: str | None = None
    written_by: str | None = None
    split: str | None = None

    @property
    def key(self) -> str:
        """The text after rule 3, by which queries are compared."""
        return normalise(self.text)


def topic_row(values: Mapping[str, Any], line: int = 0) -> SourceTopic:
    """A topic of its fields by name; what is blank says nothing. Raises: BadRow naming the field that won't do."""
    stated = {name: value for name, value in values.items() if value is not None and is_seen(str(value))}
    text = _bounded(stated.get("text"), "text", "a sentence", LONGEST_TEXT)
    if (size := len(normalise(text).encode())) > LONGEST_TEXT:
        raise BadRow.saying("text", f"{size:,} bytes", f"at most {LONGEST_TEXT:,}")
    split = stated.get("split")
    if split is not None and str(split).strip().lower() not in SPLITS:
        raise BadRow("split", split, "val or test")
    given = stated.get("id")
    return SourceTopic(
        line=line,
        topic_id=derived_id(text) if given is None else fields.source_id(given, "id"),
        text=text,
        narrative=_optional_text(stated, "narrative", LONGEST_NARRATIVE),
        language=fields.language(_stripped(stated.get("language")), "language"),
        written_by=_optional_text(stated, "written_by", LONGEST_AUTHOR),
        split=None if split is None else str(split).strip().lower(),
    )


def derived_id(text: str) -> str:
    """The id of a topic whose source gives none: the same for texts that are equal after rule 3.

    >>> derived_id("A man  sings.") == derived_id("a man sings.")
    True
    """
    return DERIVED + hashlib.blake2b(normalise(text).encode(), digest_size=6).hexdigest()


def _optional_text(stated: Mapping[str, Any], field: str, longest: int) -> str | None:
    return _bounded(stated[field], field, "a text", longest) if field in stated else None


def _bounded(value: object, field: str, expected: str, longest: int) -> str:
    if not fields.is_text(value):
        raise BadRow(field, value, expected)
    text = composed(value).replace("\r\n", "\n").strip()
    if len(text) > longest:
        raise BadRow.saying(field, f"{len(text):,} characters", f"at most {longest:,}")
    return text


def _stripped(value: object) -> object:
    return value.strip() if isinstance(value, str) else value
