"""Grades of any scale in at most five classes: by these figures count, and tell what is near. Pure.

A scale of 0-1 to 0-4 has a class a grade. Of 0-100 a class is what lies nearest to 0, 25, 50, 75 or 100: a hundred
grades are told apart by nobody, and a table of a hundred by a hundred is empty nearly everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:  # no page waits for numpy
    from ..arrays import IntArray

MOST = 5
Grades = TypeVar("Grades", int, "IntArray")


def unit_of(top_grade: int) -> int:
    """How far classes lie apart: by so much two grades may differ and still be near each other.

    >>> unit_of(4), unit_of(2), unit_of(100)
    (1, 1, 25)
    """
    return max(1, top_grade // (MOST - 1))


def class_of(grade: Grades, top_grade: int) -> Grades:
    """The class of a grade, or of each of an array's, from 0 on; a half goes up.

    >>> [class_of(grade, 100) for grade in (0, 12, 13, 50, 87, 88, 100)], class_of(3, 4)
    ([0, 0, 1, 2, 3, 4, 4], 3)
    """
    unit = unit_of(top_grade)
    return (2 * grade + unit) // (2 * unit)


def class_count(top_grade: int) -> int:
    """How many classes there are.

    >>> class_count(1), class_count(4), class_count(100)
    (2, 5, 5)
    """
    return top_grade // unit_of(top_grade) + 1
