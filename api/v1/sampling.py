"""Sampling designs: what people judge, drawn with known probabilities."""

from datetime import datetime
from typing import Annotated, Literal

from django.shortcuts import get_object_or_404
from pydantic import BaseModel, Field

from annotation.models import MachineJudge, SamplingDesign
from annotation.sampling.designs import LARGEST_SEED, extend_design, make_design, remove_design
from annotation.sampling.selectors import StageRow, StratumRow, design_facts
from api.frame.answers import Out
from api.frame.calls import Call, Scope
from api.frame.endpoints import Endpoints
from foundation.refused import Refused

endpoints = Endpoints("Sampling")
HERE = "/sampling"
Number = Annotated[int, Field(ge=1, lt=2**31)]
Numbers = Annotated[
    list[Number],
    Field(
        min_length=1,
        max_length=100,
        description="How many are drawn, with those drawn before: one number in all, or one for each stratum.",
        examples=[[10]],
    ),
]


class DesignOut(Out):
    """A collection's design."""

    unit: str = Field(description="query: queries are judged whole; pair: some pairs of each query.")
    strata: str = Field(description="Empty, split, rank, run or machine.")
    bands: list[int]
    judge: str | None = Field(description="The machine judge whose grades are strata.")
    seed: int
    made_at: datetime
    by: str | None = Field(description="A worker id; null: a command.")
    begun: bool = Field(description="Judging is open, so it can only be extended.")
    outside: int = Field(description="Queries that came after it and aren't opened.")
    size: int
    drawn: int
    open: int
    judged: int
    of_strata: list[StratumRow] = Field(description="All queries' strata of a name together.")
    stages: list[StageRow]


class MoreDrawn(BaseModel):
    """How many are drawn then."""

    numbers: Numbers


class NewDesign(MoreDrawn):
    """A design to be made."""

    unit: Literal["query", "pair"]
    strata: Literal["", "split", "rank", "run", "machine"] = ""
    bands: list[Number] = Field([], max_length=100, description="The last rank of each band but the last.")
    judge: int | None = Field(None, ge=1, lt=2**63, description="Of strata by a machine judge's grade: its id.")
    seed: int = Field(1, ge=0, le=LARGEST_SEED)


@endpoints.read(HERE)
def get_sampling(call: Call) -> DesignOut:
    """A collection's design, its strata and stages, and how much is judged. 404 without one."""
    get_object_or_404(SamplingDesign, collection=call.collection)
    return DesignOut.of(design_facts(call.collection))


@endpoints.make(HERE, scope=Scope.PREPARE)
def make_sampling(call: Call, new: NewDesign) -> DesignOut:
    """Make a design and draw its first stage, before judging is open. Nothing is opened by it."""
    here, sent = call.collection, new.model_dump()
    if new.judge is not None:
        sent["judge"] = MachineJudge.objects.filter(collection=here, pk=new.judge).first()
        if sent["judge"] is None:
            raise Refused("There is no such machine judge in this collection.", "judge")
    make_design(collection=here, member=call.member, **sent)
    return get_sampling(call)


@endpoints.act(f"{HERE}/extend", scope=Scope.PREPARE)
def extend_sampling(call: Call, more: MoreDrawn) -> DesignOut:
    """Draw more. What was drawn stays; where judging is open a worker opens what is new."""
    design = get_object_or_404(SamplingDesign, collection=call.collection)
    extend_design(design, more.numbers, member=call.member)
    return get_sampling(call)


@endpoints.remove(HERE, scope=Scope.PREPARE)
def remove_sampling(call: Call) -> None:
    """Remove the design, as long as nothing is open for judging."""
    remove_design(collection=call.collection)
