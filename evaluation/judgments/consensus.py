"""The consensus rules: how the grades of several people become one (rule 6). Pure.

The paper's rule asks two annotators, or four if the first two disagree:

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

The others are as small:

>>> decide([0, 3, 4], Rule(kind="median", first_round=3, second_round=0)).grade
3
>>> majority = Rule(kind="majority", first_round=3, second_round=2)
>>> decide([0, 2, 2], majority).grade, decide([0, 1, 2], majority).status, decide([0, 1, 2, 2, 3], majority).status
(2, 'escalate', 'discarded')
>>> tens = Rule(100, 3, 0, largest_difference=30, rounding="nearest", step=10, kind="mean")
>>> decide([50, 60, 80], tens).grade, decide([50, 60, 90], tens).status
(60, 'discarded')
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

Status = Literal["consensus", "escalate", "discarded"]
State = Literal["open", "disputed", "consensus", "discarded"]
Rounding = Literal["up", "down", "nearest"]
Kind = Literal["paper", "mean", "median", "majority"]

STEPS_TO_100 = (1, 5, 10, 20, 25)
ADDED = ("step", "kind", "trimmed")
"""Numbers of a rule that older manifests don't state: they were the paper's."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule and its numbers; the defaults are the paper's.

    Grades are the multiples of `step` from 0 to `top_grade`: 0-1 to 0-4 with a step of 1, or 0-100. `first_round`
    people judge a pair; where they disagree, `second_round` others do. By `kind`, they agree:

    - `paper`: if their grades differ by at most `largest_difference`, in units of the scale; the mean decides. Of both
      rounds' grades the `trimmed` highest and as many lowest are dropped first.
    - `mean`: the same, and nothing is dropped.
    - `median`: if there is no second round, or their grades differ by at most `largest_difference`; after both rounds
      always. Of an even number, the two in the middle give their mean.
    - `majority`: if more than half gave the same grade.

    `rounding` says what becomes of a mean between two grades of the scale; `nearest` rounds halves up.

    Raises: ValueError for numbers by which nothing could be decided.
    """

    top_grade: int = 4
    first_round: int = 2
    second_round: int = 2
    largest_difference: int = 1
    rounding: Rounding = "up"
    step: int = 1
    kind: Kind = "paper"
    trimmed: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.top_grade <= 4 and self.top_grade != 100:
            raise ValueError(f"found the top grade {self.top_grade}, expected 1 to 4, or 100")
        steps = STEPS_TO_100 if self.top_grade == 100 else (1,)
        if self.step not in steps:
            expected = " or ".join(map(str, steps))
            raise ValueError(f"found the step {self.step} of grades up to {self.top_grade}, expected {expected}")
        if self.kind not in get_args(Kind):
            raise ValueError(f"found the rule {self.kind!r}, expected {' or '.join(get_args(Kind))}")
        if self.first_round < 1 or self.second_round < 0:
            raise ValueError(
                f"found {self.first_round} and {self.second_round} people, expected at least 1 in the first round"
            )
        if self.kind == "paper":
            self._trims()
        if self.largest_difference < 0:
            raise ValueError(f"found the largest difference {self.largest_difference}, expected 0 or more")
        if self.rounding not in get_args(Rounding):
            raise ValueError(f"found the rounding {self.rounding!r}, expected {' or '.join(get_args(Rounding))}")

    def _trims(self) -> None:
        if self.trimmed < 1:
            raise ValueError(f"found {self.trimmed} grades to drop, expected 1 or more; none are by the rule mean")
        if self.second_round and self.both_rounds <= 2 * self.trimmed:
            dropped = "two" if self.trimmed == 1 else str(2 * self.trimmed)
            raise ValueError(
                f"found {self.both_rounds} people in both rounds, expected at least {2 * self.trimmed + 1}: "
                f"{dropped} grades are dropped"
            )

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> "Rule":
        """The rule that a manifest or an audit states. Raises: KeyError, TypeError or ValueError if it states none."""
        names = [field.name for field in fields(cls) if field.name in told or field.name not in ADDED]
        if unread := [name for name in names if type(told[name]) not in (int, str)]:
            raise TypeError(f"found the {unread[0]} {told[unread[0]]!r}, expected a whole number or a word")
        return cls(**{name: told[name] for name in names})

    def told(self) -> dict[str, Any]:
        """Its numbers, as a manifest states them; `step`, `kind` and `trimmed` only where they aren't the paper's.

        >>> Rule(second_round=1).told()
        {'top_grade': 4, 'first_round': 2, 'second_round': 1, 'largest_difference': 1, 'rounding': 'up'}
        >>> Rule.of(Rule(kind="mean").told()).kind
        'mean'
        """
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in own.items() if name not in ADDED or value != getattr(PAPER, name)}

    @property
    def both_rounds(self) -> int:
        """Judgments after the second round."""
        return self.first_round + self.second_round

    def kept_of(self, grades: Sequence[int]) -> list[int]:
        """Those of a round's or both rounds' grades that the mean is of, ascending."""
        trims = self.kind == "paper" and len(grades) != self.first_round
        return sorted(grades)[self.trimmed : -self.trimmed] if trims else sorted(grades)


PAPER = Rule()


@dataclass(frozen=True, slots=True)
class Decision:
    """The rule's decision on a pair; `grade` (0 to the top grade) is set only with consensus."""

    status: Status
    grade: int | None = None


