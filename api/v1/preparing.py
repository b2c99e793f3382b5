"""From captions to open judging: queries, candidates, opening."""

from functools import partial
from typing import Any, Literal

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from pydantic import BaseModel, Field

from annotation.batches.opening_jobs import ask_for_opening
from annotation.judging.task_json import query_medium
from api.frame.answers import From, Out
from api.frame.calls import Call, Scope
from api.frame.endpoints import Endpoints, Id, Storable
from api.frame.lists import AskedPage, Page, page_of
from api.frame.problems import Problem
from api.v1.jobs import JobOut
from api.v1.judging import MediumOut
from api.v1.uploads import FileKey
from desk.opening.estimate import OpeningPlan, opening_plan
from foundation.infra.figure_cache import kept
from foundation.uploads.files import use_file
from queries.models import Query as DrawnQuery
from queries.pooling.draw_jobs import SHOW, ask_for_draw, groups_of
from queries.pooling.drawable import drawable, standing_draw, why_fixed
from queries.pooling.fetch_jobs import ask_for_candidates
from queries.pooling.query_columns import query_source_id
from queries.pooling.selectors import pool_size_kept, query_counts, searches_of
from queries.pooling.strata import BadStrata

endpoints = Endpoints("Preparing")


class QueryMediumOut(MediumOut):
    """A topic's picture, clip or sound."""

    alone: bool = Field(description="Instead of words: `text` is a label that annotators don't read.")


class QueryOut(Out):
    """A query of val or test."""

    query: int = From("pk")
    text: str
    split: str
    position: int
    source_id: str | None = Field(
        description="Its id in files: of the description that it came from, or a topic's own."
    )
    ranked: bool = Field(description="Whether candidates were fetched for it by a search.")
    medium: QueryMediumOut | None = Field(
        None, exclude_if=lambda medium: medium is None, description="Absent: words alone."
    )


class CandidateOut(Out):
    """A moment in a query's ranking. For leads: whoever judges is blind to it."""

    candidate: int = From("pk")
    moment: int = From("moment_id")
    rank: int
    similarity: float | None
    caption: str | None = From("caption_text", description="The text by which it was found.")


class DrawOut(Out):
    """The draw of queries: what could be drawn, and what stands."""

    captions: int = Field(description="Different ones that can be drawn.")
    in_studies: int = Field(description="Others, which a study has.")
    shows: dict[str, int]
    draw: dict[str, Any] | None = Field(description="val, test, seed, stratify, each_caption, drawn_at, training.")
    fixed: str = Field(description="Why it can't be replaced; empty: it can.")


class NewDraw(BaseModel):
    """How many queries to draw."""

    val: int = Field(ge=0, le=1_000_000)
    test: int = Field(ge=0, le=1_000_000)
    seed: int = Field(1, ge=0, le=2**62)
    by_show: bool = Field(False, description="Each show gets its share.")
    table: FileKey | Literal[""] = Field(
        "", description="The key of a CSV file that you sent: each group in `column` gets its share."
    )
    column: Storable = Field("", max_length=100, description="The table's column with the groups.")
    each_caption: bool = Field(False, description="Equal captions have a chance each, as in the paper.")
    redraw: bool = Field(False, description="Replace the draw that stands.")


class SearchOut(BaseModel):
    """An approximate search that found candidates, and its measured recall."""

    recall: float = Field(description="Of the exact search's moments, for a sample of the queries; 0 to 1.")
    least_recall: float = Field(description="What the collection's settings asked for.")
    depth: int = Field(description="Moments a query.")
    sample: int = Field(description="Queries that the recall was measured on.")
    encoder: str


class Pool(Out):
    """The candidate pool and the queries that have candidates."""

    captions: int = Field(description="That belong in the pool.")
    fetched: int = Field(description="That candidates were fetched with.")
    gone: int = Field(description="That candidates were fetched with and that aren't accepted any more.")
    drawn: int
    ranked: int
    approximate: list[SearchOut] = Field(
        description="The approximate searches that found candidates; empty: all are exact."
    )


