"""Topics, systems' runs of the pool, and its recipe."""

from datetime import datetime
from typing import Literal

from django.shortcuts import get_object_or_404
from pydantic import BaseModel, Field

from annotation.batches.pool_jobs import ask_for_pool
from annotation.batches.pool_preview import preview
from annotation.batches.pools import pool_counts
from api.frame.answers import Out
from api.frame.calls import Call, Scope
from api.frame.endpoints import Endpoints, Id, Storable
from api.frame.lists import AskedPage, Page, page_of_all, page_of_list
from api.v1.jobs import JobOut
from api.v1.uploads import LONGEST_RUN, FileKey, IndicesKey, file_or_none, file_or_text
from foundation.models import Membership
from queries.models import PoolRun
from queries.models import Query as Topic
from queries.runs.add_run import remove_run
from queries.runs.plans import IOU, LEAST_GRADE, current_plan, is_adaptive, set_plan
from queries.runs.run_jobs import keep_run
from queries.runs.selectors import plans_of, runs_of
from queries.topics.edit_topics import add_topic, change_topic, delete_topic
from queries.topics.selectors import topics_of, with_state
from queries.topics.topic_rows import LONGEST_AUTHOR, LONGEST_NARRATIVE, LONGEST_TEXT

endpoints = Endpoints("Pools")
Split = Literal["val", "test"]


class TopicOut(Out):
    """A query that was written as one, without a source moment."""

    topic: int
    topic_id: str
    text: str
    narrative: str = Field(description="What annotators read besides; empty: nothing.")
    language: str = Field(description="BCP 47; empty: not stated.")
    written_by: str
    split: str
    candidates: int
    fixed: bool = Field(description="Its judging is open: it can't be changed.")


class TopicFields(BaseModel):
    """A topic as somebody writes it. A blank field is an empty one."""

    text: Storable = Field(min_length=1, max_length=LONGEST_TEXT, examples=["Someone gives away a coat"])
    split: Split = "test"
    narrative: Storable = Field("", max_length=LONGEST_NARRATIVE)
    language: Storable = Field("", max_length=40, examples=["en"])
    written_by: Storable = Field("", max_length=LONGEST_AUTHOR)


class NewTopic(TopicFields):
    """A topic to be stored."""

    id: Storable = Field(
        "",
        max_length=100,
        description="Its id in its source; empty: made of the text.",
        examples=["301"],
    )


class PoolRunOut(Out):
    """A system's run of the pool."""

    run: int
    team: str
    system: str
    file_name: str
    sha256: str
    added_at: datetime
    by: str | None = Field(description="A worker id; null: a command.")
    queries: int
    predictions: int
    kept: int = Field(description="Predictions that a pool may use: the first 100 of each query.")
    videos: int
    chosen: int = Field(description="Pairs that it put into the pool.")
    open: int = Field(description="Of these, pairs that are open for judging or judged.")


class NewPoolRun(BaseModel):
    """A system's run to be added to the pool: its file as text, or sent before."""

    team: Storable = Field(max_length=80)
    system: Storable = Field(max_length=80)
    content: Storable = Field(
        "",
        max_length=LONGEST_RUN,
        description="The run in a form that docs/evaluation.md has; queries are named as in releases.",
    )
    file: FileKey | Literal[""] = Field("", description="In its place the key of a file that you sent.")
    videos: IndicesKey = ""


class ComparedRecipe(BaseModel):
    """What a recipe would give with the runs that there are."""

    recipe: str
    current: bool = Field(description="It is the collection's.")
    queries: int
    pairs: int = Field(description="At most.")
    judged: int = Field(description="Of these pairs.")


class PlanRow(Out):
    """A version of the recipe; `chosen`: candidates that it chose."""

    version: int
    recipe: str
    iou: float
    least_grade: int
    by_itself: bool
    current: bool
    made_at: datetime
    by: str | None
    chosen: int


class RecipeOut(Out):
    """By which recipe the pool is made, and how far it is."""

    version: int = Field(description="0: none was ever set, so the paper's holds.")
    recipe: str
    iou: float
    least_grade: int
    adaptive: bool = Field(description="It chooses from the grades so far.")
    by_itself: bool = Field(description="An adaptive recipe goes on without the lead.")
    versions: list[PlanRow] = Field(description="The newest first.")
    compared: list[ComparedRecipe] = Field(description="Empty while a worker counts for the first time.")
    queries: int
    stale: int = Field(description="Queries whose pool isn't what runs and recipe say now.")
    chosen: int = Field(description="Candidates that aren't open for judging.")
    open: int
    judged: int


