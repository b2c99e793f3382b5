"""Consensus over adjusted spans: where in a moment what fits the query begins and ends. Pure.

Who judges may mark a shorter stretch than the clip shows. Of the judgments that made a pair's grade, spans agree where
every two overlap enough; then the pair's span is the median of their starts and the median of their ends. Otherwise
the moment's own span stays.

>>> moment = Span(10.0, 20.0)
>>> agree_on(moment, [Marked(4, Span(11.0, 18.0)), Marked(3, Span(12.0, 19.0))], agreement=0.5)
Agreed(span=Span(start=11.5, end=18.5), status='agreed', mean_iou=0.75, people=2)

Who marks nothing says that the whole moment fits:

>>> agree_on(moment, [Marked(4, Span(10.0, 14.0)), Marked(4)], agreement=0.5)
Agreed(span=Span(start=10.0, end=20.0), status='apart', mean_iou=0.4, people=2)
>>> agree_on(moment, [Marked(4), Marked(4)], agreement=0.5).status
'whole'
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import Literal

from annotation.consensus import PAPER, Rule, decide

SpanStatus = Literal["whole", "agreed", "apart"]
"""`whole`: nobody of those who count marked less than the moment, or nobody counts; `agreed`: their spans agree;
`apart`: they don't, so the moment's own stays."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of a video, in seconds: start < end. Raises: ValueError for any other."""

    start: float
    end: float

    def __post_init__(self) -> None:
        if not self.start < self.end:
            raise ValueError(f"found the span {self.start} to {self.end}, expected a start before the end")

    def iou(self, other: "Span") -> float:
        """What both have in common, by what they cover together: 0 to 1.

        >>> Span(0, 4).iou(Span(2, 6)), Span(0, 1).iou(Span(1, 2))
        (0.3333333333333333, 0.0)
        """
        common = max(0.0, min(self.end, other.end) - max(self.start, other.start))
        return common / ((self.end - self.start) + (other.end - other.start) - common)


@dataclass(frozen=True, slots=True)
class Marked:
    """A counted judgment: its grade, and the span that was marked; None: the moment's own."""

    grade: int
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Agreed:
    """A pair's span, how it came about, and the mean IoU (0-1) of every two of the `people` whose spans count.

    `mean_iou` is None where fewer than two count.
    """

    span: Span
    status: SpanStatus
    mean_iou: float | None
    people: int


def deciding(judgments: Sequence[Marked], rule: Rule = PAPER) -> list[Marked]:
    """The judgments that made a pair's grade, in the order given: by the paper's rule of both rounds without one
    highest and one lowest, by a majority those that gave it.

    One that was dropped stays where another of the same grade was kept: nobody can say which of the two it was.

    Args: judgments: the counted ones of a pair in consensus, in the order given, as `annotation.consensus.state_of`
        takes their grades. What was taken back or came too late isn't among them.
    Raises: ValueError where there is no consensus.

    >>> [one.grade for one in deciding([Marked(3), Marked(4)])]
    [3, 4]
    >>> [one.grade for one in deciding([Marked(1), Marked(4), Marked(3), Marked(4)])]
    [4, 3, 4]
    """
    for size in (rule.first_round, rule.both_rounds):
        some = list(judgments[:size])
        decision = decide([judgment.grade for judgment in some], rule)
        if decision.status == "consensus":
            grades = rule.kept_of([judgment.grade for judgment in some])
            counting = [decision.grade] if rule.kind == "majority" else grades
            return [judgment for judgment in some if judgment.grade in counting]
        if decision.status == "discarded":
            break
    raise ValueError(f"found the grades {[one.grade for one in judgments]}, expected a consensus")


def agree_on(moment: Span, judgments: Sequence[Marked], *, agreement: float) -> Agreed:
    """The span of a pair in consensus, whose grade these judgments made (`deciding`), in any order.

    To a grade of 0 nothing fits: it has no span, and doesn't count. The moment's own span stays where fewer than two
    count, or any two of them overlap less than `agreement`.

    Args:
        moment: the moment's own span; marked ones lie in it.
        agreement: IoU from which on two spans agree, 0 to 1.

    Raises: ValueError for a span outside the moment, or an agreement outside 0 to 1.
    """
    if not 0 <= agreement <= 1:
        raise ValueError(f"found the agreement {agreement}, expected 0 to 1")
    spans = sorted(judgment.span or moment for judgment in judgments if judgment.grade > 0)
    for span in spans:
        if span.start < moment.start or span.end > moment.end:
            raise ValueError(f"found {span}, expected a part of {moment}")
    overlaps = [one.iou(other) for one, other in combinations(spans, 2)]
    mean = sum(overlaps) / len(overlaps) if overlaps else None
    if all(span == moment for span in spans):
        return Agreed(moment, "whole", mean, len(spans))
    if not overlaps or min(overlaps) < agreement:
        return Agreed(moment, "apart", mean, len(spans))
    span = Span(median(span.start for span in spans), median(span.end for span in spans))
    return Agreed(span, "agreed", mean, len(spans))
