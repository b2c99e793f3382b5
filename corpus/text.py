"""Text: the one rule by which two texts are equal, and what PostgreSQL can't store."""

import re
import unicodedata

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
"""What PostgreSQL can't keep in a text: NUL, and half of a surrogate pair (JSON's "\\ud83d")."""

LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*\Z")
"""The form of a BCP 47 tag."""
LONGEST_TAG = 35


def normalise(text: str) -> str:
    """The form in which descriptions and captions are compared: Unicode NFC, case folded, white space collapsed.

    Returns: the normal form; applying it again changes nothing.
    Source: rule 3 (CONTRIBUTING.md): one rule, everywhere.
    """
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return " ".join(folded.split())
