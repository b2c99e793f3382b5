"""The array types of this library, under the names its signatures use, and arrays as JSON."""

from __future__ import annotations

import math
from dataclasses import asdict, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def ranges(first: IntArray, count: IntArray) -> IntArray:
    """The whole numbers from each `first` on, `count` of them, one range after another.

    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    total: IntArray = np.arange(int(count.sum())) + np.repeat(first - (np.cumsum(count) - count), count)
    return total


def json_ready(value: Any) -> Any:
    """A value of Python or numpy, or a dataclass of such, as JSON has it: NaN and infinities become null.

    >>> json_ready({"a": float("nan"), "b": [1.5]})
    {'a': None, 'b': [1.5]}
    """
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, dict):
        return {str(key): json_ready(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_ready(item) for item in value]
    if isinstance(value, np.ndarray):
        return json_ready(value.tolist())
    if isinstance(value, np.generic):
        return json_ready(value.item())
    return None if isinstance(value, float) and not math.isfinite(value) else value
