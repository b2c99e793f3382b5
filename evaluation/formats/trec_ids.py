"""Ids in TREC's files: how queries and moments are written there, and what a written id stands for.

TREC's columns are split on white space, so ids are percent-encoded. Releases, topics, qrels and converted runs write
them alike, and everything that reads such a file asks here.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from contextlib import suppress
from unicodedata import normalize
from urllib.parse import quote, unquote

_NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
_MOMENT = re.compile(rf"(.+)[:@]({_NUMBER})-({_NUMBER})", re.DOTALL)


def written_id(text: str) -> str:
    """An id for a TREC file: characters but for letters, digits and ``_.-~`` are percent-encoded as UTF-8.

    >>> written_id("q:1 b")
    'q%3A1%20b'
    """
    return quote(text, safe="", errors="surrogatepass")


def read_id(written: str) -> str:
    """The id that `written_id` wrote, in Unicode NFC; a text that isn't percent-encoded stands for itself.

    >>> read_id("q%3A1"), read_id("q:1"), read_id("100%")
    ('q:1', 'q:1', '100%')
    """
    with suppress(UnicodeDecodeError):  # a name with a % of its own, such as 50%ad, stays
        written = unquote(written, errors="surrogatepass")
    return normalize("NFC", written)


def read_ids(written: Iterable[str], known: Container[str]) -> dict[str, str]:
    """What the ids of one file stand for: as written -> id.

    Most files copy the ids of topics or qrels, percent-encoded; others have them as they are. An id stands for what
    it decodes to, unless only the text itself is known. Where both are known, the file's other ids decide, if they
    tell how the file is written: ``q%3A1`` beside ``q:2`` is itself, beside ``q%252`` it is q:1.

    Args: known: the ids that may be meant, in NFC; empty: every id is decoded.
    Raises: ValueError, a sentence, if both are known and nothing decides.

    >>> read_ids(["q%3A1", "2"], known={"q:1", "2"}), read_ids(["50%25"], known={"50%25"})
    ({'q%3A1': 'q:1', '2': '2'}, {'50%25': '50%25'})
    """
    own = {text: normalize("NFC", text) for text in written}
    meant = {text: read_id(text) for text in own}
    plain = [text for text, name in meant.items() if own[text] != name and own[text] in known]
    if plain:
        encoded = any(own[text] not in known and name in known for text, name in meant.items())
        as_it_is = any(
            own[text] in known and (name not in known or written_id(name) != text) for text, name in meant.items()
        )
        for text in plain:
            if meant[text] in known and encoded == as_it_is:
                raise ValueError(
                    f"{text!r}, which is an id itself and stands for {meant[text]!r} as releases write it; "
                    f"expected {written_id(own[text])} or {written_id(meant[text])} throughout, as releases write them"
                )
            if meant[text] not in known or as_it_is:
                meant[text] = own[text]
    return meant


def moment_id(video_name: str, start: float, end: float) -> str:
    """``video@start-end``, the name as `written_id`, seconds as the shortest text that reads back exactly.

    >>> moment_id("castle s01", 9, 12.25)
    'castle%20s01@9.0-12.25'
    """
    return f"{written_id(video_name)}@{float(start)!r}-{float(end)!r}"


def split_moment_id(text: str) -> tuple[str, float, float]:
    """A moment id's video as it is written, start and end; a colon may stand for the @.

    Raises: ValueError if the text is not of that form.

    >>> split_moment_id("castle%20s01:9-12.25")
    ('castle%20s01', 9.0, 12.25)
    """
    parts = _MOMENT.fullmatch(text)
    if parts is None:
        raise ValueError(f"{text!r} is not a moment id of the form video@start-end")
    return parts[1], float(parts[2]), float(parts[3])
