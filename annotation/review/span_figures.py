"""How far annotators agree on starts and ends, and the pairs on which they don't."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db.models import Prefetch

from annotation.models import Judgment, Pair
from annotation.review.pair_spans import AgreementCount, has_spans, marked_in, spans_of, standing_rulings
from annotation.review.selectors import Bar, RawGrade, bar_of, raw_grades
from annotation.shown_pair import ShownPair
from annotation.span_consensus import Span
from foundation.models import Collection

NAME = "spans"
"""Of the precomputed figures."""


def compute_spans(collection: Collection) -> dict[str, Any]:
    """`Agreement` over all pairs of the collection, and `pairs`: the ids of those that are apart."""
    count, apart = AgreementCount(), []
    if has_spans(collection):
        for span in spans_of(collection, Pair.objects.filter(batch__collection=collection)):
            count.add(span.agreed)
            if span.agreed.status == "apart":
                apart.append(span.pair)
    return {**asdict(count.agreement()), "pairs": apart}


@dataclass(frozen=True, slots=True)
class SetSpan:
    """What a lead has set: `ruling` is its id, `bar` the span within the moment."""

    ruling: int
    bar: Bar
    by: str
    decided_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanApart(ShownPair):
    """A pair on whose span its annotators don't agree; `raw` says who marked what (no bar: the whole clip)."""

    raw: list[RawGrade]
    set_to: SetSpan | None


def spans_apart(collection: Collection, pairs: Sequence[int]) -> list[SpanApart]:
    """These pairs of the collection, in the order given. Four SQL queries."""
    given = Judgment.objects.filter(counted=True).select_related("annotator").order_by("pk")
    rows = (
        Pair.objects.filter(batch__collection=collection, pk__in=pairs)
        .select_related("batch__query", "candidate__moment__video", "candidate__moment__clip")
        .prefetch_related(Prefetch("judgments", given))
    )
    by_id = {pair.pk: pair for pair in rows}
    marked = marked_in([judgment.pk for pair in by_id.values() for judgment in pair.judgments.all()])
    rulings = standing_rulings(list(by_id.values()))
    shown = []
    for pair in (by_id[pk] for pk in pairs if pk in by_id):
        moment, ruling = pair.candidate.moment, rulings.get(pair.pk)
        own = Span(moment.start, moment.end)
        set_to = None
        if ruling is not None:
            bar = bar_of(Span(ruling.start, ruling.end), own)
            set_to = SetSpan(ruling.pk, bar, ruling.decided_by.worker, ruling.decided_at)
        shown.append(SpanApart.of(pair, raw=raw_grades(pair, own, marked), set_to=set_to))
    return shown
