"""Judging in one's own places, blind as on the page: the same services, the same answers."""

import uuid
from typing import Annotated

from pydantic import BaseModel, Field

from annotation.assignment.next_tasks import AT_HAND, Task, keep_seats, leave_seats, next_tasks
from annotation.factors.answers import BadFactors
from annotation.judging.at_hand import context_of, find_at_hand
from annotation.judging.even_time import even_time
from annotation.judging.flags import raise_flag
from annotation.judging.judgments import BadSpan, give_judgment
from annotation.judging.progress import why_no_work
from annotation.judging.requests import MOST_AHEAD, ItemGrade, NewJudgment, highest_sent
from annotation.judging.task_json import as_json
from annotation.judging.undo import take_back_newest
from annotation.models import Flag
from annotation.scale import scale_of
from api.frame.answers import Out
from api.frame.calls import Call, Scope, Who, found_or_404
from api.frame.endpoints import Endpoints, Storable
from api.frame.problems import Problem
from foundation.access.guards import CONSENT_FIRST
from foundation.models import Collection, Membership

endpoints = Endpoints("Judging")
HERE = "/judging"


class MediumOut(Out):
    """A picture, clip or sound that is a query."""

    kind: str = Field(description="picture, clip or sound.")
    address: str


class TaskOut(Out):
    """A pair to judge: a sentence and a clip, and nothing else."""

    pair: uuid.UUID
    query: str = Field(description="Empty where `medium` stands instead of words.")
    clip: str | None = Field(description="The clip's address; null: judge by the sentence alone.")
    poster: str | None
    subtitles: str | None = Field(
        None,
        exclude_if=lambda subtitles: subtitles is None,
        description="The address of what is said in it (WebVTT); absent where the guideline doesn't ask for that.",
    )
    narrative: str = Field(
        "", exclude_if=lambda narrative: not narrative, description="What is said besides; absent where nothing is."
    )
    content: list[str] = Field(
        [],
        exclude_if=lambda content: not content,
        description="What its video has that somebody may not want to see; absent where nothing is.",
    )
    medium: MediumOut | None = Field(
        None, exclude_if=lambda medium: medium is None, description="What is the query, too; absent where nothing is."
    )
    context: str = Field(
        "",
        exclude_if=lambda context: not context,
        description="Where the seconds before and after are told; absent where the lead allows none.",
    )


class Context(BaseModel):
    """The seconds before and after a clip, which may be looked at while it is judged, or why there are none."""

    clip: str | None = Field(None, description="The address of a video that has them around the moment.")
    start: float | None = Field(None, description="Seconds of that video until the moment begins.")
    end: float | None = Field(None, description="Seconds of that video until the moment ends.")
    message: str = Field("", description="Why there is no video, or none yet.")


class ScaleShown(BaseModel):
    """The scale that grades are given on, where it isn't the paper's, in the language that is asked for."""

    top: int
    step: int
    words: dict[int, str] = Field(description="What grades are called; of 0 to 100, some of them.")
    shows: dict[int, str] = Field(description="What a moment of each shows.")


def scale_shown(collection: Collection) -> ScaleShown | None:
    """None for the paper's."""
    scale = scale_of(collection)
    if scale.is_paper:
        return None
    named = dict(scale.named())
    shows = {grade: scale.description(grade) for grade in named}
    return ScaleShown(top=scale.top, step=scale.step, words=named, shows=shows)


OwnScale = Annotated[
    ScaleShown | None,
    Field(exclude_if=lambda scale: scale is None, description="The scale; absent where it is the paper's, 0 to 4."),
]


class Tasks(BaseModel):
    """The next pairs, or why there are none."""

    tasks: list[TaskOut]
    empty: str = Field(description="Why there are none; empty: there are.")
    confirm: int | None = Field(None, description="The guideline's version to confirm first, on its page.")
    message: str = Field("", description="What is to be known about what was sent.")
    consent: int | None = Field(
        None,
        exclude_if=lambda version: version is None,
        description="The consent text's version to confirm before the next pairs; absent where none is.",
    )
    scale: OwnScale = None


class AskedNext(BaseModel):
    """How many pairs are wanted."""

    ahead: int = Field(AT_HAND, ge=AT_HAND, le=MOST_AHEAD)


class Undo(BaseModel):
    """What is taken back; without either, what you did last."""

    key: uuid.UUID | None = Field(None, description="Of the judgment.")
    flagged: uuid.UUID | None = Field(None, description="The pair whose flag, or question, is taken back.")


class NewFlag(BaseModel):
    """Why a pair can't be judged."""

    pair: uuid.UUID
    kind: Storable = Field(max_length=20, description=", ".join(Flag.Kind.values))
    note: Storable = Field("", max_length=2000)


