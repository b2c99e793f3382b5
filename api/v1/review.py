"""Batches, their reviews, discarded pairs and their adjudications."""

from datetime import datetime
from typing import Literal

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from pydantic import BaseModel, Field

from annotation.models import Adjudication, Batch, Pair, Review
from annotation.review.adjudication import adjudicate_pair, withdraw_adjudication
from annotation.review.automatic_review import apply_policy
from annotation.review.decisions import postpone_review, resume_review, review_batch, take_back_review
from annotation.review.discarded_pairs import discarded_pairs, with_details
from annotation.review.selectors import (
    DecidedBatch,
    RawGrade,
    SpanShown,
    decided_batches,
    decision_of,
    decisions_of,
    review_sheet,
)
from api.frame.answers import From, Out
from api.frame.calls import Call, Scope
from api.frame.endpoints import Endpoints, Id, Start, Storable
from api.frame.lists import MOST, AskedPage, Page, page_of, page_of_all

endpoints = Endpoints("Review")
BatchState = Literal["", "first", "second", "decided", "extended", "finished"]


class BatchOut(Out):
    """Up to twenty candidates of a query that are judged together."""

    batch: int = From("pk")
    query: int = From("query_id")
    query_text: str = From("query.text")
    number: int = Field(description="1 has the best ranks.")
    status: str
    postponed: bool = Field(description="Put off: last in the lead's queue.")


class PairOut(BaseModel):
    """A candidate of a batch with what was judged."""

    pair: int
    rank: int
    similarity: float | None
    caption: str | None
    video: str
    start: float
    end: float
    grade: int | None = Field(description="By consensus; null: none (yet).")
    status: str
    raw: list[RawGrade]
    clip: str | None = Field(description="Its clip's public name.")
    span: SpanShown | None = Field(description="Of a graded pair, where starts and ends are marked.")


class Sheet(BatchOut):
    """A batch with everything that the lead needs to decide it."""

    narrative: str = Field(description="A topic's; else empty.")
    pairs: list[PairOut] = Field(description="In rank order.")
    mean: float | None = Field(description="Of the last five grades.")
    recommended: Literal["extend", "finish"] = Field(description="By the rule.")
    verdict: str = Field(description="The rule's words.")
    may_extend: bool
    version: int = Field(description="Grows with every change: send it as `seen` with a decision.")
    review: DecidedBatch | None = Field(description="Null while it waits.")


class NewReview(BaseModel):
    """A lead's decision about a batch."""

    decision: Literal["extend", "finish", "later"]
    seen: int | None = Field(None, description="The `version` that was looked at; another one is refused.")


class Applied(BaseModel):
    """What the batch review policy has decided."""

    extended: int
    finished: int


class NewAdjudication(BaseModel):
    """The lead's own grade of a discarded pair."""

    grade: int = Field(ge=0, le=100)
    reason: Storable = Field(min_length=1, max_length=2000)


class AdjudicationOut(Out):
    """An adjudication."""

    adjudication: int = From("pk")
    grade: int
    reason: str
    decided_at: datetime
    withdrawn_at: datetime | None


class DiscardedPairOut(Out):
    """A pair on which judgments differ too much."""

    pair: int
    batch: int
    query: str
    split: str
    rank: int
    similarity: float | None
    caption: str | None
    video: str
    start: float
    end: float
    clip: str | None = Field(description="Its clip's public name.")
    raw: list[RawGrade]
    standing: AdjudicationOut | None
    former: list[AdjudicationOut] = Field(description="Withdrawn, the newest first.")


def _batches(call: Call) -> QuerySet[Batch]:
    rows = Batch.objects.filter(collection=call.collection)
    return rows.select_related("query__collection", "review__decided_by")


def _batch(batch: Batch) -> BatchOut:
    return BatchOut.of(batch, postponed=batch.postponed_at is not None)


def _sheet(call: Call, batch_id: int) -> Sheet:
    batch = get_object_or_404(_batches(call), pk=batch_id)
    shown = review_sheet(batch)
    return Sheet.of(
        _batch(batch),
        narrative=batch.query.narrative,
        pairs=shown.pairs,
        mean=shown.recommendation.mean,
        recommended="extend" if shown.recommendation.extend else "finish",
        verdict=str(shown.recommendation.in_words()),
        may_extend=shown.may_extend,
        version=shown.version,
        review=decision_of(batch),
    )


