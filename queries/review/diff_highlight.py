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
    found: list[TextPart] = []
    at = 0
    last = -2
    for place in sorted(place for place in changed if place < len(sentence)):
        word = sentence[place]
        marks_between = all(not sentence[between].is_word for between in range(last + 1, place))
        if found and found[-1].changed and marks_between:
            found[-1] = TextPart(found[-1].text + text[at : word.end], True)
        else:
            if word.start > at:
                found.append(TextPart(text[at : word.start], False))
            found.append(TextPart(word.text, True))
        at, last = word.end, place
    if at < len(text):
        found.append(TextPart(text[at:], False))
    return found
