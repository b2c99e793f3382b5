"""Judging in one's own places, blind as on the page: the same services, the same answers."""

import uuid
from typing import Annotated

from pydantic import BaseModel, Field

from annotation.assignment.next_tasks import AT_HAND, Task, keep_seats, leave_seats, next_tasks
from annotation.judging.flags import raise_flag
from annotation.judging.judgments import BadSpan, give_judgment
from annotation.judging.progress import why_no_work
from annotation.judging.requests import MOST_AHEAD, NewJudgment
from annotation.judging.task_json import as_json
from annotation.judging.undo import take_back_newest
from annotation.models import Flag
from api.frame.answers import Out
from api.frame.calls import Call, Scope, Who
from api.frame.endpoints import Endpoints, Text
from api.frame.problems import Problem
from foundation.access.guards import CONSENT_FIRST
from foundation.models import Membership

endpoints = Endpoints("Judging")
HERE = "/collections/{slug:name}/judging"


class TaskOut(Out):
    """A pair to judge: a sentence and a clip, and nothing else."""

    pair: uuid.UUID
    query: str
    clip: Annotated[str | None, Field(description="The clip's address; null: judge by the sentence alone.")]
    poster: str | None
    narrative: Annotated[
        str,
        Field(exclude_if=lambda narrative: not narrative, description="What is said besides; absent where nothing is."),
    ] = ""


class Tasks(BaseModel):
    """The next pairs, or why there are none."""

    tasks: list[TaskOut]
    empty: Annotated[str, Field(description="Why there are none; empty: there are.")]
    confirm: Annotated[int | None, Field(description="The guideline's version to confirm first, on its page.")] = None
    message: Annotated[str, Field(description="What is to be known about what was sent.")] = ""
    consent: Annotated[
        int | None,
        Field(
            exclude_if=lambda version: version is None,
            description="The consent text's version to confirm before the next pairs; absent where none is.",
        ),
    ] = None


class AskedNext(BaseModel):
    """How many pairs are wanted."""

    ahead: Annotated[int, Field(ge=AT_HAND, le=MOST_AHEAD)] = AT_HAND


class Undo(BaseModel):
    """What is taken back; without either, what you did last."""

    key: Annotated[uuid.UUID | None, Field(description="Of the judgment.")] = None
    flagged: Annotated[uuid.UUID | None, Field(description="The pair whose flag, or question, is taken back.")] = None


class NewFlag(BaseModel):
    """Why a pair can't be judged."""

    pair: uuid.UUID
    kind: Annotated[Text, Field(max_length=20, description=", ".join(Flag.Kind.values))]
    note: Annotated[Text, Field(max_length=2000)] = ""


def told(member: Membership, tasks: list[Task], *, message: str = "", first: str = "") -> Tasks:
    """The next pairs as an annotator is told them; that of the public id `first` comes before the others."""
    asks = not tasks and not member.knows_guideline
    shown = sorted(tasks, key=lambda task: task.pair != first)
    return Tasks(
        tasks=[TaskOut.model_validate(as_json(task)) for task in shown],
        empty="" if tasks else str(why_no_work(member)),
        confirm=member.collection.guideline_version if asks else None,
        message=message,
        consent=member.collection.consent_version if not tasks and not member.agrees else None,
    )


@endpoints.act(f"{HERE}/next", Tasks, scope=Scope.JUDGE, who=Who.ANNOTATOR, of_studies=True)
def next_pairs(call: Call, asked: AskedNext) -> Tasks:
    """The next pairs to judge. It may take a place at a batch, so it is no read. Refused while a consent text waits to
    be confirmed, once what you had begun is judged."""
    tasks = next_tasks(member=call.member, ahead=asked.ahead)
    if not tasks and not call.member.agrees:
        raise Problem(403, str(CONSENT_FIRST))
    return told(call.member, tasks)


@endpoints.act(f"{HERE}/grade", Tasks, scope=Scope.JUDGE, who=Who.ANNOTATOR, of_studies=True)
def grade_a_pair(call: Call, new: NewJudgment) -> Tasks:
    """Judge a pair, and get the next ones."""
    try:
        result = give_judgment(member=call.member, sent=new)
    except BadSpan as fault:
        raise Problem(422, str(fault), field="body.span") from fault
    tasks = result.tasks if result.tasks is not None else next_tasks(member=call.member)
    return told(call.member, list(tasks), message=result.message)


@endpoints.act(f"{HERE}/undo", Tasks, scope=Scope.JUDGE, who=Who.ANNOTATOR, of_studies=True)
def undo_a_judgment(call: Call, which: Undo) -> Tasks:
    """Take back what you did last, a judgment or a flag; its pair comes first."""
    undone = take_back_newest(member=call.member, key=which.key, flagged=which.flagged)
    return told(call.member, next_tasks(member=call.member), first=str(undone.pair))


@endpoints.act(f"{HERE}/flag", Tasks, scope=Scope.JUDGE, who=Who.ANNOTATOR, of_studies=True)
def flag_a_pair(call: Call, new: NewFlag) -> Tasks:
    """Hold a pair for the lead: its clip or its sentence is broken."""
    try:
        raise_flag(member=call.member, pair_id=new.pair, kind=new.kind, note=new.note)
    except ValueError as fault:
        raise Problem(422, str(fault), field="body.kind") from fault
    return told(call.member, next_tasks(member=call.member))


@endpoints.act(f"{HERE}/keep", None, scope=Scope.JUDGE, who=Who.ANNOTATOR, of_studies=True, status=204)
def keep_my_places(call: Call) -> None:
    """Keep your places at batches a while longer."""
    keep_seats(member=call.member)


@endpoints.act(f"{HERE}/leave", None, scope=Scope.JUDGE, who=Who.ANNOTATOR, of_studies=True, status=204)
def leave_my_places(call: Call) -> None:
    """Leave your places to others."""
    leave_seats(member=call.member)
