"""Text normalisation: the one rule by which two texts are equal."""

import unicodedata


def normalise(text: str) -> str:
    """The form in which descriptions and captions are compared: Unicode NFC, case folded, white space collapsed.

    Returns: the normal form; applying it again changes nothing.
    Source: rule 3 (CONTRIBUTING.md): one rule, everywhere.
    """
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return " ".join(folded.split())
