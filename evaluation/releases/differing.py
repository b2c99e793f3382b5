"""Where two values of JSON's types differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def differing(stated: Any, found: Any, place: str, *, close: float) -> Iterator[tuple[str, Any, Any]]:
    """The places in which they differ, each with both values, of what both have: older files state less.

    Args: close: numbers that aren't both whole differ only by more than it.

    >>> list(differing({"a": [1, 2.5], "b": 1}, {"a": [1, 2.6], "c": 2}, "file", close=0.01))
    [('file.a[2]', 2.5, 2.6)]
    """
    if isinstance(stated, dict) and isinstance(found, dict):
        for name, value in found.items():
            if name in stated:
                yield from differing(stated[name], value, f"{place}.{name}", close=close)
    elif isinstance(stated, list) and isinstance(found, list) and len(stated) == len(found):
        for number, (one, other) in enumerate(zip(stated, found, strict=True), start=1):
            yield from differing(one, other, f"{place}[{number}]", close=close)
    elif stated != found or isinstance(stated, bool) != isinstance(found, bool):
        numbers = {type(stated), type(found)} <= {int, float} and float in (type(stated), type(found))
        if not numbers or abs(stated - found) > close:
            yield place, stated, found
