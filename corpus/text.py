"""Text: the one rule by which two texts are equal, and what PostgreSQL can't store."""

import os
import re
import unicodedata
from pathlib import Path

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
"""What PostgreSQL can't keep in a text: NUL, and half of a surrogate pair (JSON's "\\ud83d")."""


def is_utf8(path: Path) -> bool:
    """Whether a path can be stored and shown: names of files are bytes, and some aren't UTF-8."""
    return not UNSTORABLE.search(str(path))


def legible(path: Path) -> str:
    r"""A path as it can be stored and shown: a byte that isn't UTF-8 is written as \xe9."""
    return os.fsencode(path).decode(errors="backslashreplace")


def normalise(text: str) -> str:
    """The form in which descriptions and captions are compared: Unicode NFC, case folded, white space collapsed.

    Returns: the normal form; applying it again changes nothing.
    Source: rule 3 (CONTRIBUTING.md): one rule, everywhere.
    """
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return " ".join(folded.split())
