"""Starts and ends that annotators mark: how far they agree, and the lead's own where they don't."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from annotation.models import Pair, SpanRuling
from annotation.precomputed import computed_or_ask
from annotation.review.pair_spans import has_spans
from annotation.review.span_figures import NAME, SpanApart, spans_apart
from annotation.review.span_rulings import set_span, withdraw_span
from api.frame.answers import From, Out
from api.frame.calls import Call, Scope, found_or_404
from api.frame.endpoints import Endpoints, Id, Start

endpoints = Endpoints("Review")
Seconds = Annotated[float, Field(ge=0, le=86_400)]
MOST = 200


class SpansOut(Out):
    """How far annotators agree on starts and ends."""

    marked: bool = Field(description="Whether the collection has them marked.")
    as_of: datetime | None = Field(description="Null: not counted yet.")
    whole: int
    agreed: int
    apart: int
    mean_iou: float | None
    pairs: list[SpanApart] = Field(description="200 of those that are apart, from `start` on.")


class NewSpan(BaseModel):
    """A pair's start and end, in seconds of the clip."""

    start: Seconds
    end: Seconds


class RulingOut(Out):
    """A start and end that a lead has set, in seconds of the video."""

    ruling: int = From("pk")
    pair: int = From("pair_id")
    start: float
    end: float
    decided_at: datetime
    withdrawn_at: datetime | None


@endpoints.read("/spans")
def get_spans(call: Call, start: Start = 0) -> SpansOut:
    """How many pairs' spans agree, their mean IoU, and the pairs that are apart."""
    here = call.collection
    result = computed_or_ask(collection=here, name=NAME, paged="pairs")
    value = result.value or {"whole": 0, "agreed": 0, "apart": 0, "mean_iou": None, "pairs": []}
    return SpansOut.of(
        result,
        marked=has_spans(here),
        **{name: value[name] for name in ("whole", "agreed", "apart", "mean_iou")},
        pairs=spans_apart(here, value["pairs"][start : start + MOST]),
    )


@endpoints.make("/pairs/{int:pair_id}/span", scope=Scope.REVIEW)
def set_a_span(call: Call, pair_id: Id, new: NewSpan) -> RulingOut:
    """Set start and end of a pair on which annotators don't agree. Judgments stay as they are."""
    found_or_404(Pair.objects.filter(pk=pair_id, batch__collection=call.collection).first())
    return RulingOut.of(set_span(member=call.member, pair_id=pair_id, start=new.start, end=new.end))


@endpoints.act("/span-rulings/{int:ruling_id}/withdraw", scope=Scope.REVIEW)
def withdraw_a_span(call: Call, ruling_id: Id) -> RulingOut:
    """Withdraw a start and end that a lead has set; it is kept."""
    rows = SpanRuling.objects.filter(pk=ruling_id, pair__batch__collection=call.collection)
    found_or_404(rows.first())
    return RulingOut.of(withdraw_span(member=call.member, ruling_id=ruling_id))
