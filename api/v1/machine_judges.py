"""Machine judges: declared, their grades sent, read and counted, retired."""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Annotated, Any, Literal
from uuid import UUID

from django.shortcuts import get_object_or_404
from pydantic import BaseModel, Field

from annotation.machine_judges.brought import bring_rows
from annotation.machine_judges.jobs import keep_grades
from annotation.machine_judges.judges import AT_ONCE, declare_judge, retire_judge
from annotation.machine_judges.selectors import (
    clip_address,
    decided_judgments,
    grade_counts,
    judges_of,
    pair_name,
    to_judge,
)
from annotation.machine_judges.server.judging import begin_judging, declare_server_judge
from annotation.machine_judges.server.pairs import TRIAL
from annotation.machine_judges.server.pairs import Scope as PairsScope
from annotation.models import MachineJudge
from api.frame.answers import From, Out
from api.frame.calls import Call, Scope
from api.frame.endpoints import Endpoints, Id, Storable
from api.frame.lists import AskedPage, Page, page_of
from api.v1.jobs import JobOut
from api.v1.uploads import FileKey
from foundation.uploads.files import use_file
from queries.models import Candidate

endpoints = Endpoints("Machine judges")
HERE = "/machine-judges"
ONE = f"{HERE}/{{int:judge_id}}"
MOST = AT_ONCE // 2
"""Grades of one request."""
Small = Annotated[int, Field(ge=1, le=32_767)]


class NewJudge(BaseModel):
    """A judge whose grades are made elsewhere, or a model on the collection's LLM server. What it is never changes."""

    kind: Literal["file", "server"] = Field(
        "file", description="A model on a server is asked here; it is given the newest prompt and guideline."
    )
    name: Storable = Field(max_length=60, examples=["clipper"])
    model: Storable = Field(max_length=200, description="As its maker calls it.", examples=["ViT-L/14"])
    family: Storable = Field(
        max_length=100, description="What it shares with systems that are scored.", examples=["CLIP"]
    )
    version: Storable = Field("", max_length=200, description="A version, or a digest of its weights.")
    prompt_version: Storable = Field("", max_length=60)
    guideline: Small | None = Field(None, description="The version of the guideline that it was given.")
    frames: Small | None = Field(None, description="Pictures of each clip that it sees.")
    parameters: dict[str, Any] = Field({}, description="All else that its grades follow from.")


class JudgeOut(Out):
    """A declared judge."""

    judge: int = From("pk")
    name: str
    kind: str = Field(description="server, file or similarity.")
    model: str
    version: str
    family: str
    prompt_version: str
    guideline: int | None
    frames: int | None
    parameters: dict[str, Any]
    declared_at: datetime
    by: str | None = From("member.worker", description="A worker id; null: a command.")
    retired_at: datetime | None = Field(description="It judges no more; its grades are used no more.")
    said: int = Field(description="Of how many pairs it says something.")


class GradeCount(BaseModel):
    """How many pairs got a grade."""

    grade: int
    pairs: int


class JudgeWithCounts(JudgeOut):
    """A declared judge, and what it said, counted."""

    grades: list[GradeCount]
    abstained: dict[str, int] = Field(description="How often, by reason.")
    without: int = Field(description="Pairs of which it says nothing.")


class SaidOfPair(BaseModel):
    """What a judge says of a pair: a grade, a distribution, or that it abstains."""

    pair_id: Storable = Field(max_length=64, description="As in the pairs to judge, or as in releases.")
    grade: int | None = None
    distribution: list[float] | None = Field(
        None, description="Probability of each grade from 0 to the top; its most probable one is the grade."
    )
    abstained: Literal["", "refused", "nonsense", "low mass", "no clip", "other"] = ""


class SentGrades(BaseModel):
    """Grades of a judge: all are stored, or none."""

    grades: list[SaidOfPair] = Field(max_length=MOST)


class Brought(Out):
    """What came of grades that were sent, in pairs."""

    added: int
    abstained: int = Field(description="Of those added.")
    unchanged: int = Field(description="The judge had said the same of them before.")
    without: int = Field(description="Of which the judge says nothing yet.")


class NewJudging(BaseModel):
    """A file of grades."""

    file: FileKey


class NewAsking(BaseModel):
    """Of which pairs a model on a server is asked, and what that may cost."""

    split: Literal["", "val", "test"] = Field("", description="Their queries alone; empty: all.")
    ranks: Small | None = Field(None, description="The first pairs of each query alone.")
    trial: bool = Field(False, description="Five pairs spread over these alone.")
    limit: Decimal | None = Field(None, description="Null: that of the LLM settings.")
    price_in: Decimal | None = Field(None, description="Of a million tokens sent; null: as in the settings.")
    price_out: Decimal | None = Field(None, description="Of a million tokens answered.")


