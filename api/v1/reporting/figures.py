"""Statistics, figures for a paper, the annotator model, and what another rule of consensus would change."""

from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import HttpResponse
from ninja import Query
from pydantic import BaseModel, Field

from annotation.batches.transitions import rule_of
from annotation.judging.evidence_figures import NAME as EVIDENCE_USE
from annotation.people.annotator_model_figures import NAME as MODEL
from annotation.people.annotator_model_figures import PointedAt, pointed_at
from annotation.people.people_figures import names_of
from annotation.precomputed import Result, computed_or_ask
from annotation.review.consensus_replay import another_rule, in_words, replay_collection
from api.frame.answers import From, Out
from api.frame.calls import Call, found_or_404
from api.frame.endpoints import Digits, Endpoints, Start
from api.frame.lists import MOST
from api.frame.problems import Problem
from datasets.content.leakage import leakage_of_draw
from datasets.content.statistics import STATISTICS
from datasets.formats.table_files import Table, statistics_tables
from desk.figures.catalogue import Figure
from desk.figures.examples import example_figure
from desk.figures.inks import PAPER
from desk.figures.selectors import counted, figures_of
from foundation.infra.jobs import as_sentence

endpoints = Endpoints("Figures")
Key = Annotated[str, Field(pattern="^[-a-z0-9]{1,40}$")]


class Statistics(Out):
    """A collection's statistics, as a paper reports them."""

    as_of: datetime | None = Field(description="Null: not counted yet, ask again.")
    running: bool
    statistics: dict[str, Any] | None = From("value")
    tables: list[Table]


class LeakageOut(Out):
    """How near pseudo-training captions come to val and test queries."""

    as_of: datetime | None = Field(description="Null: not computed yet, ask again.")
    running: bool
    leakage: dict[str, Any] | None = From(
        "value",
        description="encoder, pooling; of val, test and training: queries, compared, from (0.85, 0.9, 0.95: "
        "queries and share); worst: the hundred that come nearest, each with its training caption and their cosine.",
    )


class FigureOut(Out):
    """A figure's data."""

    key: str
    title: str
    says: str
    headings: list[str]
    rows: list[list[str | int | float | None]]


class Figures(Out):
    """All figures of a collection."""

    as_of: datetime | None = Field(description="Null: not counted yet, ask again.")
    running: bool
    figures: list[FigureOut]


class PersonByModel(BaseModel):
    """How reliable the model takes somebody to be."""

    worker: str
    member: int
    judgments: int
    exact: float = Field(description="Share of grades that the model takes to be right.")
    within_one: float
    bias: float


class ModelOut(Out):
    """What a model of annotators says of pairs and people, beside the consensus, which it doesn't change."""

    as_of: datetime | None = Field(description="Null: not counted yet, ask again.")
    running: bool
    judgments: int
    pairs: int
    disagreeing: int
    changed: float | None = Field(
        description="Pairs that would end otherwise had another person given one of their grades, to be expected."
    )
    table: list[list[int]] = Field(description="Consensus by the model's grade; the last row: discarded.")
    people: list[PersonByModel]
    worth_a_look: list[PointedAt] = Field(description="200 pairs on which both differ, from `start` on.")


class AskedRule(BaseModel):
    """Another rule of consensus; what isn't sent is the collection's own."""

    kind: Literal["", "paper", "mean", "median", "majority"] = ""
    first_round: Annotated[int | None, Digits, Field(ge=1, le=9)] = None
    second_round: Annotated[int | None, Digits, Field(ge=0, le=9)] = None
    largest_difference: Annotated[int | None, Digits, Field(ge=0, le=100)] = None
    trimmed: Annotated[int | None, Digits, Field(ge=1, le=8)] = None
    rounding: Literal["", "up", "down", "nearest"] = ""


class Move(BaseModel):
    """How many pairs would come from one grade or state to another."""

    pairs: int
    before: str
    after: str


