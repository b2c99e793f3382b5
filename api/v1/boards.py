"""Leaderboards of released splits, and their runs."""

from datetime import datetime
from typing import Annotated, Literal

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from pydantic import BaseModel, Field

from api.frame.answers import From
from api.frame.calls import Call, Scope, Who
from api.frame.endpoints import STORABLE, Endpoints, Id, Text
from api.frame.lists import AskedPage, Page, page_of
from api.v1.jobs import JobOut, begin
from api.v1.uploads import FileKey, IndicesKey, file_or_none, file_or_text
from datasets.leaderboard.rights import may_manage, split_of
from datasets.leaderboard.runs import add_run, open_board
from datasets.leaderboard.scoring import withdraw_run
from datasets.leaderboard.selectors import BoardRow, board_rows, sort_measure
from datasets.models import Board, Run
from datasets.releases.access import sharing_of

endpoints = Endpoints("Releases")
Split = Literal["val", "test"]


class BoardOut(BaseModel):
    """The leaderboard of a released split."""

    release: int
    split: str
    measures: list[str]
    sort: str = Field(description="The measure by which the rows are sorted, best first.")
    truth_hidden: bool
    rows: list[BoardRow]


class NewRun(BaseModel):
    """A system's run to be scored: its file as text, or sent before."""

    name: str = Field(pattern="^[^\\x00-\\x1f/\\\\]{1,80}$", examples=["xml, features v2"])
    content: Text = Field("", description="The run's JSON or JSON Lines, as in docs/evaluation.md.")
    file: FileKey | Literal[""] = Field("", description="In its place the key of a file that you sent.")
    manifest: FileKey | Literal[""] = Field("", description="The key of a file that you sent: what made the run.")
    videos: IndicesKey = ""
    family: str = Field(
        "",
        max_length=100,
        pattern=STORABLE,
        description="What it shares with machine judges that might favour it, e.g. CLIP; kept in its manifest.",
    )
    same_name: Literal["", "replace", "version"] = Field("", description="What to do where another run has the name.")


class RunOut(JobOut):
    """A run on a leaderboard."""

    run: int = From("pk")
    release: int = From("board.release_id")
    split: str = From("board.split")
    worker: str | None = From("member.worker", description="Who uploaded it; null: a command.")
    version: int
    sha256: str
    problem: str = Field(description="Why it isn't scored.")
    values: dict[str, float | None] = Field(description="By measure.")
    unanswered: int = Field(description="Queries without predictions; they count 0.")
    unknown: int = Field(description="Its rows that the ground truth doesn't know.")
    withdrawn_at: datetime | None


@endpoints.read("/releases/{int:release_id}/boards/{slug:split}", who=Who.MEMBER)
def get_board(call: Call, release_id: Id, split: Split, sort: Annotated[str, Field(max_length=60)] = "") -> BoardOut:
    """The leaderboard of a released split: for members with whom the release is shared."""
    release = split_of(call.member, release_id, split)
    existing = Board.objects.filter(release=release, split=split).first()
    board = existing or Board(release=release, split=split, measures=[])
    measure = sort_measure(board, sort)
    return BoardOut(
        release=release.pk,
        split=split,
        measures=board.measures,
        sort=measure,
        truth_hidden=sharing_of(release).hide_test and split == "test",
        rows=board_rows(board, sort=measure) if existing else [],
    )


@endpoints.make(
    "/releases/{int:release_id}/boards/{slug:split}/runs",
    scope=Scope.RELEASE,
    who=Who.MEMBER,
    status=202,
    stores=True,
)
def submit_run(call: Call, release_id: Id, split: Split, new: NewRun) -> RunOut:
    """Have a worker score a run."""
    release = split_of(call.member, release_id, split)
    with (
        file_or_text(call, file=new.file, content=new.content, name=f"{new.name}.jsonl") as file,
        file_or_none(call, new.manifest) as manifest,
        file_or_none(call, new.videos) as videos,
    ):
        run = add_run(
            board=open_board(release=release, split=split),
            member=call.member,
            file=file,
            file_name=file.name or "run",
            manifest=manifest,
            videos=videos,
            name=new.name,
            same_name=new.same_name,
            family=new.family,
        )
    if not run.finished:
        begin(run)
    return RunOut.of_job(_runs(call).get(pk=run.pk))


def _runs(call: Call) -> QuerySet[Run]:
    rows = Run.objects.filter(board__release__collection=call.collection)
    return rows.select_related("board__release__collection", "member")


@endpoints.read("/runs", who=Who.MEMBER)
def list_runs(call: Call, asked: AskedPage) -> Page[RunOut]:
    """Runs, the newest first: to leads all, to others their own."""
    rows = _runs(call)
    return page_of(
        rows if call.member.leads else rows.filter(member=call.member), asked, RunOut.of_job, newest_first=True
    )


@endpoints.read("/runs/{int:run_id}", who=Who.MEMBER)
def get_run(call: Call, run_id: Id) -> RunOut:
    """A run: how far its scoring is, or its values. For its uploader and leads."""
    return RunOut.of_job(_own(call, run_id))


def _own(call: Call, run_id: int) -> Run:
    run = get_object_or_404(_runs(call), pk=run_id)
    if not may_manage(call.member, run):
        raise Http404("no such run")
    return run


@endpoints.act("/runs/{int:run_id}/withdraw", scope=Scope.RELEASE, who=Who.MEMBER)
def withdraw_a_run(call: Call, run_id: Id) -> RunOut:
    """Take a run from its board; its file and values stay. For its uploader and leads."""
    run = _own(call, run_id)
    withdraw_run(run=run)
    return RunOut.of_job(_own(call, run_id))