class PairToJudge(Out):
    """A pair of which a judge says nothing, and what it may know of it."""

    pair_id: str
    query: str = From("query.text")
    narrative: str = From("query.narrative", description="Of a topic: what counts as relevant.")
    video_name: str = From("moment.video.name")
    start: float = From("moment.start", description="Seconds.")
    end: float = From("moment.end", description="Seconds.")
    clip: str | None = Field(description="Its clip's address; null: it has none.")


class GradeOut(Out):
    """A judge's grade of a pair that people have decided."""

    pair: UUID
    grade: int | None = Field(description="Null: it abstained.")
    distribution: list[float] | None
    abstained: str
    people: int | None = Field(description="The consensus; null: people discarded the pair.")


def _judge(call: Call, judge_id: int) -> MachineJudge:
    return get_object_or_404(judges_of(call.collection), pk=judge_id)


def _with_counts(judge: MachineJudge) -> JudgeWithCounts:
    counts = grade_counts(judge)
    return JudgeWithCounts.of(
        judge,
        grades=[GradeCount(grade=grade, pairs=number) for grade, _, number in counts.grades],
        abstained={why: number for why, _, number in counts.abstained},
        without=counts.without,
    )


def _pair(candidate: Candidate) -> PairToJudge:
    return PairToJudge.of(candidate, pair_id=pair_name(candidate), clip=clip_address(candidate))


@endpoints.make(HERE, scope=Scope.PREPARE)
def declare_a_machine_judge(call: Call, new: NewJudge) -> JudgeOut:
    """Declare a judge whose grades are made elsewhere, or a model on a server. The same again is that judge; another of
    its name is refused."""
    declare = declare_server_judge if new.kind == "server" else partial(declare_judge, kind=MachineJudge.Kind.FILE)
    judge = declare(collection=call.collection, member=call.member, **new.model_dump(exclude={"kind"}))
    return JudgeOut.of(_judge(call, judge.pk))


@endpoints.read(HERE)
def list_machine_judges(call: Call, asked: AskedPage) -> Page[JudgeOut]:
    """A collection's judges, retired ones too, the newest first."""
    return page_of(judges_of(call.collection), asked, JudgeOut.of, newest_first=True)


@endpoints.read(ONE)
def get_machine_judge(call: Call, judge_id: Id) -> JudgeWithCounts:
    """One judge, with counts of what it said."""
    return _with_counts(_judge(call, judge_id))


@endpoints.act(f"{ONE}/retire", scope=Scope.PREPARE)
def retire_a_machine_judge(call: Call, judge_id: Id) -> JudgeOut:
    """Have a judge judge no more, for good. Its grades are kept."""
    judge = _judge(call, judge_id)
    retire_judge(judge=judge, by=call.member)
    return JudgeOut.of(judge)


@endpoints.read(f"{ONE}/pairs")
def list_pairs_to_judge(call: Call, asked: AskedPage, judge_id: Id) -> Page[PairToJudge]:
    """The pairs of which a judge says nothing, opened for people or not, with nobody's grade."""
    return page_of(to_judge(_judge(call, judge_id)), asked, _pair)


@endpoints.act(f"{ONE}/grades", scope=Scope.PREPARE)
def send_machine_grades(call: Call, judge_id: Id, sent: SentGrades) -> Brought:
    """Store grades of a judge, up to 1,000: all of them or none. What it said before stays: the same again changes
    nothing, anything else is refused."""
    rows: Iterable[dict[str, Any]] = (row.model_dump() for row in sent.grades)
    return Brought.of(bring_rows(judge=_judge(call, judge_id), rows=list(rows)))


@endpoints.read(f"{ONE}/grades")
def list_machine_grades(call: Call, asked: AskedPage, judge_id: Id) -> Page[GradeOut]:
    """A judge's grades of pairs that people have decided, beside theirs. Of other pairs none is told to anybody."""
    return page_of(decided_judgments(_judge(call, judge_id)), asked, GradeOut.of)


@endpoints.make(f"{ONE}/asks", scope=Scope.PREPARE, status=202)
def ask_a_machine_judge(call: Call, judge_id: Id, new: NewAsking) -> JobOut:
    """Have a worker ask the server of a judge about pairs of which it says nothing. What was answered is never paid
    again. 409 while another job of the judge is under way."""
    typed = {name: f"{value:f}" for name, value in new if isinstance(value, Decimal)}
    scope = PairsScope(new.split, new.ranks or 0, TRIAL if new.trial else 0)
    return JobOut.begun(begin_judging(judge=_judge(call, judge_id), member=call.member, scope=scope, typed=typed))


@endpoints.make(f"{ONE}/judgings", scope=Scope.PREPARE, status=202, stores=True)
def send_a_file_of_machine_grades(call: Call, judge_id: Id, new: NewJudging) -> JobOut:
    """Have a worker store a file of a judge's grades: CSV or JSON Lines of pair_id and grade, distribution or
    abstained. A file with problems changes nothing. 409 while another of the judge is under way."""
    judge = _judge(call, judge_id)
    with use_file(member=call.member, key=new.file) as upload:
        return JobOut.begun(keep_grades(judge=judge, member=call.member, upload=upload))