class ReplayOut(Out):
    """What another rule would change. Nothing is changed."""

    pairs: int
    judgments: int
    changed: int
    undecided: int = Field(description="Of these, pairs that would need more judgments.")
    moves: list[Move]


@endpoints.read("/statistics")
def get_statistics(call: Call) -> Statistics:
    """Material, queries by split, relevant moments, agreement and judging, as the collection stands."""
    result = computed_or_ask(collection=call.collection, name=STATISTICS)
    tables = statistics_tables(result.value) if result.value else []
    return Statistics.of(result, tables=tables)


@endpoints.read("/leakage")
def get_leakage(call: Call) -> LeakageOut:
    """The nearest training captions of val and test queries, by the cosine of their vectors; a worker compares."""
    return LeakageOut.of(leakage_of_draw(call.collection))


def _figures(call: Call) -> tuple[Result, list[Figure]]:
    here = call.collection
    result, _judged = counted(here)
    return result, [*figures_of(here, result), example_figure(here)]


@endpoints.read("/figures", of_studies=True)
def list_figures(call: Call) -> Figures:
    """The data of all figures for a paper."""
    result, figures = _figures(call)
    told = [
        FigureOut.of(figure, headings=list(figure.headings), rows=[list(row) for row in figure.rows])
        for figure in figures
    ]
    return Figures.of(result, figures=told)


@endpoints.read("/figures/{slug:key}", of_studies=True, content="image/svg+xml")
def draw_a_figure(call: Call, key: Key) -> HttpResponse:
    """One figure as SVG, in colours of its own."""
    figure = found_or_404(next((figure for figure in _figures(call)[1] if figure.key == key), None))
    return HttpResponse(figure.draw(PAPER), content_type="image/svg+xml")


@endpoints.read("/annotator-model", of_studies=True)
def get_annotator_model(call: Call, start: Start = 0) -> ModelOut:
    """Pairs where a model of annotators and the consensus part, and everybody's estimated reliability."""
    here = call.collection
    result = computed_or_ask(collection=here, name=MODEL)
    value = result.value or {"people": [], "worth_a_look": [], "table": [], "pairs": 0, "judgments": 0}
    names = names_of(here)
    return ModelOut.of(
        result,
        **{name: value[name] for name in ("judgments", "pairs", "table")},
        disagreeing=value.get("disagreeing", 0),
        changed=value.get("changed"),
        people=[PersonByModel(worker=names.get(person["member"], "?"), **person) for person in value["people"]],
        worth_a_look=pointed_at(here, value["worth_a_look"][start : start + MOST]),
    )


class EvidenceUseOut(Out):
    """What goes with the use of what annotators may use beside the picture."""

    as_of: datetime | None = Field(description="Null: not computed yet, ask again.")
    running: bool
    kinds: dict[str, Any] = Field(
        description="By kind (context, sound, subtitles): judgments of which it is known, used, share, with_it and "
        "without (mean grades), pairs and queries that have both, difference within a pair with low and high "
        "(95 %), and of two people in the first round both, one and neither (twos, equal, agree)."
    )


@endpoints.read("/evidence-use", of_studies=True)
def get_evidence_use(call: Call) -> EvidenceUseOut:
    """Whether what annotators used beside the picture goes with other grades, and with more agreement."""
    result = computed_or_ask(collection=call.collection, name=EVIDENCE_USE)
    return EvidenceUseOut.of(result, kinds=result.value or {})


@endpoints.read("/replay", of_studies=True)
def replay_judgments(call: Call, asked: Query[AskedRule]) -> ReplayOut:
    """What another rule of consensus would make of the judgments that there are."""
    own = rule_of(call.collection)
    try:
        rule = another_rule(own, asked.model_dump())
        replay = replay_collection(collection=call.collection, rule=rule)
    except ValueError as fault:
        raise Problem(422, as_sentence(str(fault)), field="query") from fault
    return ReplayOut.of(
        replay,
        moves=[
            Move(pairs=count, before=in_words(before), after=in_words(after)) for count, before, after in replay.ordered
        ],
    )
