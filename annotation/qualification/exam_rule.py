"""The exam's rule: the median is the truth, a grade more than 1 away from it is out (rule 8). Pure.

>>> median([1, 2, 2, 4])
2.0
>>> median([2, 3])
2.5
>>> is_out(1, 2.5, 1), is_out(2, 2.5, 1), is_out(4, 3.0, 1)
(True, False, False)
"""

from collections.abc import Iterable, Sequence

FARTHEST = 1
"""A grade this far from the truth is still in consensus, in units of the scale (`grade_classes.unit_of`)."""


def median(grades: Sequence[int], top_grade: int = 4) -> float:
    """The middle grade, or the mean of the two in the middle: a whole or a half.

    Raises: ValueError for no grades, or one that isn't 0 to `top_grade`.
    """
    if not grades:
        raise ValueError("found no grades, expected at least one")
    wrong = [grade for grade in grades if grade not in range(top_grade + 1)]
    if wrong:
        raise ValueError(f"found the grade {wrong[0]!r}, expected 0 to {top_grade}")
    ordered = sorted(grades)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return float(ordered[middle])
    return (ordered[middle - 1] + ordered[middle]) / 2


def is_out(grade: int, truth: float, unit: int) -> bool:
    """Whether a grade differs by more than 1, or one of these units, from the truth, and is judged again after
    feedback."""
    return abs(grade - truth) > FARTHEST * unit


def share_out(pairs: Iterable[tuple[int, float]], unit: int) -> float | None:
    """The part of (grade, truth) pairs that is out, 0-1; None without any. The paper: 0.1183.

    >>> share_out([(1, 2.5), (2, 2.5), (4, 3.0), (0, 0.5)], 1)
    0.25
    """
    outs = [is_out(grade, truth, unit) for grade, truth in pairs]
    return sum(outs) / len(outs) if outs else None