def _queries(call: Call) -> QuerySet[DrawnQuery]:
    return call.collection.queries.select_related("medium").annotate(source_id=query_source_id())


def _query(query: DrawnQuery) -> QueryOut:
    medium = getattr(query, "medium", None)
    told = medium and {**query_medium(medium.shown_as)["medium"], "alone": medium.alone}
    return QueryOut.of(query, ranked=bool(query.ranked_by), medium=told)


@endpoints.read("/draw")
def get_draw(call: Call) -> DrawOut:
    """What could be drawn, and the draw that stands."""
    here = call.collection
    captions = kept("draw", here, drawable)
    return DrawOut.of(captions, draw=standing_draw(here), fixed=why_fixed(here))


@endpoints.make("/draw", scope=Scope.PREPARE, status=202, stores=True)
def draw_queries(call: Call, new: NewDraw) -> JobOut:
    """Have a worker draw queries. While one draws, that job is the answer; what can't be is the job's problem."""
    if new.each_caption and (new.by_show or new.table):
        raise Problem(422, "Found each_caption and groups, expected one of them.", field="body.each_caption")
    ask = partial(ask_for_draw, member=call.member, val=new.val, test=new.test, seed=new.seed, redraw=new.redraw)
    if not new.table:
        return JobOut.begun(ask(stratify=SHOW if new.by_show else "", each_caption=new.each_caption))
    if new.by_show:
        raise Problem(422, "Found by_show and a table, expected one of them.", field="body.table")
    with use_file(member=call.member, key=new.table) as upload:
        try:
            strata, named = groups_of(upload, new.column.strip())
        except BadStrata as bad:
            raise Problem(422, str(bad), field="body.table") from bad
        return JobOut.begun(ask(stratify=named, strata=strata))


@endpoints.read("/queries")
def list_queries(call: Call, asked: AskedPage, split: Literal["", "val", "test"] = "") -> Page[QueryOut]:
    """A collection's queries, of one split or both."""
    rows = _queries(call)
    return page_of(rows.filter(split=split) if split else rows, asked, _query)


@endpoints.read("/queries/{int:query_id}")
def get_query(call: Call, query_id: Id) -> QueryOut:
    """One query."""
    return _query(get_object_or_404(_queries(call), pk=query_id))


@endpoints.read("/queries/{int:query_id}/candidates")
def list_candidates(call: Call, asked: AskedPage, query_id: Id) -> Page[CandidateOut]:
    """A query's candidates."""
    query = get_object_or_404(call.collection.queries, pk=query_id)
    return page_of(query.candidates.all(), asked, CandidateOut.of)


@endpoints.read("/candidates")
def get_pool(call: Call) -> Pool:
    """The candidate pool: how large it is, and whether it has changed since candidates were fetched. In a large
    collection the number of captions that they were fetched with may be a minute old."""
    size, counts = pool_size_kept(call.collection), query_counts(call.collection)
    return Pool.of(
        size,
        drawn=counts.drawn,
        ranked=counts.ranked,
        approximate=searches_of(call.collection),
    )


@endpoints.make("/candidates/fetch", scope=Scope.PREPARE, status=202)
def fetch_the_candidates(call: Call) -> JobOut:
    """Have a worker fetch candidates. While one does, that job is the answer."""
    return JobOut.begun(ask_for_candidates(member=call.member))


@endpoints.read("/opening")
def get_opening(call: Call) -> OpeningPlan:
    """What would be opened for judging now, what that takes, and what is missing."""
    return opening_plan(call.collection)


@endpoints.make("/opening", scope=Scope.PREPARE, status=202)
def open_the_judging(call: Call) -> JobOut:
    """Have a worker open judging. While one does, that job is the answer."""
    return JobOut.begun(ask_for_opening(member=call.member))
