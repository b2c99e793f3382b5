"""Ids of exact moments, for formats that only know documents (TREC, plain IR measures)."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

_NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
_MOMENT = re.compile(rf"(.+)[:@]({_NUMBER})-({_NUMBER})", re.DOTALL)


def moment_id(video_name: str, start: float, end: float) -> str:
    """``video:start-end``, seconds as the shortest text that reads back exactly.

    White space and % in the name are percent-encoded, because TREC files split on white space.

    >>> moment_id("castle s01", 9.0, 12.25)
    'castle%20s01:9-12.25'
    """
    name = re.sub(r"[\s%]", lambda found: quote(found.group(), safe=""), video_name)
    return f"{name}:{_seconds(start)}-{_seconds(end)}"


def read_moment_id(text: str) -> tuple[str, float, float]:
    """The video, start and end that `moment_id` wrote, or a release, whose ids have @ for the colon.

    Raises: ValueError if the text is not of that form.

    >>> read_moment_id("castle%20s01:9-12.25"), read_moment_id("castle%20s01@9.0-12.25")
    (('castle s01', 9.0, 12.25), ('castle s01', 9.0, 12.25))
    """
    found = _MOMENT.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a moment id of the form video:start-end")
    return unquote(found[1]), float(found[2]), float(found[3])


def _seconds(value: float) -> str:
    return repr(float(value)).removesuffix(".0")
