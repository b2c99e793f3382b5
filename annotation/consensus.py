"""The consensus rule: two annotators, or four where the first two disagree (rule 6). Pure: no clock, no database.

>>> decide([3, 4]).grade
4
>>> decide([1, 3]).status
'escalate'
>>> decide([1, 3, 2, 2])
Decision(status='consensus', grade=2)
>>> decide([0, 4, 1, 3]).status
'discarded'
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

GRADES = (0, 1, 2, 3, 4)
FIRST_ROUND = 2
"""Judgments that the first round needs."""
BOTH_ROUNDS = 4
"""Judgments after the second round."""
LARGEST_DIFFERENCE = 1
"""Two grades agree when they differ by at most this."""

Status = Literal["consensus", "escalate", "discarded"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What the rule says of a pair; `grade` (0-4) only with consensus."""

    status: Status
    grade: int | None = None


def decide(grades: Sequence[int]) -> Decision:
    """Apply the consensus rule to a pair's counted grades.

    Two grades that differ by at most 1 give their mean, rounded up; otherwise the pair escalates to two other
    annotators. Of four grades one highest and one lowest are dropped; if the two left differ by at most 1 they
    give their mean, rounded up; otherwise the pair is discarded.

    Args:
        grades: two or four ints, each 0-4, in any order.

    Raises: ValueError for anything else.

    Source: TVR-Ranking, section 3 (annotation); DESIGN.md, rule 6.
    """
    if not isinstance(grades, Sequence) or isinstance(grades, str | bytes):
        raise ValueError(f"found {grades!r}, expected a sequence of two or four grades")
    for grade in grades:
        if not isinstance(grade, int) or isinstance(grade, bool) or grade not in GRADES:
            raise ValueError(f"found the grade {grade!r}, expected an int from 0 to 4")
    if len(grades) == FIRST_ROUND:
        low, high = sorted(grades)
        disagreement: Status = "escalate"
    elif len(grades) == BOTH_ROUNDS:
        _, low, high, _ = sorted(grades)
        disagreement = "discarded"
    else:
        raise ValueError(f"found {len(grades)} grades, expected two or four")
    if high - low > LARGEST_DIFFERENCE:
        return Decision(disagreement)
    return Decision("consensus", -(-(low + high) // 2))
