"""Spans of judged pairs: what was marked, and what the rule makes of it (`annotation/span_consensus.py`)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from django.db.models import QuerySet

from annotation.batches.transitions import rule_of
from annotation.models import JudgedSpan, Judgment, Pair, SpanRuling
from annotation.span_consensus import Agreed, Marked, Span, agree_on, deciding
from foundation.models import Collection

ROWS_AT_ONCE = 2000


def has_spans(collection: Collection) -> bool:
    """Whether annotators mark start and end in the collection."""
    return collection.has_clips and collection.span_agreement is not None


def agreed_span(collection: Collection, moment: Span, judgments: Sequence[Marked]) -> Agreed:
    """The span of a pair in consensus, of its counted judgments in the order given."""
    assert collection.span_agreement is not None
    return agree_on(moment, deciding(judgments, rule_of(collection)), agreement=collection.span_agreement)


@dataclass(frozen=True, slots=True)
class PairSpan:
    """A pair in consensus with a grade of 1 and more: its moment's own span in seconds, what was agreed on, and what
    the lead has set where the annotators are apart."""

    pair: int
    moment: int
    own: Span
    agreed: Agreed
    set_to: Span | None = None

    @property
    def span(self) -> Span:
        """What holds."""
        return self.set_to or self.agreed.span

    @property
    def status(self) -> str:
        """As of `span_consensus`; `lead` where the lead has set it."""
        return "lead" if self.set_to is not None else self.agreed.status


def spans_of(collection: Collection, pairs: QuerySet[Pair]) -> Iterator[PairSpan]:
    """The spans of those of the pairs that are in consensus, in the order of the draw and rank.

    A grade of 0 has none: nothing fits. Two SQL queries, the judgments streamed.
    """
    judgments = Judgment.objects.filter(pair__in=pairs, counted=True, pair__status=Pair.Status.CONSENSUS)
    rows = (
        judgments.filter(pair__grade__gte=1)
        .order_by("pair__batch__query__position", "pair__batch_id", "pair__candidate__rank", "pair_id", "pk")
        .values_list(
            *("pair_id", "pair__candidate__moment_id", "pair__candidate__moment__start"),
            *("pair__candidate__moment__end", "grade", "span__start", "span__end"),
        )
    )
    rulings = standing_rulings(pairs)
    for (pair, moment, start, end), own in groupby(rows.iterator(ROWS_AT_ONCE), key=itemgetter(0, 1, 2, 3)):
        whole = Span(start, end)
        given = [Marked(row[4], None if row[5] is None else Span(row[5], row[6])) for row in own]
        agreed = agreed_span(collection, whole, given)
        ruling = rulings.get(pair) if agreed.status == "apart" else None
        yield PairSpan(pair, moment, whole, agreed, Span(ruling.start, ruling.end) if ruling else None)


def standing_rulings(pairs: QuerySet[Pair] | Sequence[Pair]) -> dict[int, SpanRuling]:
    """What leads have set of these pairs, by pair. It counts only where the annotators don't agree. One SQL query."""
    rulings = SpanRuling.objects.filter(pair__in=pairs, withdrawn_at__isnull=True).select_related("decided_by")
    return {ruling.pair_id: ruling for ruling in rulings}


def marked_in(judgments: Sequence[int]) -> dict[int, Span]:
    """What was marked with these judgments, by judgment. One SQL query."""
    rows = JudgedSpan.objects.filter(pk__in=judgments).values_list("pk", "start", "end")
    return {judgment: Span(start, end) for judgment, start, end in rows}


@dataclass(frozen=True, slots=True)
class SpanAgreement:
    """How far annotators agree on spans, over pairs graded 1 and more: how many by `SpanStatus`, and their mean IoU.

    `mean_iou` (0-1) is that of the pairs for which two people and more count; None where there is none.
    """

    whole: int
    agreed: int
    apart: int
    mean_iou: float | None


class AgreementCount:
    """The agreement over pairs that are told of one by one."""

    def __init__(self) -> None:
        self._counts = dict.fromkeys(("whole", "agreed", "apart"), 0)
        self._overlaps, self._overlap = 0, 0.0

    def add(self, agreed: Agreed) -> None:
        self._counts[agreed.status] += 1
        if agreed.mean_iou is not None:
            self._overlaps += 1
            self._overlap += agreed.mean_iou

    def agreement(self) -> SpanAgreement:
        return SpanAgreement(**self._counts, mean_iou=self._overlap / self._overlaps if self._overlaps else None)
