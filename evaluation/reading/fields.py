"""Strict parsing of record fields: errors name what is wrong, nothing is guessed."""

from __future__ import annotations

import math
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..errors import InputError, read_each, shown


def text_id(path: Path, place: str, record: dict[str, Any], key: str) -> str:
    """An id as text: text as it is, a whole number in decimal (so 7 and "7" are one query).

    Raises: InputError if it is missing or neither.
    """
    value = record.get(key)
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    found = f"{key} {shown(value)}" if key in record else f"no {key}"
    raise InputError(path, place, found=found, expected=f"{key}: text or a whole number")


def name(path: Path, place: str, record: Any, key: str) -> str:
    """A name: text that is not empty. Raises: InputError."""
    value = record.get(key) if isinstance(record, dict) else None
    if isinstance(value, str) and value:
        return value
    raise InputError(path, place, found=_found(record, key), expected=f"{key}: text that is not empty")


def list_of(path: Path, place: str, record: dict[str, Any], key: str) -> list[Any]:
    """A list. Raises: InputError if it is missing or something else."""
    value = record.get(key)
    if isinstance(value, list):
        return value
    raise InputError(path, place, found=_found(record, key), expected=f"{key}: a list")


def number(value: object) -> bool:
    """Whether a decoded JSON value is a number (true and false are not)."""
    return type(value) in (int, float)


def interval(path: Path, place: str, value: Any, key: str = "timestamp") -> tuple[float, float]:
    """``[start, end]`` in seconds, finite, start < end. Raises: InputError."""
    expected = f"{key}: [start, end], two numbers of seconds with start < end"
    if not isinstance(value, list) or len(value) != 2 or not all(map(number, value)):
        raise InputError(path, place, found=f"{key} {shown(value)}", expected=expected)
    start, end = _float(value[0]), _float(value[1])
    if not (math.isfinite(start) and math.isfinite(end)):
        raise InputError(path, place, found=f"{key} {shown(value)}", expected=f"{expected}, both finite")
    if not start < end:
        kind = "an interval without length" if start == end else "a reversed interval"
        raise InputError(path, place, found=f"{key} {shown(value)}, {kind}", expected=expected)
    return start, end


def intervals(path: Path, place: str, values: list[Any], what: str = "prediction") -> FloatArray:
    """Many ``[start, end]``, shape (n, 2). Raises: InputError naming the wrong ones."""
    try:
        if set(map(type, chain.from_iterable(values))) <= {int, float}:
            table = np.array(values, dtype=np.float64).reshape(len(values), 2)
            if np.isfinite(table).all() and (table[:, 0] < table[:, 1]).all():
                return table
    except (TypeError, ValueError, OverflowError):
        pass  # something is wrong somewhere: find it one by one
    places = ((f"{place}, {what} {i}", value) for i, value in enumerate(values, start=1))
    return np.array(read_each(places, lambda placed: interval(path, *placed))).reshape(len(values), 2)


def scores(path: Path, place: str, values: list[Any]) -> list[float | None]:
    """Scores as floats, or None throughout if none is given. Raises: InputError.

    Infinite scores are in order, they can be ranked; NaN can't. Either all predictions of a
    query have a score or none has.
    """
    if set(map(type, values)) == {float} and not any(map(math.isnan, values)):
        return values
    missing = [i for i, value in enumerate(values, start=1) if value is None]
    if len(missing) == len(values):
        return [None] * len(values)
    if missing:
        raise InputError(
            path,
            f"{place}, prediction {missing[0]}",
            found="no score",
            expected="a score, as other predictions of this query have one",
        )
    for i, value in enumerate(values, start=1):
        if not number(value) or math.isnan(_float(value)):
            raise InputError(
                path, f"{place}, prediction {i}", found=f"score {shown(value)}", expected="score: a number"
            )
    return [_float(value) for value in values]


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number of more than 308 digits
        return math.inf if value > 0 else -math.inf


def _found(record: Any, key: str) -> str:
    if not isinstance(record, dict):
        return shown(record)
    return f"{key} {shown(record[key])}" if key in record else f"no {key}"