def told(member: Membership, tasks: list[Task], *, message: str = "", first: str = "") -> Tasks:
    """The next pairs as an annotator is told them; that of the public id `first` comes before the others."""
    asks = not tasks and not member.knows_guideline
    shown = sorted(tasks, key=lambda task: task.pair != first)
    collection = member.collection
    # Ninja's own addresses know no name of a path's part that isn't there yet.
    context = f"/api/v1/collections/{collection.name}/judging/context?pair=PAIR" if collection.context_seconds else ""
    return Tasks(
        tasks=[TaskOut.model_validate(as_json(task, collection, context)) for task in shown],
        empty="" if tasks else str(why_no_work(member)),
        confirm=member.collection.guideline_version if asks else None,
        message=message,
        consent=member.collection.consent_version if not tasks and not member.agrees else None,
        scale=scale_shown(member.collection),
    )


@endpoints.act(f"{HERE}/next", scope=Scope.JUDGE, who=Who.ANNOTATOR, of_studies=True)
def next_pairs(call: Call, asked: AskedNext) -> Tasks:
    """The next pairs to judge. It may take a place at a batch, so it is no read. Refused while a consent text waits to
    be confirmed, once what you had begun is judged."""
    tasks = next_tasks(member=call.member, ahead=asked.ahead)
    if not tasks and not call.member.agrees:
        raise Problem(403, str(CONSENT_FIRST))
    return told(call.member, tasks)


def refuse_far_grade(call: Call, new: ItemGrade) -> None:
    """Raises: Problem for what no scale like the collection's has; others are refused by the service."""
    most = highest_sent(call.collection)
    if new.grade > most:
        raise Problem(422, f"Input should be less than or equal to {most}", field="body.grade")


@endpoints.act(f"{HERE}/grade", scope=Scope.JUDGE, who=Who.ANNOTATOR, of_studies=True)
def grade_a_pair(call: Call, new: NewJudgment) -> Tasks:
    """Judge a pair, and get the next ones."""
    refuse_far_grade(call, new)
    with even_time(call.member):
        try:
            result = give_judgment(member=call.member, sent=new)
        except (BadSpan, BadFactors) as fault:
            part = "span" if isinstance(fault, BadSpan) else "factors"
            raise Problem(422, str(fault), field=f"body.{part}") from fault
        tasks = result.tasks if result.tasks is not None else next_tasks(member=call.member)
        return told(call.member, list(tasks), message=result.message(call.collection) or result.known)


@endpoints.read(f"{HERE}/context", scope=Scope.JUDGE, who=Who.ANNOTATOR, of_studies=True)
def get_context_of_a_pair(call: Call, pair: uuid.UUID) -> Context:
    """The seconds before and after a pair's clip, where the lead allows it; say so with `used` of its grade."""
    collection = call.collection
    shown = collection.context_seconds and collection.has_clips
    found = found_or_404(find_at_hand(call.member, pair) if shown else None)
    return Context.model_validate(context_of(call.member, found.candidate.moment))


@endpoints.act(f"{HERE}/undo", scope=Scope.JUDGE, who=Who.ANNOTATOR, of_studies=True)
def undo_a_judgment(call: Call, which: Undo) -> Tasks:
    """Take back what you did last, a judgment or a flag; its pair comes first."""
    with even_time(call.member):
        undone = take_back_newest(member=call.member, key=which.key, flagged=which.flagged)
        return told(call.member, next_tasks(member=call.member), first=str(undone.pair))


@endpoints.act(f"{HERE}/flag", scope=Scope.JUDGE, who=Who.ANNOTATOR, of_studies=True)
def flag_a_pair(call: Call, new: NewFlag) -> Tasks:
    """Hold a pair for the lead: its clip or its sentence is broken."""
    with even_time(call.member):
        try:
            raise_flag(member=call.member, pair_id=new.pair, kind=new.kind, note=new.note)
        except ValueError as fault:
            raise Problem(422, str(fault), field="body.kind") from fault
        return told(call.member, next_tasks(member=call.member))


@endpoints.act(f"{HERE}/keep", scope=Scope.JUDGE, who=Who.ANNOTATOR, of_studies=True, status=204)
def keep_my_places(call: Call) -> None:
    """Keep your places at batches a while longer."""
    keep_seats(member=call.member)


@endpoints.act(f"{HERE}/leave", scope=Scope.JUDGE, who=Who.ANNOTATOR, of_studies=True, status=204)
def leave_my_places(call: Call) -> None:
    """Leave your places to others."""
    leave_seats(member=call.member)
