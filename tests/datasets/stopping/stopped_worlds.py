"""A collection whose queries are judged in a random order, with three runs and a machine judge."""

from __future__ import annotations

from typing import Any

import numpy as np

from annotation.batches.opening import open_annotation
from annotation.models import Batch, MachineJudge, MachineJudgment, Pair, SampledUnit
from annotation.sampling.designs import make_design
from corpus.models import Moment, Video
from datasets.models import StoppingGoal, StoppingLook
from datasets.stopping.goals import set_goal
from datasets.stopping.jobs import ask_for_look, look_now
from foundation.collections.members import get_or_create_collection
from foundation.models import Collection
from queries.models import Candidate, PoolRun, PoolRunAnswer, Query
from tests.conftest import make_people
from tests.snapshots import begin_with

QUERIES, MOMENTS = 60, 4
MEASURE = "NDCG@3,IoU>=0.5"
GOOD, FAIR, POOR = "x good", "x fair", "x poor"


class World:
    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self.members = {own.worker: own for own in collection.memberships.select_related("account", "collection")}
        self.by_name = {own.account.username: own for own in self.members.values() if own.account}

    @property
    def ada(self) -> Any:
        return self.by_name["ada"]

    def judge(self, number: int) -> None:
        """Decide the first so many queries of the random order, as if people had."""
        units = SampledUnit.objects.filter(design__collection=self.collection).order_by("number", "pk")
        self.finish([unit.query_id for unit in units[:number]])

    def finish(self, queries: list[int]) -> None:
        batches = Batch.objects.filter(query__in=queries)
        for pair in Pair.objects.filter(batch__in=batches).select_related("candidate"):
            Pair.objects.filter(pk=pair.pk).update(status=Pair.Status.CONSENSUS, grade=grade_of(pair.candidate))
        batches.update(status=Batch.Status.FINISHED)


def grade_of(candidate: Candidate) -> int:
    """What people say of a moment: the first of its query is relevant, some others a little."""
    return 4 if candidate.rank == 1 else (candidate.query_id + candidate.rank) % 2


def build(name: str = "stopped") -> None:
    """Sixty queries in a random order, three runs of which one is good, and a machine that is often right."""
    collection = get_or_create_collection(name=name, title="Stopped", has_clips=False)
    collection.batch_size = MOMENTS
    collection.save()
    people = make_people(collection, "ada", "bo")
    video = Video.objects.create(collection=collection, name="alpha", duration=1000.0)
    moments = [Moment.objects.create(video=video, start=10.0 * n, end=10.0 * n + 8) for n in range(MOMENTS)]
    runs = [
        PoolRun.objects.create(
            collection=collection,
            team="x",
            system=system,
            file_name=f"{system}.jsonl",
            sha256=f"{place:064}",
            size=1,
            queries=QUERIES,
            predictions=QUERIES * MOMENTS,
            kept=QUERIES * MOMENTS,
            videos=1,
        )
        for place, system in enumerate(("good", "fair", "poor"))
    ]
    judge = MachineJudge.objects.create(
        collection=collection, name="watcher", kind="file", model="m", family="f", member=people["ada"]
    )
    rng = np.random.default_rng(4)
    for number in range(QUERIES):
        query = Query.objects.create(
            collection=collection,
            topic_id=f"t{number}",
            split="test",
            text=f"topic {number}",
            normalised=f"topic {number}",
            position=number + 1,
        )
        for rank, moment in enumerate(moments, start=1):
            candidate = Candidate.objects.create(query=query, moment=moment, rank=rank)
            grade = grade_of(candidate) if rng.random() < 0.9 else 2
            MachineJudgment.objects.create(judge=judge, candidate=candidate, grade=grade)
        for run, share in zip(runs, (1.0, 0.5, 0.0), strict=True):
            order = list(range(MOMENTS)) if rng.random() < share else list(range(MOMENTS))[::-1]
            PoolRunAnswer.objects.create(
                run=run,
                query=query,
                videos=[video.pk] * MOMENTS,
                starts=[moments[place].start for place in order],
                ends=[moments[place].end for place in order],
                moments=[moments[place].pk for place in order],
                ious=[1.0] * MOMENTS,
            )
    make_design(collection=collection, unit="query", numbers=[20], seed=5, member=people["ada"])
    open_annotation(collection=collection)


def stopped_world() -> World:
    """The collection, made or copied back."""
    begin_with("stopped", build)
    return World(Collection.objects.get(name="stopped"))


def a_goal(world: World, **more: Any) -> StoppingGoal:
    return set_goal(member=world.ada, **{"measure": MEASURE, "first": 3, **more})


def looked(goal: StoppingGoal) -> StoppingLook:
    job = ask_for_look(goal=goal)
    look_now(job.pk)
    job.refresh_from_db()
    return job


def drawn(world: World) -> list[int]:
    units = SampledUnit.objects.filter(design__collection=world.collection, drawn_at__isnull=False)
    return list(units.order_by("number", "pk").values_list("query_id", flat=True))
