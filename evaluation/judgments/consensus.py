"""The consensus rule: two annotators, or four if the first two disagree (rule 6). Pure.

>>> decide([3, 4]).grade
4
>>> decide([1, 3]).status
'escalate'
>>> decide([1, 3, 2, 2])
Decision(status='consensus', grade=2)
>>> decide([0, 4, 1, 3]).status
'discarded'
>>> decide([1, 3], Rule(largest_difference=2)).grade
2
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Status = Literal["consensus", "escalate", "discarded"]
State = Literal["open", "disputed", "consensus", "discarded"]
Rounding = Literal["up", "down"]


@dataclass(frozen=True, slots=True)
class Rule:
    """The numbers of the rule; the defaults are the paper's.

    Grades go from 0 to `top_grade`. `first_round` people judge a pair; where their grades differ by more than
    `largest_difference`, `second_round` others do. `rounding` says what becomes of a mean between two grades.

    Raises: ValueError for numbers by which nothing could be decided.
    """

    top_grade: int = 4
    first_round: int = 2
    second_round: int = 2
    largest_difference: int = 1
    rounding: Rounding = "up"

    def __post_init__(self) -> None:
        if not 1 <= self.top_grade <= 4:
            raise ValueError(f"found the top grade {self.top_grade}, expected 1 to 4")
        if self.first_round < 1 or self.second_round < 0:
            raise ValueError(
                f"found {self.first_round} and {self.second_round} people, expected at least 1 in the first round"
            )
        if self.second_round and self.both_rounds < 3:
            raise ValueError(
                f"found {self.both_rounds} people in both rounds, expected at least 3: two grades are dropped"
            )
        if self.largest_difference < 0:
            raise ValueError(f"found the largest difference {self.largest_difference}, expected 0 or more")
        if self.rounding not in ("up", "down"):
            raise ValueError(f"found the rounding {self.rounding!r}, expected up or down")

    @property
    def both_rounds(self) -> int:
        """Judgments after the second round."""
        return self.first_round + self.second_round


PAPER = Rule()


@dataclass(frozen=True, slots=True)
class Decision:
    """The rule's decision on a pair; `grade` (0 to the top grade) is set only with consensus."""

    status: Status
    grade: int | None = None


def decide(grades: Sequence[int], rule: Rule = PAPER) -> Decision:
    """Apply the consensus rule to a pair's counted grades.

    First-round grades that differ by at most `rule.largest_difference` give their mean, rounded as the rule says;
    otherwise the pair escalates, or is discarded where the rule has no second round. Of both rounds' grades one highest
    and one lowest are dropped; those left give their mean by the same test, or the pair is discarded.

    Args:
        grades: as many ints as the first round or both rounds have people, each 0 to `rule.top_grade`, in any order.
        rule: by default the paper's numbers.

    Raises: ValueError for anything else.

    Source: TVR-Ranking (arXiv 2407.06597), section 3.2.
    """
    if not isinstance(grades, Sequence) or isinstance(grades, str | bytes):
        raise ValueError(f"found {grades!r}, expected a sequence of {_counts(rule)} grades")
    for grade in grades:
        if not isinstance(grade, int) or isinstance(grade, bool) or not 0 <= grade <= rule.top_grade:
            raise ValueError(f"found the grade {grade!r}, expected an int from 0 to {rule.top_grade}")
    if len(grades) == rule.first_round:
        kept = sorted(grades)
        disagreement: Status = "escalate" if rule.second_round else "discarded"
    elif len(grades) == rule.both_rounds:
        kept = sorted(grades)[1:-1]
        disagreement = "discarded"
    else:
        raise ValueError(f"found {len(grades)} grades, expected {_counts(rule)}")
    if kept[-1] - kept[0] > rule.largest_difference:
        return Decision(disagreement)
    down = sum(kept) // len(kept)
    return Decision("consensus", down if rule.rounding == "down" else -(-sum(kept) // len(kept)))


def _counts(rule: Rule) -> str:
    words = ("no", "one", "two", "three", "four", "five", "six")
    numbers = [words[count] if count < len(words) else str(count) for count in (rule.first_round, rule.both_rounds)]
    return " or ".join(dict.fromkeys(numbers))


def state_of(grades: Sequence[int], rule: Rule = PAPER) -> tuple[State, int | None]:
    """The state in which a pair's counted grades, in the order given, put it, and its grade.

    Args: grades: any number; those beyond both rounds are not looked at.

    >>> state_of([3]), state_of([0, 3, 1])
    (('open', None), ('disputed', None))
    """
    if len(grades) < rule.first_round:
        return "open", None
    decision = decide(grades[: rule.first_round], rule)
    if decision.status == "escalate":
        if len(grades) < rule.both_rounds:
            return "disputed", None
        decision = decide(grades[: rule.both_rounds], rule)
    return ("consensus" if decision.status == "consensus" else "discarded"), decision.grade


def needed_in(state: str, rule: Rule = PAPER) -> int:
    """Judgments that a pair in this state needs in total; 0 if it is neither open nor disputed."""
    return {"open": rule.first_round, "disputed": rule.both_rounds}.get(state, 0)