@endpoints.read("/batches", of_studies=True)
def list_batches(call: Call, asked: AskedPage, status: BatchState = "") -> Page[BatchOut]:
    """A collection's batches, of one status or all; `decided` ones wait for the lead."""
    rows = _batches(call)
    return page_of(rows.filter(status=status) if status else rows, asked, _batch)


@endpoints.read("/batches/{int:batch_id}", of_studies=True)
def get_batch(call: Call, batch_id: Id) -> Sheet:
    """A batch with its pairs, their grades, and what the rule recommends."""
    return _sheet(call, batch_id)


@endpoints.act("/batches/{int:batch_id}/review", scope=Scope.REVIEW)
def review_a_batch(call: Call, batch_id: Id, new: NewReview) -> Sheet:
    """Extend a decided batch, finish it, or put it off. The same decision again changes nothing."""
    get_object_or_404(_batches(call), pk=batch_id)
    if new.decision == "later":
        postpone_review(member=call.member, batch_id=batch_id)
    else:
        review_batch(member=call.member, batch_id=batch_id, decision=new.decision, seen=new.seen)
    return _sheet(call, batch_id)


@endpoints.act("/batches/{int:batch_id}/resume", scope=Scope.REVIEW)
def resume_a_batch(call: Call, batch_id: Id) -> Sheet:
    """Give a batch that was put off its place in the queue back."""
    get_object_or_404(_batches(call), pk=batch_id)
    resume_review(member=call.member, batch_id=batch_id)
    return _sheet(call, batch_id)


@endpoints.read("/reviews")
def list_reviews(
    call: Call, kind: Literal["", "automatic", "lead", "taken-back"] = "", start: Start = 0
) -> list[DecidedBatch]:
    """Decisions about batches, the newest 200 from `start` on."""
    reviews, order = decisions_of(call.collection, kind)
    return decided_batches(reviews.order_by(*order.expressions())[start : start + MOST])


@endpoints.act("/batches/{int:batch_id}/reviews/{int:review_id}/take-back", scope=Scope.REVIEW)
def take_back_a_review(call: Call, batch_id: Id, review_id: Id) -> Sheet:
    """Take a decision back: the batch waits for the lead again."""
    batch = get_object_or_404(_batches(call), pk=batch_id)
    if not Review.objects.filter(batch=batch, pk=review_id).exists():
        get_object_or_404(batch.former_reviews, review=review_id)
    take_back_review(member=call.member, batch_id=batch_id, review_id=review_id)
    return _sheet(call, batch_id)


@endpoints.act("/reviews/apply-policy", scope=Scope.REVIEW)
def apply_review_policy(call: Call) -> Applied:
    """Decide the waiting batches that are clear by the batch review policy of the settings."""
    done = apply_policy(collection=call.collection)
    return Applied(extended=done.extended, finished=done.finished)


@endpoints.read("/discarded-pairs")
def list_discarded_pairs(
    call: Call, asked: AskedPage, kind: Literal["", "open", "adjudicated"] = ""
) -> Page[DiscardedPairOut]:
    """Pairs on which judgments differ too much, with what the lead decided about them."""
    return page_of_all(discarded_pairs(call.collection, kind=kind), asked, _detailed)


def _detailed(pairs: list[Pair]) -> list[DiscardedPairOut]:
    return [DiscardedPairOut.of(pair) for pair in with_details(pairs)]


@endpoints.make("/discarded-pairs/{int:pair_id}/adjudications", scope=Scope.REVIEW)
def adjudicate_a_pair(call: Call, pair_id: Id, new: NewAdjudication) -> AdjudicationOut:
    """Grade a discarded pair, with the reason; it counts only in releases that say so."""
    get_object_or_404(Pair, pk=pair_id, batch__collection=call.collection)
    adjudication = adjudicate_pair(member=call.member, pair_id=pair_id, grade=new.grade, reason=new.reason)
    return AdjudicationOut.of(adjudication)


@endpoints.act("/adjudications/{int:adjudication_id}/withdraw", scope=Scope.REVIEW)
def withdraw_an_adjudication(call: Call, adjudication_id: Id) -> AdjudicationOut:
    """Withdraw an adjudication; it is kept."""
    rows = Adjudication.objects.filter(pair__batch__collection=call.collection)
    get_object_or_404(rows, pk=adjudication_id)
    return AdjudicationOut.of(withdraw_adjudication(member=call.member, adjudication_id=adjudication_id))
