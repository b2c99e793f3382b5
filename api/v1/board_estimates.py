"""Boards that are estimated with a machine judge's help; no ground truth."""

from typing import Annotated, Any

from django.shortcuts import get_object_or_404
from pydantic import BaseModel, Field

from annotation.models import MachineJudge
from api.frame.answers import From
from api.frame.calls import Call, Scope, found_or_404
from api.frame.endpoints import Endpoints, Id, Storable
from api.frame.lists import AskedPage, Page, page_of
from api.v1.boards import Split
from api.v1.jobs import JobOut
from datasets.guarantees.estimate import LONGEST_FAMILY, ask_for_estimate, estimates_of
from datasets.leaderboard.rights import split_of

endpoints = Endpoints("Releases")
HERE = "/releases/{int:release_id}/boards/{slug:split}/estimates"
Name = Annotated[Storable, Field(max_length=200)]
Family = Annotated[Storable, Field(max_length=LONGEST_FAMILY)]


class NewEstimate(BaseModel):
    """By whose help to estimate."""

    judge: int = Field(ge=1, le=2**63 - 1, description="A machine judge's id.")
    families: dict[Name, Family] = Field(
        {}, max_length=1_000, description="Run -> its family, in place of what the run declares."
    )


class EstimateOut(JobOut):
    """A board that is estimated with a machine's help: how far that is. It is no ground truth."""

    estimate: int = From("pk")
    release: int = From("release_id")
    split: str
    judge: str = From("judge.name", description="Its name.")
    families: dict[str, str] = Field(description='Run -> its family; "": none is declared.')
    problem: str


class EstimateWithResult(EstimateOut):
    """The same with what was found."""

    result: dict[str, Any] | None = Field(
        description="Null before it is done. boards: measure -> runs and differences with their intervals, "
        "in_words, rest (more queries that people have to judge), family (Kendall's tau with and without the "
        "judge's). sample: how the judged queries were chosen. left_out: runs that answer those alone."
    )


@endpoints.make(HERE, scope=Scope.RELEASE, status=202)
def estimate_a_board(call: Call, release_id: Id, split: Split, new: NewEstimate) -> EstimateOut:
    """Have a worker estimate a split's scores with a machine judge's help. 409 while another estimate is under way."""
    release = split_of(call.member, release_id, split)
    judge = found_or_404(MachineJudge.objects.filter(collection=call.collection, pk=new.judge).first())
    job = ask_for_estimate(release=release, split=split, judge=judge, families=new.families)
    return EstimateOut.begun(job)


@endpoints.read(HERE)
def list_board_estimates(call: Call, release_id: Id, split: Split, asked: AskedPage) -> Page[EstimateOut]:
    """Estimates of a split, the newest first, without their results."""
    release = split_of(call.member, release_id, split)
    rows = estimates_of(call.collection).filter(release=release, split=split)
    return page_of(rows, asked, EstimateOut.of_job, newest_first=True)


@endpoints.read("/estimates/{int:estimate_id}")
def get_board_estimate(call: Call, estimate_id: Id) -> EstimateWithResult:
    """An estimate: how far it is, or what it found."""
    job = get_object_or_404(estimates_of(call.collection).defer(None), pk=estimate_id)
    return EstimateWithResult.of_job(job)
