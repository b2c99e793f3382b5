"""How a file is read: what somebody chose, and the rest as detected from its bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import BinaryIO

from corpus.description_formats.charsets import CHARSETS, UTF8, UTF16, charset_of_text, has_utf16, in_utf8
from corpus.description_formats.csv_dialects import Dialect, csv_pieces, read_dialect
from corpus.description_formats.formats import FORMATS, TEXT_FORMATS, DescriptionFormat
from corpus.description_formats.guessing import guess_format


@dataclass(frozen=True, slots=True)
class FileChoices:
    """What somebody chose about a file; what is empty is detected."""

    format: str = ""
    """A key of `FORMATS`."""
    charset: str = ""
    """A key of `CHARSETS`."""
    separator: str = ""
    """Of CSV: a key of `SEPARATORS`."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Of CSV: field -> header, or `LEFT_OUT`."""


DETECTED = FileChoices()
"""Nothing was chosen."""


@dataclass(frozen=True, slots=True)
class Understood:
    """How a file is read: `format` reads `file`, which is UTF-8."""

    format: DescriptionFormat
    file: BinaryIO = field(repr=False)
    charset: str
    dialect: Dialect | None
    choices: FileChoices

    @property
    def remarks(self) -> list[tuple[str, str]]:
        """What was detected and differs from the usual, as (the choice, a sentence)."""
        remarks = []
        if not self.choices.format:
            remarks.append(("format", f"Detected format: {self.format.name}"))
        if not self.choices.charset and self.charset != UTF8:
            remarks.append(("charset", f"Read as {CHARSETS[self.charset]}"))
        if self.dialect is not None:
            if not self.choices.separator and self.dialect.separator != "comma":
                remarks.append(("separator", f"Cells are separated by {self.dialect.separator}s"))
            renamed = [f"{name} is {header}" for name, header in self.dialect.renamed.items()]
            if renamed and not self.choices.columns:
                remarks.append(("column", f"Columns: {', '.join(renamed)}"))
        return remarks


def understand(file: BinaryIO, choices: FileChoices = DETECTED) -> Understood:
    """How to read a file that is seekable.

    JSON is UTF-8 by its standard, or UTF-16 with its mark; CSV and lines of text may be Windows-1252, too.

    Raises: BadRow or Unreadable if it can't be detected (`choice` says what would settle it).
    """
    charset = choices.charset or (UTF16 if has_utf16(file) else "")
    name = choices.format or guess_format(in_utf8(file, charset or UTF8))
    if not charset:
        charset = charset_of_text(file) if name in TEXT_FORMATS else UTF8
    format, read = FORMATS[name], in_utf8(file, charset)
    dialect = None
    if name == "csv":
        dialect = read_dialect(read, separator=choices.separator, columns=choices.columns)
        format = replace(format, pieces=partial(csv_pieces, dialect=dialect))
    return Understood(format, read, charset, dialect, choices)
