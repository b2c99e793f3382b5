"""Split a sentence into kept and changed parts, to highlight them. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from queries.language.words import Word


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a text; all parts in a row are the text."""

    text: str
    changed: bool


def text_parts(text: str, sentence: Sequence[Word], changed: Collection[int]) -> list[TextPart]:
    """The text in parts, white space and marks between two changed words being changed with them.

    Args: sentence: the text's words; changed: their places that differ.
    """
    parts: list[TextPart] = []
    at = 0
    last = -2
    for place in sorted(place for place in changed if place < len(sentence)):
        word = sentence[place]
        marks_between = all(not sentence[between].is_word for between in range(last + 1, place))
        if parts and parts[-1].changed and marks_between:
            parts[-1] = TextPart(parts[-1].text + text[at : word.end], True)
        else:
            if word.start > at:
                parts.append(TextPart(text[at : word.start], False))
            parts.append(TextPart(word.text, True))
        at, last = word.end, place
    if at < len(text):
        parts.append(TextPart(text[at:], False))
    return parts
