"""From captions to open judging: rewriting, captions and their decisions, queries, candidates, opening."""

from datetime import datetime
from typing import Annotated, Any, Literal

from ninja import Query
from pydantic import BaseModel, Field

from annotation.batches.opening_jobs import ask_for_opening
from api.frame.calls import Call, Scope, found_or_404
from api.frame.endpoints import Endpoints, Id, Text
from api.frame.lists import Asked, Page, page_of
from api.v1.jobs import JobOut, begun
from corpus.infra.figure_cache import kept
from desk.opening.estimate import OpeningPlan, opening_plan
from queries.models import Candidate, Caption
from queries.models import Query as DrawnQuery
from queries.pooling.draw_jobs import SHOW, ask_for_draw
from queries.pooling.drawable import drawable, standing_draw, why_fixed
from queries.pooling.fetch_jobs import ask_for_candidates
from queries.pooling.query_facts import query_source_id
from queries.pooling.selectors import pool_size, query_counts
from queries.review.bulk import accept_bulk
from queries.review.decisions import NothingToTakeBack, NotInReview, decide_caption, take_back
from queries.rewriting.amounts_typed import BadAmount
from queries.rewriting.jobs import JobRuns
from queries.rewriting.rewriters.interface import RewriterError
from queries.rewriting.start import start_rewriting

endpoints = Endpoints("Preparing")
HERE = "/collections/{slug:name}"


class Checks(BaseModel):
    """What the checks said of a caption's text."""

    similarity: Annotated[float | None, Field(description="Cosine to the description.")]
    similarity_passed: bool
    names: Annotated[list[str], Field(description="Names of persons that were found.")]
    names_passed: bool
    kept_ratio: Annotated[float | None, Field(description="Share of the words that were kept.")]
    kept_passed: bool
    persons_passed: bool


class CaptionOut(BaseModel):
    """A description's imprecise form."""

    caption: int
    description: int
    text: str
    status: Annotated[str, Field(description="accepted, review or refused.")]
    decided_by: Annotated[str | None, Field(description="A worker id; null: by the checks alone, or not yet.")]
    decided_at: datetime | None
    reason: str
    rewriter: Annotated[str, Field(description="openai, rules, or person for an edit.")]
    checks: Checks


class CaptionDecision(BaseModel):
    """What a person decides about a caption in review."""

    decision: Literal["accept", "refuse"]
    reason: Annotated[Text, Field(max_length=500)] = ""


class AcceptMany(BaseModel):
    """Which captions in review are accepted at once."""

    similarity: Annotated[float, Field(ge=0, le=1, description="At least so similar to their descriptions.")]
    failing_too: Annotated[bool, Field(description="Also those that fail another check.")] = False


class Accepted(BaseModel):
    """How many were accepted."""

    accepted: int


class NewRewriting(BaseModel):
    """How captions are to be written."""

    rewriter: Literal["rules", "llm"]
    limit: Annotated[
        str, Field(pattern="^[0-9.,]{0,12}$", description="What it may cost; empty: the limit of the settings.")
    ] = ""


class QueryOut(BaseModel):
    """A query of val or test."""

    query: int
    text: str
    split: str
    position: int
    source_id: Annotated[
        str | None, Field(description="Its id in files: of the description that it came from, or a topic's own.")
    ]
    ranked: Annotated[bool, Field(description="Whether candidates were fetched for it by a search.")]


class CandidateOut(BaseModel):
    """A moment in a query's ranking. For leads: whoever judges is blind to it."""

    candidate: int
    moment: int
    rank: int
    similarity: float | None
    caption: Annotated[str | None, Field(description="The text by which it was found.")]


class DrawOut(BaseModel):
    """The draw of queries: what could be drawn, and what stands."""

    captions: Annotated[int, Field(description="Different ones that can be drawn.")]
    shows: dict[str, int]
    draw: Annotated[dict[str, Any] | None, Field(description="val, test, seed, stratify, drawn_at, training.")]
    fixed: Annotated[str, Field(description="Why it can't be replaced; empty: it can.")]


class NewDraw(BaseModel):
    """How many queries to draw."""

    val: Annotated[int, Field(ge=0, le=1_000_000)]
    test: Annotated[int, Field(ge=0, le=1_000_000)]
    seed: Annotated[int, Field(ge=0, le=2**62)] = 1
    by_show: Annotated[bool, Field(description="Each show gets its share.")] = False
    redraw: Annotated[bool, Field(description="Replace the draw that stands.")] = False


class Pool(BaseModel):
    """The candidate pool and the queries that have candidates."""

    captions: Annotated[int, Field(description="That belong in the pool.")]
    fetched: Annotated[int, Field(description="That candidates were fetched with.")]
    gone: Annotated[int, Field(description="That candidates were fetched with and that aren't accepted any more.")]
    drawn: int
    ranked: int


def _caption(one: Caption) -> CaptionOut:
    made = one.attempt
    return CaptionOut(
        caption=one.pk,
        description=one.description_id,
        text=one.text,
        status=one.status,
        decided_by=one.decided_by.worker if one.decided_by else None,
        decided_at=one.decided_at,
        reason=one.reason,
        rewriter=made.rewriter,
        checks=Checks.model_validate(made, from_attributes=True),
    )


def _captions(call: Call) -> Any:
    return Caption.objects.filter(description__collection=call.member.collection).select_related(
        "attempt", "decided_by"
    )


def _query(one: DrawnQuery) -> QueryOut:
    return QueryOut(
        query=one.pk,
        text=one.text,
        split=one.split,
        position=one.position,
        source_id=one.source,  # type: ignore[attr-defined]
        ranked=bool(one.ranked_by),
    )