def decide(grades: Sequence[int], rule: Rule = PAPER) -> Decision:
    """Apply a consensus rule to a pair's counted grades.

    People of the first round who agree, as the rule's kind says, give the grade; otherwise the pair escalates, or is
    discarded where the rule has no second round. Both rounds' grades give it by the same test, or the pair is
    discarded.

    Args:
        grades: as many ints as the first round or both rounds have people, each a grade of the scale, in any order.
        rule: by default the paper's.

    Raises: ValueError for anything else.

    Source: TVR-Ranking (arXiv 2407.06597), section 3.2, and its generalisations.
    """
    if not isinstance(grades, Sequence) or isinstance(grades, str | bytes):
        raise ValueError(f"found {grades!r}, expected a sequence of {_counts(rule)} grades")
    for grade in grades:
        if not isinstance(grade, int) or isinstance(grade, bool) or not 0 <= grade <= rule.top_grade:
            raise ValueError(f"found the grade {grade!r}, expected an int from 0 to {rule.top_grade}")
        if grade % rule.step:
            raise ValueError(f"found the grade {grade}, expected a multiple of {rule.step}")
    if len(grades) not in (rule.first_round, rule.both_rounds):
        raise ValueError(f"found {len(grades)} grades, expected {_counts(rule)}")
    last = len(grades) == rule.both_rounds
    agreed = _agreed(rule.kept_of(grades), rule, last=last)
    if agreed is not None:
        return Decision("consensus", agreed)
    return Decision("discarded" if last else "escalate")


def _agreed(kept: list[int], rule: Rule, *, last: bool) -> int | None:
    """The grade on which people agree, of their ascending grades; None if they don't. `last`: nobody else is asked."""
    middle = kept[(len(kept) - 1) // 2 : len(kept) // 2 + 1]
    if rule.kind == "majority":  # what more than half have stands in the middle
        return middle[0] if 2 * kept.count(middle[0]) > len(kept) else None
    if kept[-1] - kept[0] > rule.largest_difference and not (rule.kind == "median" and last):
        return None
    return _mean(middle if rule.kind == "median" else kept, rule)


def _mean(grades: Sequence[int], rule: Rule) -> int:
    """The mean, rounded to a grade of the scale."""
    total, of = sum(grades), len(grades) * rule.step
    steps = {"up": -(-total // of), "down": total // of, "nearest": (2 * total + of) // (2 * of)}[rule.rounding]
    return steps * rule.step


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
