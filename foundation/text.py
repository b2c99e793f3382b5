"""Text: the one rule by which two texts are equal, the one form of names, and what is no text at all."""

import os
import re
import unicodedata
from pathlib import Path

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
"""What PostgreSQL can't keep in a text: NUL, and half of a surrogate pair (JSON's "\\ud83d")."""
_FILLERS = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and signs that show nothing: fillers of Hangul, the empty pattern of Braille."""
LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*\Z")
"""The form of a BCP 47 tag."""
LONGEST_TAG = 35


def is_utf8(path: Path) -> bool:
    """Whether a path can be stored and shown: names of files are bytes, and some aren't UTF-8."""
    return not UNSTORABLE.search(str(path))


def legible(path: Path) -> str:
    r"""A path as it can be stored and shown: a byte that isn't UTF-8 is written as \xe9."""
    return os.fsencode(path).decode(errors="backslashreplace")


def normalise(text: str) -> str:
    """The form in which descriptions and captions are compared: Unicode NFC, case folded, white space collapsed.

    Returns: the normal form; applying it again changes nothing.
    Source: rule 3 (docs/developing/map.md): one rule, everywhere.
    """
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return " ".join(folded.split())


def composed(text: str) -> str:
    """A name or text as it is kept, in Unicode NFC: whatever reads one from outside calls this, once."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def is_seen(text: str) -> bool:
    """Whether there is anything to see in a text.

    >>> is_seen("?"), is_seen(" \\n"), is_seen("\\u200b\\u2060"), is_seen("\\u3164")
    (True, False, False, False)
    """
    return any(
        not sign.isspace() and unicodedata.category(sign) not in ("Cf", "Mn", "Mc", "Me") and sign not in _FILLERS
        for sign in text
    )