def _candidate(one: Candidate) -> CandidateOut:
    return CandidateOut(
        candidate=one.pk,
        moment=one.moment_id,
        rank=one.rank,
        similarity=one.similarity,
        caption=one.caption_text,
    )


@endpoints.make(
    f"{HERE}/rewriting", JobOut, scope=Scope.PREPARE, status=202, refuses=(JobRuns, BadAmount, RewriterError)
)
def rewrite_captions(call: Call, new: NewRewriting) -> JobOut:
    """Have a worker write captions, by rules or by the LLM of the settings; a job that was stopped goes on."""
    return begun(start_rewriting(member=call.member, rewriter=new.rewriter, limit=new.limit))


@endpoints.read(f"{HERE}/captions", Page[CaptionOut])
def list_captions(
    call: Call, asked: Query[Asked], status: Literal["", "accepted", "review", "refused"] = ""
) -> Page[CaptionOut]:
    """A collection's captions, of one status or all."""
    rows = _captions(call)
    return page_of(rows.filter(status=status) if status else rows, asked, _caption)


@endpoints.read(f"{HERE}/captions/{{int:caption_id}}", CaptionOut)
def get_caption(call: Call, caption_id: Id) -> CaptionOut:
    """One caption."""
    return _caption(found_or_404(_captions(call).filter(pk=caption_id).first()))


@endpoints.act(f"{HERE}/captions/{{int:caption_id}}/decide", CaptionOut, scope=Scope.REVIEW, refuses=(NotInReview,))
def decide_a_caption(call: Call, caption_id: Id, new: CaptionDecision) -> CaptionOut:
    """Accept or refuse a caption in review. The same decision again changes nothing."""
    found_or_404(_captions(call).filter(pk=caption_id).first())
    decide_caption(caption_id=caption_id, member=call.member, accept=new.decision == "accept", reason=new.reason)
    return _caption(_captions(call).get(pk=caption_id))


@endpoints.act(f"{HERE}/captions/accept-many", Accepted, scope=Scope.REVIEW)
def accept_captions(call: Call, new: AcceptMany) -> Accepted:
    """Accept all captions in review from a similarity on; each is a decision of its own."""
    return Accepted(accepted=accept_bulk(member=call.member, similarity=new.similarity, failing_too=new.failing_too))


@endpoints.act(f"{HERE}/captions/undo", CaptionOut, scope=Scope.REVIEW, refuses=(NothingToTakeBack,))
def take_back_caption_decision(call: Call) -> CaptionOut:
    """Take back your own last decision about a caption: it waits for review again."""
    return _caption(_captions(call).get(pk=take_back(member=call.member).pk))


@endpoints.read(f"{HERE}/draw", DrawOut)
def get_draw(call: Call) -> DrawOut:
    """What could be drawn, and the draw that stands."""
    here = call.member.collection
    found = kept("draw", here, drawable)
    return DrawOut(captions=found.captions, shows=found.shows, draw=standing_draw(here), fixed=why_fixed(here))


@endpoints.make(f"{HERE}/draw", JobOut, scope=Scope.PREPARE, status=202)
def draw_queries(call: Call, new: NewDraw) -> JobOut:
    """Have a worker draw queries. While one draws, that job is the answer; what can't be is the job's problem."""
    return begun(
        ask_for_draw(
            member=call.member,
            val=new.val,
            test=new.test,
            seed=new.seed,
            stratify=SHOW if new.by_show else "",
            redraw=new.redraw,
        )
    )


@endpoints.read(f"{HERE}/queries", Page[QueryOut])
def list_queries(call: Call, asked: Query[Asked], split: Literal["", "val", "test"] = "") -> Page[QueryOut]:
    """A collection's queries, of one split or both."""
    rows = call.member.collection.queries.annotate(source=query_source_id())
    return page_of(rows.filter(split=split) if split else rows, asked, _query)


@endpoints.read(f"{HERE}/queries/{{int:query_id}}", QueryOut)
def get_query(call: Call, query_id: Id) -> QueryOut:
    """One query."""
    rows = call.member.collection.queries.annotate(source=query_source_id())
    return _query(found_or_404(rows.filter(pk=query_id).first()))


@endpoints.read(f"{HERE}/queries/{{int:query_id}}/candidates", Page[CandidateOut])
def list_candidates(call: Call, asked: Query[Asked], query_id: Id) -> Page[CandidateOut]:
    """A query's candidates."""
    found = found_or_404(call.member.collection.queries.filter(pk=query_id).first())
    return page_of(found.candidates.all(), asked, _candidate)


@endpoints.read(f"{HERE}/candidates", Pool)
def get_pool(call: Call) -> Pool:
    """The candidate pool: how large it is, and whether it has changed since candidates were fetched."""
    size, counts = pool_size(call.member.collection), query_counts(call.member.collection)
    return Pool(captions=size.captions, fetched=size.fetched, gone=size.gone, drawn=counts.drawn, ranked=counts.ranked)


@endpoints.make(f"{HERE}/candidates/fetch", JobOut, scope=Scope.PREPARE, status=202)
def fetch_the_candidates(call: Call) -> JobOut:
    """Have a worker fetch candidates. While one does, that job is the answer."""
    return begun(ask_for_candidates(member=call.member))


@endpoints.read(f"{HERE}/opening", OpeningPlan)
def get_opening(call: Call) -> OpeningPlan:
    """What would be opened for judging now, what that takes, and what is missing."""
    return opening_plan(call.member.collection)


@endpoints.make(f"{HERE}/opening", JobOut, scope=Scope.PREPARE, status=202)
def open_the_judging(call: Call) -> JobOut:
    """Have a worker open judging. While one does, that job is the answer."""
    return begun(ask_for_opening(member=call.member))