class NewRecipe(BaseModel):
    """A recipe to be set; docs/pools.md has them."""

    recipe: Storable = Field(max_length=200, examples=["depth@10"])
    iou: float = Field(IOU, description="From which IoU on predictions are one moment: above 0, at most 1.")
    least_grade: int = Field(LEAST_GRADE, description="The least grade that adaptive recipes take as relevant.")
    by_itself: bool = True


def _topics(topics: list[Topic]) -> list[TopicOut]:
    return [TopicOut.of(topic, topic=topic.pk, candidates=topic.number) for topic in with_state(topics)]


def _worker(member: Membership | None) -> str | None:
    return member.worker if member else None


def _topic(call: Call, topic_id: int) -> Topic:
    return get_object_or_404(topics_of(call.collection), pk=topic_id)


@endpoints.read("/topics")
def list_topics(call: Call, asked: AskedPage) -> Page[TopicOut]:
    """A collection's topics."""
    return page_of_all(topics_of(call.collection), asked, _topics)


@endpoints.read("/topics/{int:topic_id}")
def get_topic(call: Call, topic_id: Id) -> TopicOut:
    """One topic."""
    return _topics([_topic(call, topic_id)])[0]


@endpoints.make("/topics", scope=Scope.PREPARE)
def write_a_topic(call: Call, new: NewTopic) -> TopicOut:
    """Store a topic at the end of its split."""
    return _topics([add_topic(collection=call.collection, typed=new.model_dump())])[0]


@endpoints.act("/topics/{int:topic_id}/change", scope=Scope.PREPARE)
def change_a_topic(call: Call, topic_id: Id, new: TopicFields) -> TopicOut:
    """Give a topic these fields, as long as its judging isn't open. Its id stays."""
    return _topics([change_topic(topic=_topic(call, topic_id), typed=new.model_dump())])[0]


@endpoints.remove("/topics/{int:topic_id}", scope=Scope.PREPARE)
def delete_a_topic(call: Call, topic_id: Id) -> None:
    """Delete a topic with its candidates, as long as its judging isn't open."""
    delete_topic(topic=_topic(call, topic_id))


@endpoints.read("/pool-runs")
def list_pool_runs(call: Call, asked: AskedPage) -> Page[PoolRunOut]:
    """The runs of a collection's pool, by team and system."""
    return page_of_list(
        runs_of(call.collection),
        asked,
        lambda runs: [
            PoolRunOut.of(run, run=run.pk, by=_worker(run.member), chosen=run.in_pool)  # type: ignore[attr-defined]
            for run in runs
        ],
        lambda run: (run.pk,),
    )


@endpoints.make("/pool-runs", scope=Scope.PREPARE, status=202, stores=True)
def add_pool_run(call: Call, new: NewPoolRun) -> JobOut:
    """Have a worker add a run to the pool.

    What is wrong in the file is the job's problem, with its line. The same run again changes nothing.
    """
    with (
        file_or_text(call, file=new.file, content=new.content, name="run.jsonl") as upload,
        file_or_none(call, new.videos) as videos,
    ):
        return JobOut.begun(
            keep_run(member=call.member, upload=upload, videos=videos, team=new.team, system=new.system)
        )


@endpoints.remove("/pool-runs/{int:run_id}", scope=Scope.PREPARE)
def remove_a_pool_run(call: Call, run_id: Id) -> None:
    """Remove a run, as long as nothing that it put into the pool is open for judging."""
    remove_run(run=get_object_or_404(PoolRun, collection=call.collection, pk=run_id))


@endpoints.read("/pool-recipe")
def get_recipe(call: Call) -> RecipeOut:
    """The recipe of a collection's pool, and how far the pool is."""
    here = call.collection
    plan, counts = current_plan(here), pool_counts(here)
    value = preview(here).value or {"recipes": []}
    return RecipeOut.of(
        counts,
        version=plan.version if plan else 0,
        recipe=plan.recipe if plan else "paper",
        iou=plan.iou if plan else IOU,
        least_grade=plan.least_grade if plan else LEAST_GRADE,
        adaptive=plan is not None and plan.recipe != "paper" and is_adaptive(plan),
        by_itself=plan.by_itself if plan else True,
        versions=[PlanRow.of(version, by=_worker(version.member)) for version in plans_of(here)],
        compared=value["recipes"],
    )


@endpoints.act("/pool-recipe", scope=Scope.PREPARE)
def set_recipe(call: Call, new: NewRecipe) -> RecipeOut:
    """Set the recipe. What is open or judged stays; make the pool, so that it follows."""
    set_plan(collection=call.collection, member=call.member, **new.model_dump())
    return get_recipe(call)


@endpoints.make("/pool", scope=Scope.PREPARE, status=202)
def make_the_pool(call: Call) -> JobOut:
    """Have a worker make the pool by the recipe. While one does, that job is the answer."""
    return JobOut.begun(ask_for_pool(member=call.member))
