"""A pool by a recipe of runs is its query's and its collection's own, and nothing to another's."""

from pathlib import Path

import pytest

from annotation.batches.pools import make_pool
from annotation.batches.transitions import is_last
from annotation.models import Pair
from corpus.models import Clip, Moment
from foundation.models import Collection
from queries.models import Candidate, CandidateSource, PoolRunAnswer, QueryPool, SimilarityRanking
from queries.runs.plans import current_plan, set_plan
from queries.runs.selectors import plans_of
from tests.annotation.batches.test_pools import add, pool, seconds, similar, starts, world
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db
__all__ = ["world"]


def test_each_query_has_its_own_similarity_and_links_to_its_own_pool(world: World, tmp_path: Path) -> None:
    similar(world)
    first, second = world.queries
    Candidate.objects.filter(query=second, rank__lte=20).delete()
    add(world, tmp_path, "boat", seconds(0, 20), seconds(20, 0))
    pool(world, "paper+depth@1")
    QueryPool.objects.update(stale=True)
    make_pool(collection=world.collection)
    assert [len(each.moments) for each in SimilarityRanking.objects.order_by("query")] == [30, 10]
    assert (0 in starts(first), 20 in starts(first)) == (True, False)
    assert (0 in starts(second), 20 in starts(second)) == (False, True)
    for answer in PoolRunAnswer.objects.all():
        assert [moment is None for moment in answer.moments] == [False, True]


def test_another_recipe_chooses_anew_and_is_nothing_to_another_collection(world: World, tmp_path: Path) -> None:
    other = build_world(name="other")
    longest = "+".join(["depth@1"] * 24 + ["depth@10"])
    assert len(longest) == 200
    plan, _ = set_plan(collection=other.collection, recipe=longest)
    QueryPool.objects.create(query=other.queries[0], plan=plan, left=0, stale=False)
    elsewhere = Candidate.objects.filter(query=other.queries[0]).latest("rank")
    CandidateSource.objects.create(candidate=elsewhere, plan=plan, ranker="minilm@1", rank=1)
    Pair.objects.filter(candidate=elsewhere).delete()
    add(world, tmp_path, "boat", seconds(1, 2), seconds(3))
    pool(world, "depth@1")
    assert starts(world.queries[0]) == [1]
    pool(world, "depth@2")
    assert sorted(starts(world.queries[0])) == [1, 2]
    assert [(plan.version, plan.chosen) for plan in plans_of(world.collection)] == [(2, 3), (1, 0)]
    fetched = {"query": world.queries[0], "moment": Moment.objects.get(start=9, video__collection=world.collection)}
    Candidate.objects.create(**fetched, rank=50, similarity=0.5)
    set_plan(collection=world.collection, recipe="paper")
    paper = current_plan(world.collection)
    assert paper is not None and paper.recipe == "paper"
    assert starts(world.queries[0]) == [9] and Candidate.objects.filter(pk=elsewhere.pk).exists()
    assert not QueryPool.objects.filter(query__collection=world.collection).exists()
    assert current_plan(other.collection) == plan and not QueryPool.objects.get().stale


def test_only_moments_whose_clip_couldn_t_be_cut_are_passed_over(world: World, tmp_path: Path) -> None:
    Collection.objects.update(has_clips=True)
    for start, file in ((1, "a.mp4"), (2, "")):
        Clip.objects.create(moment=Moment.objects.get(start=start), video_file=file)
    add(world, tmp_path, "boat", seconds(1, 2, 3))
    pool(world, "depth@3")
    assert sorted(starts(world.queries[0])) == [1, 3]


def test_a_batch_is_the_last_though_another_query_s_pool_has_more(db: None) -> None:
    made = build_world(queries=2, candidates=3)
    plan, _ = set_plan(collection=made.collection, recipe="depth@1")
    QueryPool.objects.create(query=made.queries[1], plan=plan, left=5)
    assert [is_last(query.batches.get()) for query in made.queries] == [True, False]
