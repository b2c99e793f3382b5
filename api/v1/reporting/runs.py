"""A run of a leaderboard in detail: its file, its queries, one query beside the truth, whether it is shown to all."""

from typing import Annotated, Literal

from django.http import FileResponse, Http404
from django.shortcuts import get_object_or_404
from pydantic import BaseModel, Field

from api.frame.answers import From, Out
from api.frame.calls import Call, Scope, Who
from api.frame.endpoints import Endpoints, Id, Start
from api.frame.lists import MOST
from api.v1.boards import RunOut
from datasets.leaderboard.rights import may_manage, may_show, run_of
from datasets.leaderboard.selectors import ANSWER_ORDERS, Drawing, answers_of, draw_query, sort_measure
from datasets.models import Run, RunAnswer
from datasets.presentation.services import show_run
from datasets.releases.access import may_see_truth
from queries.runs.received_run import run_attached

endpoints = Endpoints("Releases")
HERE = "/runs/{int:run_id}"
Measure = Annotated[str, Field(max_length=60)]


class AnswerOut(Out):
    """What a run answered to a query."""

    answer: int = From("pk")
    query_id: str = From("query.query_id")
    query: str = From("query.text")
    value: float | None = Field(description="On the measure that is asked for.")
    moments: int = Field(description="Of the ground truth.")


class AnswersOut(BaseModel):
    """A run's queries."""

    measure: str
    total: int
    answers: list[AnswerOut] = Field(description="200 of them, from `start` on.")


class AnswerInFull(BaseModel):
    """A query's ground truth and predictions, and which matched."""

    query_id: str
    query: str
    values: dict[str, float | None] = Field(description="By measure.")
    drawing: Drawing


class Shown(BaseModel):
    """Whether a release's public page lists the run."""

    shown: bool


def _with_truth(call: Call, run_id: int) -> Run:
    run = run_of(call.member, run_id)
    if not may_see_truth(call.member, run.board):
        raise Http404("the truth is hidden")
    return run


@endpoints.read(f"{HERE}/file", who=Who.MEMBER, content="application/octet-stream")
def download_run_file(call: Call, run_id: Id) -> FileResponse:
    """A run's file as it was uploaded: for its uploader and leads."""
    run = run_of(call.member, run_id)
    return run_attached(run.stored_file if may_manage(call.member, run) else "", run.file_name)


@endpoints.read(f"{HERE}/queries", who=Who.MEMBER)
def list_run_queries(
    call: Call,
    run_id: Id,
    measure: Measure = "",
    order: Literal["worst", "best", "split"] = "worst",
    start: Start = 0,
) -> AnswersOut:
    """A scored run's queries with their values; not where the truth of test is hidden."""
    run = _with_truth(call, run_id)
    by = sort_measure(run.board, measure)
    if run.state != Run.State.SCORED:
        return AnswersOut(measure=by, total=0, answers=[])
    rows = answers_of(run, measure=by).order_by(*ANSWER_ORDERS[order].expressions())
    answers = [AnswerOut.of(answer, moments=len(answer.query.moments)) for answer in rows[start : start + MOST]]
    return AnswersOut(measure=by, total=rows.count(), answers=answers)


@endpoints.read(f"{HERE}/queries/{{int:answer_id}}", who=Who.MEMBER)
def get_run_query(call: Call, run_id: Id, answer_id: Id, iou: Literal["0.3", "0.5", "0.7"] = "0.5") -> AnswerInFull:
    """One query of a run: truth, predictions, and what matches at an IoU; not where the truth of test is hidden."""
    run = _with_truth(call, run_id)
    answer = get_object_or_404(RunAnswer.objects.select_related("query"), run=run, pk=answer_id)
    return AnswerInFull(
        query_id=answer.query.query_id,
        query=answer.query.text,
        values=dict(zip(run.board.measures, answer.values, strict=True)),
        drawing=draw_query(answer, call.collection, overlap=iou),
    )


@endpoints.act(f"{HERE}/show", scope=Scope.RELEASE, who=Who.MEMBER)
def show_a_run(call: Call, run_id: Id, new: Shown) -> RunOut:
    """Decide whether a release's public page lists a run: for its uploader, of a run by a command for leads."""
    run = run_of(call.member, run_id)
    if not may_show(call.member, run):
        raise Http404("no such run")
    show_run(run=run, shown=new.shown)
    run.refresh_from_db()
    return RunOut.of_job(run)
