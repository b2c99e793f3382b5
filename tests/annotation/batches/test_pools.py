"""Pools by a recipe of runs: what is chosen, why, and what comes next."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.db.models import Count

from annotation.batches.opening import open_annotation
from annotation.batches.pools import make_pool, queries_to_pool
from annotation.models import Batch, Pair, Review
from annotation.review.automatic_review import Applied, apply_policy, clear_batches
from annotation.review.decisions import review_batch, take_back_review
from corpus.models import Moment
from foundation.deletion.rows import delete_rows
from foundation.models import Collection
from foundation.refused import FileRefused, Refused
from queries.models import Candidate, CandidateSource, Caption, PoolPlan, PoolRun, PoolRunAnswer, Query, QueryPool
from queries.runs.add_run import add_run, remove_run
from queries.runs.plans import set_plan
from tests.annotation.review.test_automatic_review import NOW
from tests.annotation.reviewed_worlds import DISCARDED, grade_batch
from tests.conftest import World, build_world
from tests.queries.topics.worlds import turn_into_topics

pytestmark = pytest.mark.django_db

Spans = Sequence[tuple[float, float]]


@pytest.fixture
def world() -> World:
    """Two queries, batches of two and at most three; 30 described moments of a second each; nothing is opened."""
    made = build_world(queries=2, candidates=30)
    Pair.objects.all().delete()
    Batch.objects.all().delete()
    Candidate.objects.all().delete()
    Collection.objects.update(batch_size=2, max_batches=3)
    made.collection.refresh_from_db()
    return made


def seconds(*numbers: int) -> Spans:
    """The described moments of these numbers."""
    return [(number, number + 1) for number in numbers]


def add(world: World, folder: Path, system: str, *answers: Spans) -> PoolRun:
    """A run of team "paper" with an answer for each query in turn."""
    path = folder / f"{system}.jsonl"
    rows = [
        {
            "query_id": query.topic_id or query.description.source_id,
            "predictions": [{"video_name": "secret_video_name", "timestamp": list(span)} for span in spans],
        }
        for query, spans in zip(world.queries, answers, strict=False)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return add_run(collection=world.collection, path=path, team="paper", system=system).run


def pool(world: World, recipe: str, **more: Any) -> None:
    set_plan(collection=world.collection, recipe=recipe, **more)
    make_pool(collection=world.collection)


def starts(query: Query, batch: int | None = None) -> list[float]:
    """Where the query's candidates begin, in order of rank; of one batch's pairs, if said."""
    candidates = Candidate.objects.filter(query=query).order_by("rank")
    if batch is not None:
        candidates = candidates.filter(pair__batch__number=batch)
    return list(candidates.values_list("moment__start", flat=True))


def test_depth_pools_every_run_s_first_and_says_which_run_had_each(world: World, tmp_path: Path) -> None:
    boat = add(world, tmp_path, "boat", seconds(1, 2, 3), seconds(9))
    kite = add(world, tmp_path, "kite", seconds(2, 5, 6))
    pool(world, "depth@2")
    assert [sorted(starts(query)) for query in world.queries] == [[1, 2, 5], [9]]
    sources = CandidateSource.objects.filter(candidate__query=world.queries[0]).order_by("candidate__moment__start")
    assert [(source.run, source.rank, source.plan.recipe, source.plan.version) for source in sources] == [
        (boat, 1, "depth@2", 1),
        (kite, 1, "depth@2", 1),
        (kite, 2, "depth@2", 1),
    ]
    candidate = Candidate.objects.filter(query=world.queries[0]).earliest("rank")
    assert (candidate.similarity, candidate.caption, candidate.caption_text) == (None, None, "")


def test_topics_are_named_by_their_ids_and_pooled_without_any_caption(world: World, tmp_path: Path) -> None:
    turn_into_topics(world.collection)
    world.queries = list(world.collection.queries.order_by("pk"))
    assert world.queries[0].topic_id == "T1"
    add(world, tmp_path, "boat", seconds(1, 2), [(50, 60)])
    pool(world, "depth@2")
    assert open_annotation(collection=world.collection).pairs == 3


def test_the_pool_is_opened_whole_and_needs_no_review(world: World, tmp_path: Path) -> None:
    add(world, tmp_path, "boat", seconds(1, 2, 3, 4, 5), seconds(9))
    pool(world, "depth@5")
    opened = open_annotation(collection=world.collection)
    assert (opened.batches, opened.pairs) == (4, 6)
    assert open_annotation(collection=world.collection).batches == 0
    for batch in Batch.objects.order_by("-pk"):
        grade_batch(world, batch, lambda rank: (1, 1))
    assert set(Batch.objects.values_list("status", flat=True)) == {"extended", "finished"}
    assert list(world.queries[0].batches.order_by("number").values_list("status", flat=True)) == [
        "extended",
        "extended",
        "finished",
    ]
    assert not Review.objects.exists()


def test_which_batch_a_pair_is_in_tells_nothing_where_all_of_the_pool_is_judged(world: World, tmp_path: Path) -> None:
    Collection.objects.update(batch_size=5, max_batches=9)
    world.collection.refresh_from_db()
    add(world, tmp_path, "boat", seconds(*range(20)), seconds(*range(20)))
    pool(world, "depth@20")
    open_annotation(collection=world.collection)
    for query in world.queries:
        ranks = CandidateSource.objects.filter(candidate__query=query, candidate__pair__batch__number=1)
        assert max(ranks.values_list("rank", flat=True)) > 5
    assert starts(world.queries[0]) != starts(world.queries[1])


def test_predictions_that_overlap_are_one_moment_a_real_span(world: World, tmp_path: Path) -> None:
    add(world, tmp_path, "boat", [(0.1, 1.1), (100, 110), (200, 210)])
    add(world, tmp_path, "kite", [(101, 111), (199, 204), (100, 110.5)])
    pool(world, "depth@3")
    moments = Moment.objects.filter(pk__in=Candidate.objects.values("moment")).order_by("start")
    # The corpus' own moment; the better ranked span of those that overlap by half; the same, by rank and run.
    assert list(moments.values_list("start", "end")) == [(0, 1), (101, 111), (199, 204), (200, 210)]
    kept = {
        (answer.run.system): (answer.moments, answer.ious) for answer in PoolRunAnswer.objects.select_related("run")
    }
    keys = dict(moments.values_list("start", "pk"))
    assert kept["boat"][0] == [keys[0], keys[101], keys[200]]
    assert kept["kite"][0] == [keys[101], keys[199], keys[101]]
    assert kept["boat"][1] == pytest.approx([0.9 / 1.1, 9 / 11, 1.0])
    assert not Moment.objects.filter(start=100).exists(), "a moment that isn't judged isn't made"


def test_a_fixed_budget_by_fusion_takes_what_most_runs_have(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add(world, tmp_path, "boat", seconds(*range(1, 9)))
    add(world, tmp_path, "kite", seconds(8, 7, 6, 12, 13))
    call_command("make_pool", "paper", recipe="rrf")
    assert sorted(starts(world.queries[0])) == [1, 2, 3, 6, 7, 8]
    assert "1 has as many pairs as a query may have: the setting most batches allows more." in capsys.readouterr().out


def test_repeating_it_changes_nothing(world: World, tmp_path: Path) -> None:
    add(world, tmp_path, "boat", seconds(1, 2), seconds(3))
    pool(world, "depth@2")
    before = list(Candidate.objects.order_by("pk").values())
    assert make_pool(collection=world.collection).queries == 0
    set_plan(collection=world.collection, recipe=" Depth@2 ")
    assert PoolPlan.objects.count() == 1
    QueryPool.objects.update(stale=True)
    make_pool(collection=world.collection)
    assert list(Candidate.objects.order_by("pk").values()) == before


def test_a_run_added_later_brings_only_what_is_new_as_batches_of_their_own(world: World, tmp_path: Path) -> None:
    add(world, tmp_path, "boat", seconds(1, 2, 3))
    pool(world, "depth@3")
    open_annotation(collection=world.collection)
    for batch in Batch.objects.order_by("pk"):
        grade_batch(world, batch, lambda rank: (2, 2))
    judged = list(Pair.objects.order_by("pk").values())
    add(world, tmp_path, "kite", seconds(3, 4), seconds(7))
    assert queries_to_pool(world.collection).count() == 2
    make_pool(collection=world.collection)
    first = world.queries[0]
    rows = Candidate.objects.filter(query=first).order_by("rank").values_list("rank", "moment__start")
    assert [rank for rank, _ in rows] == [1, 2, 3, 5] and rows[3][1] == 4
    assert sorted(start for _, start in rows) == [1, 2, 3, 4]
    opened = open_annotation(collection=world.collection)
    assert (opened.batches, opened.pairs) == (2, 2)
    assert list(first.batches.order_by("number").values_list("number", "status")) == [
        (1, "extended"),
        (2, "extended"),
        (3, "first"),
    ]
    assert list(Pair.objects.order_by("pk").values())[:3] == judged
    twice = Candidate.objects.values("query", "moment").annotate(times=Count("pk")).filter(times__gt=1)
    assert not twice.exists()


def test_move_to_front_goes_on_with_the_run_that_found_something(world: World, tmp_path: Path) -> None:
    add(world, tmp_path, "boat", seconds(1, 2, 3, 4))
    add(world, tmp_path, "kite", seconds(11, 12, 13, 14))
    pool(world, "move-to-front")
    open_annotation(collection=world.collection)
    first = world.queries[0]
    assert starts(first) == [1, 11], "one batch, spread over the runs"
    grade_batch(world, first.batches.get(number=1), lambda rank: (4, 4) if rank == 2 else (0, 0))
    assert first.batches.get(number=1).status == "decided"
    assert clear_batches(collection=world.collection, grace=NOW) == {"extend": 1, "finish": 0}
    assert apply_policy(collection=world.collection, grace=NOW) == Applied(extended=1)
    assert starts(first, batch=2) == [12, 2]
    review = Review.objects.get()
    assert (review.decided_by, review.decision) == (None, "extend")
    grade_batch(world, first.batches.get(number=2), lambda rank: (4, 4) if rank == 3 else (0, 0))
    apply_policy(collection=world.collection, grace=NOW)
    assert starts(first, batch=3) == [13, 14], "the best run so far"
    grade_batch(world, first.batches.get(number=3), lambda rank: (0, 0))
    assert first.batches.get(number=3).status == "finished", "no fourth batch: at most three"


def test_max_mean_ends_when_every_run_is_judged_to_its_end(world: World, tmp_path: Path) -> None:
    add(world, tmp_path, "boat", seconds(1, 2))
    add(world, tmp_path, "kite", seconds(11))
    pool(world, "max-mean")
    open_annotation(collection=world.collection)
    first = world.queries[0]
    grade_batch(world, first.batches.get(number=1), lambda rank: (0, 0))
    apply_policy(collection=world.collection, grace=NOW)
    grade_batch(world, first.batches.get(number=2), lambda rank: (4, 4))
    assert first.batches.get(number=2).status == "finished"
    assert sorted(starts(first)) == [1, 2, 11]


def test_without_going_on_by_itself_the_lead_decides(world: World, tmp_path: Path) -> None:
    add(world, tmp_path, "boat", seconds(1, 2, 3))
    pool(world, "max-mean", by_itself=False)
    open_annotation(collection=world.collection)
    batch = world.queries[0].batches.get()
    grade_batch(world, batch, lambda rank: (4, 4))
    assert apply_policy(collection=world.collection, grace=NOW) == Applied()
    review = review_batch(member=world["ada"], batch_id=batch.pk, decision="extend")
    assert starts(world.queries[0], batch=2) == [3]
    take_back_review(member=world["ada"], batch_id=batch.pk, review_id=review.pk)
    review_batch(member=world["ada"], batch_id=batch.pk, decision="extend")
    assert starts(world.queries[0], batch=2) == [3]


def test_a_mixed_recipe_follows_the_paper_s_rule_and_then_the_runs(world: World, tmp_path: Path) -> None:
    similar(world)
    Collection.objects.update(batch_size=20)
    world.collection.refresh_from_db()
    add(world, tmp_path, "boat", seconds(3, 28, 29), seconds(28))
    pool(world, "paper+depth@2")
    open_annotation(collection=world.collection)
    first, second = world.queries
    assert starts(first) == list(range(20))
    sources = CandidateSource.objects.filter(candidate__query=first)
    assert set(sources.values_list("ranker", "run")) == {("minilm@1", None)}
    candidate = Candidate.objects.filter(query=first).earliest("rank")
    assert (candidate.similarity, candidate.caption_text) == (0.99, "A woman does thing 0.")
    # The last five are still relevant for the first query, and not for the second.
    grade_batch(world, first.batches.get(), lambda rank: (4, 4))
    grade_batch(world, second.batches.get(), lambda rank: (0, 0))
    assert apply_policy(collection=world.collection, grace=NOW) == Applied(extended=2)
    assert starts(first, batch=2) == list(range(20, 30))
    assert starts(second, batch=2) == [28]
    assert Candidate.objects.get(query=second, moment__start=28).source.run is not None


def similar(world: World) -> None:
    """What `fetch_candidates` leaves: all thirty moments by similarity."""
    captions = list(Caption.objects.order_by("pk").select_related("description"))
    for query in world.queries:
        query.ranked_by = "minilm@1"
        query.save()
        Candidate.objects.bulk_create(
            Candidate(
                query=query,
                moment_id=caption.description.moment_id,
                caption=caption,
                caption_text=caption.text,
                rank=rank,
                similarity=1 - rank / 100,
            )
            for rank, caption in enumerate(captions, start=1)
        )


def test_where_nothing_is_left_to_choose_the_batch_is_finished(world: World, tmp_path: Path) -> None:
    similar(world)
    Collection.objects.update(batch_size=20)
    world.collection.refresh_from_db()
    add(world, tmp_path, "boat", seconds(3))
    pool(world, "paper+depth@1")
    open_annotation(collection=world.collection)
    batch = world.queries[0].batches.get()
    grade_batch(world, batch, lambda rank: (0, 0))
    with pytest.raises(Refused, match="no more candidates to judge: finish it"):
        review_batch(member=world["ada"], batch_id=batch.pk, decision="extend")
    assert apply_policy(collection=world.collection, grace=NOW) == Applied(finished=1)


def test_what_was_judged_under_the_paper_s_recipe_stays_and_counts(world: World, tmp_path: Path) -> None:
    similar(world)
    open_annotation(collection=world.collection)
    first = world.queries[0]
    grade_batch(world, first.batches.get(), lambda rank: (4, 4))
    add(world, tmp_path, "boat", seconds(0, 17))
    pool(world, "depth@5")
    assert starts(first) == [0, 1, 17], "17 was in no batch yet, and 2 and 3 aren't chosen any more"
    open_annotation(collection=world.collection)
    assert list(first.batches.order_by("number").values_list("status", flat=True)) == ["extended", "first"]
    assert CandidateSource.objects.filter(candidate__query=first).count() == 1


def test_discarded_pairs_count_as_not_relevant_and_come_no_second_time(world: World, tmp_path: Path) -> None:
    add(world, tmp_path, "boat", seconds(1, 2, 3))
    add(world, tmp_path, "kite", seconds(11, 12, 13))
    pool(world, "max-mean")
    open_annotation(collection=world.collection)
    first = world.queries[0]
    grade_batch(world, first.batches.get(), lambda rank: DISCARDED if rank == 1 else (2, 2))
    apply_policy(collection=world.collection, grace=NOW)
    assert starts(first, batch=2) == [12, 13]


def test_a_run_goes_while_nothing_of_it_is_open(world: World, tmp_path: Path) -> None:
    boat = add(world, tmp_path, "boat", seconds(1, 2))
    kite = add(world, tmp_path, "kite", seconds(3))
    pool(world, "depth@1")
    remove_run(run=kite)
    assert starts(world.queries[0]) == [1]
    make_pool(collection=world.collection)
    open_annotation(collection=world.collection)
    with pytest.raises(FileRefused, match="paper boat stays: 1 pair that it put into the pool is open"):
        remove_run(run=boat)
    assert PoolRun.objects.get() == boat


@pytest.mark.parametrize(
    ("recipe", "more", "sentence"),
    [
        ("best", {}, "'best' is no recipe: expected one of paper, depth, depth@K"),
        ("depth@500", {}, "Found depth@500, expected a depth of at most 100"),
        ("depth@5", {"iou": 0}, "Found IoU 0, expected a number above 0"),
        ("depth@5", {"iou": float("nan")}, "Found IoU nan, expected"),
        ("max-mean", {"least_grade": 5}, "Found grade 5, expected 1 to 4"),
        ("+".join(["depth@1"] * 24 + ["depth@100"]), {}, "expected at most 200 characters"),
    ],
)
def test_a_recipe_that_is_none_is_refused(recipe: str, more: dict[str, Any], sentence: str, world: World) -> None:
    with pytest.raises(Refused) as refused:
        set_plan(collection=world.collection, recipe=recipe, **more)
    assert sentence in str(refused.value)
    assert not PoolPlan.objects.exists()


def test_what_has_to_come_first_is_said(world: World, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="the paper's recipe needs no runs"):
        make_pool(collection=world.collection)
    with pytest.raises(CommandError, match="there are no runs yet: add one first"):
        call_command("make_pool", "paper", recipe="depth@10")
    add(world, tmp_path, "boat", seconds(1))
    with pytest.raises(CommandError, match="needs the similarity of captions: fetch candidates first"):
        call_command("make_pool", "paper", recipe="paper+depth@10")
    call_command("make_pool", "paper", recipe="depth@10")
    open_annotation(collection=world.collection)
    with pytest.raises(CommandError, match="the paper's recipe can't be the only one"):
        call_command("make_pool", "paper", recipe="paper")


def test_a_pool_goes_with_its_collection(world: World, tmp_path: Path) -> None:
    add(world, tmp_path, "boat", seconds(1), [(50, 60)])
    pool(world, "depth@1")
    open_annotation(collection=world.collection)
    delete_rows([world.collection.pk], lambda table: None)
    connection.check_constraints()
    assert not any(model.objects.exists() for model in (PoolRun, PoolRunAnswer, PoolPlan, QueryPool, CandidateSource))
