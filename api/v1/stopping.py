"""A collection's goal: what is settled, looks, the next queries."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from api.frame.answers import Out
from api.frame.calls import Call, Scope, found_or_404
from api.frame.endpoints import Endpoints, Id, Storable
from api.v1.jobs import JobOut
from datasets.models import StoppingGoal
from datasets.stopping.goals import current_goal, end_goal, open_queries, set_goal
from datasets.stopping.jobs import ask_for_look
from datasets.stopping.selectors import LookRow, PairRow, judges_of, state_of
from foundation.refused import Refused

endpoints = Endpoints("Stopping")
HERE = "/stopping"


class GoalOut(Out):
    """The current goal, and how far it is."""

    goal: int
    measure: str
    first: int = Field(description="So many of the best runs are to be in order, and above all others.")
    level: float
    margin: float | None = Field(description="Runs whose scores differ by less are alike; null: none are.")
    split: str = Field(description="Of its queries; empty: all that the design draws.")
    judge: str | None = Field(description="The machine judge whose grades help; null: people alone.")
    runs: list[str]
    open_next: int = Field(description="Queries that are opened whenever few are left to judge.")
    made_at: datetime
    queries: int
    drawn: int
    judged: int = Field(description="Of the random order, up to the first that isn't judged.")
    next_at: int | None = Field(description="Judged queries at the next look; null: there is none.")
    settled: bool = Field(description="The goal is reached.")
    words: str
    pairs: list[PairRow] = Field(description="As the last look found them.")
    looks: list[LookRow] = Field(description="The newest first.")


class NewGoal(BaseModel):
    """A goal to be set."""

    first: int = Field(ge=1, le=1_000, examples=[5])
    measure: Storable = Field(max_length=100, examples=["NDCG@20,IoU>=0.5"])
    split: Literal["", "val", "test"] = ""
    judge: Id | None = Field(None, description="The id of a machine judge; null: people alone.")
    level: float = 0.95
    margin: float | None = None
    open_next: int = 0


class NextQueries(BaseModel):
    """How many queries are to be opened."""

    number: int = Field(ge=1, le=10_000, examples=[20])


class Drawn(BaseModel):
    """How many queries were drawn; a worker opens them."""

    drawn: int


def _goal(call: Call) -> StoppingGoal:
    return found_or_404(current_goal(call.collection))


@endpoints.read(HERE)
def get_stopping(call: Call) -> GoalOut:
    """What is settled, how many queries more settle the rest, and every look so far. 404 without a goal."""
    return GoalOut.of(state_of(_goal(call)))


@endpoints.make(f"{HERE}/goal", scope=Scope.PREPARE)
def set_a_stopping_goal(call: Call, new: NewGoal) -> GoalOut:
    """Set what is to be settled before judging stops. The goal before ends, with its looks."""
    sent = new.model_dump(exclude={"judge"})
    judge = None if new.judge is None else judges_of(call.collection).filter(pk=new.judge).first()
    if judge is None and new.judge is not None:
        raise Refused("There is no such machine judge in this collection.", "judge")
    return GoalOut.of(state_of(set_goal(member=call.member, judge=judge, **sent)))


@endpoints.make(f"{HERE}/look", scope=Scope.PREPARE, status=202)
def look_at_what_is_settled(call: Call) -> JobOut:
    """Have a worker look; refused before so many queries are judged as `next_at` says."""
    return JobOut.begun(ask_for_look(goal=_goal(call), member=call.member))


@endpoints.act(f"{HERE}/open", scope=Scope.PREPARE)
def open_next_queries(call: Call, wanted: NextQueries) -> Drawn:
    """Draw the next queries of the design's random order, and have a worker open them for judging."""
    return Drawn(drawn=open_queries(goal=_goal(call), number=wanted.number, member=call.member))


@endpoints.remove(f"{HERE}/goal", scope=Scope.PREPARE)
def end_a_stopping_goal(call: Call) -> None:
    """End the goal; its looks stay."""
    end_goal(collection=call.collection)
