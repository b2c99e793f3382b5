"""A sample of queries or pairs: drawn with known probabilities, opened, extended without judging a pair twice."""

from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.batches.opening import open_annotation
from annotation.batches.opening_jobs import ask_for_opening, open_batches
from annotation.batches.transitions import is_last
from annotation.models import (
    Batch,
    MachineJudge,
    MachineJudgment,
    Opening,
    Pair,
    SampledUnit,
    SamplingDesign,
    SamplingStratum,
)
from annotation.review.decisions import review_batch
from annotation.sampling.designs import extend_design, make_design, remove_design
from annotation.sampling.drawing_rule import band, permanent_number, shares
from annotation.sampling.selectors import design_facts
from desk.backlog import backlog
from desk.opening.estimate import opening_plan
from desk.overview_figures import count_material
from foundation.deletion.rows import delete_rows
from foundation.models import AuditEntry, Collection
from foundation.refused import Refused
from queries.models import Candidate, Query
from queries.runs.plans import set_plan
from queries.topics.edit_topics import add_topic, delete_topic
from tests.annotation.reviewed_worlds import grade_batch
from tests.conftest import World, build_world
from tests.plans import recorded_plans

pytestmark = pytest.mark.django_db


def unopened_world(**of: int) -> World:
    """A collection with candidates, before judging is opened."""
    world = build_world(**of)
    Pair.objects.all().delete()
    Batch.objects.all().delete()
    return world


def drawn() -> set[int]:
    """The units drawn by now."""
    return set(SampledUnit.objects.filter(drawn_at__isnull=False).values_list("pk", flat=True))


def probabilities(unit: str) -> dict[int, float]:
    """Those of the units drawn by now."""
    return dict(SampledUnit.objects.filter(drawn_at__isnull=False).values_list(unit, "probability"))


def pairs(collection: Collection, numbers: list[int], **more: Any) -> SamplingDesign:
    """A design of pairs with seed 3."""
    return make_design(collection=collection, unit="pair", numbers=numbers, seed=3, **more)


def test_numbers_are_permanent_and_uniform_and_shares_grow_with_the_number() -> None:
    numbers = [permanent_number(7, f"q{place}") for place in range(2000)]
    assert all(0 <= number < 1 for number in numbers) and abs(sum(numbers) / 2000 - 0.5) < 0.03
    assert numbers[:2] == [permanent_number(7, "q0"), permanent_number(7, "q1")] != [permanent_number(8, "q0"), 0]
    for sizes in ([82, 500], [1, 100, 1], [3, 3, 3]):
        before = shares(len(sizes), sizes)
        for number in range(len(sizes) + 1, sum(sizes) + 1):
            given = shares(number, sizes)
            assert sum(given) == number and all(0 < own <= size for own, size in zip(given, sizes, strict=True))
            before = given
        assert before == sizes
    assert [band(rank, [5, 20])[1] for rank in (1, 5, 6, 21)] == ["ranks 1-5", "ranks 1-5", "ranks 6-20", "ranks 21-"]


def test_of_drawn_queries_alone_judging_is_opened_and_reviews_go_on_as_ever() -> None:
    world = unopened_world(queries=6, candidates=25)
    collection = world.collection
    design = make_design(collection=collection, unit="query", numbers=[2], seed=5, strata="split")
    assert opening_plan(collection).drawn == 2 and opening_plan(collection).pairs == 40
    assert open_annotation(collection=collection).batches == 2
    chosen = set(design.units.order_by("number").values_list("query", flat=True)[:2])
    assert set(Batch.objects.values_list("query", flat=True)) == chosen
    assert open_annotation(collection=collection).batches == 0
    assert probabilities("query_id") == dict.fromkeys(chosen, 2 / 6)
    material = count_material(collection)
    assert (material.left_out, material.unopened_pairs, material.by_design) == (4, 0, True)
    assert backlog(collection, drawn=2).work.unopened == 0
    grade_batch(world, Batch.objects.order_by("pk")[0], lambda rank: (4, 4))
    batch = Batch.objects.order_by("pk")[0]
    review_batch(member=world["ada"], batch_id=batch.pk, decision="extend")
    assert Pair.objects.filter(batch__query=batch.query_id).count() == 25


def test_of_each_query_the_drawn_pairs_are_one_batch_and_no_review_adds_to_it() -> None:
    world = unopened_world(queries=2, candidates=30)
    collection = world.collection
    pairs(collection, [3, 2], strata="rank", bands=[10])
    assert opening_plan(collection).pairs == 10
    assert open_annotation(collection=collection).pairs == 10
    chosen = SampledUnit.objects.filter(drawn_at__isnull=False).values_list("candidate", flat=True)
    assert set(Pair.objects.values_list("candidate", flat=True)) == set(chosen)
    assert list(Batch.objects.values_list("number", flat=True)) == [1, 1]
    assert Pair.objects.filter(candidate__rank__gt=10).count() == 4
    assert set(probabilities("candidate_id").values()) == {3 / 10, 2 / 20}
    batch = Batch.objects.order_by("pk")[0]
    grade_batch(world, batch, lambda rank: (4, 4))
    batch.refresh_from_db()
    assert batch.status == Batch.Status.FINISHED and is_last(batch)
    assert backlog(collection, drawn=2).work.later == 0


def test_an_extension_keeps_what_was_drawn_and_opens_what_is_new_as_a_batch_of_its_own() -> None:
    world = unopened_world(queries=2, candidates=12)
    collection = world.collection
    design = pairs(collection, [4])
    open_annotation(collection=collection)
    first = Batch.objects.order_by("pk")[0]
    grade_batch(world, first, lambda rank: (1, 1))
    before, opened = drawn(), set(Pair.objects.values_list("pk", flat=True))
    with pytest.raises(Refused, match="nothing new to draw"):
        extend_design(design, 4)
    stage = extend_design(design, 7, member=world["ada"])
    assert stage.number == 2 and before < drawn() and len(drawn()) == 14
    assert set(SampledUnit.objects.values_list("probability", flat=True)) == {7 / 12}
    # The theorem of permanent numbers: it is the sample that would have been drawn at once.
    lowest = [set(design.units.filter(query=query).order_by("number")[:7]) for query in world.queries]
    assert {unit.pk for units in lowest for unit in units} == drawn()
    (job,) = Opening.objects.all()
    open_batches(job.pk)
    assert opened < set(Pair.objects.values_list("pk", flat=True)) and Pair.objects.count() == 14
    assert sorted(Batch.objects.values_list("query", "number")) == [
        (query.pk, number) for query in sorted(world.queries, key=lambda query: query.pk) for number in (1, 2)
    ]
    first.refresh_from_db()
    assert first.status == Batch.Status.EXTENDED
    facts = design_facts(collection)
    assert facts is not None
    assert [(row.asked, row.drawn, row.by) for row in facts.stages] == [
        ([4], 8, None),
        ([7], 6, world["ada"].worker),
    ]
    assert (facts.size, facts.drawn, facts.open, facts.judged) == (24, 14, 14, 4)
    with pytest.raises(Refused, match=r"found|Found"):
        extend_design(design, 0)


def test_drawing_joins_no_row_by_row_what_statistics_don_t_know_yet() -> None:
    """A hundred thousand pairs took minutes where PostgreSQL took the frame for empty."""
    collection = unopened_world(queries=3, candidates=5).collection
    with recorded_plans() as plans:
        extend_design(pairs(collection, [2]), [3])
    drawing = [plan for plan in plans if plan.statement.lstrip().startswith("UPDATE annotation_sampl")]
    assert len(drawing) == 4, "the strata and their units, twice"
    assert not [node for plan in drawing for node in plan.nodes() if node["Node Type"] == "Nested Loop"]


def test_fewer_than_are_drawn_is_refused_by_stratum() -> None:
    world = unopened_world(candidates=10)
    design = pairs(world.collection, [3, 2], strata="rank", bands=[5])
    with pytest.raises(Refused, match="no fewer than the 3"):
        extend_design(design, [2, 4])
    with pytest.raises(Refused, match="Found 3 numbers, expected one in all, or one for each stratum: ranks 1-5"):
        extend_design(design, [3, 3, 3])
    assert [row.drawn for row in SamplingStratum.objects.order_by("place")] == [3, 2]
    extend_design(design, [5, 99])
    assert [row.drawn for row in SamplingStratum.objects.order_by("place")] == [5, 5]


def test_strata_may_be_a_machine_s_grades_and_those_without_stand_apart() -> None:
    world = unopened_world(candidates=9)
    judge = MachineJudge.objects.create(collection=world.collection, name="clip", kind="file", model="m", family="CLIP")
    for candidate in Candidate.objects.filter(rank__lte=6):
        MachineJudgment.objects.create(judge=judge, candidate=candidate, grade=candidate.rank % 2)
    with pytest.raises(Refused, match=r"Found 4 numbers.*: grade 0, grade 1, no grade"):
        pairs(world.collection, [5, 1, 1, 1], strata="machine", judge=judge)
    pairs(world.collection, [5], strata="machine", judge=judge)
    rows = SamplingStratum.objects.order_by("place").values_list("name", "size")
    assert list(rows) == [("grade 0", 3), ("grade 1", 3), ("no grade", 3)]
    assert len(drawn()) == 5
    MachineJudgment.objects.filter(grade=0).update(grade=4)
    remove_design(collection=world.collection)
    # In the order of the page, which lists grade 1, grade 4 and none.
    pairs(world.collection, [3, 1, 2], strata="machine", judge=judge)
    rows = SamplingStratum.objects.order_by("place").values_list("name", "drawn")
    assert list(rows) == [("grade 1", 3), ("grade 4", 1), ("no grade", 2)]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"unit": "query", "strata": "rank", "bands": [5]}, "aren't for this unit"),
        ({"unit": "pair", "strata": "split"}, "aren't for this unit"),
        ({"unit": "clip"}, "aren't for this unit"),
        ({"strata": "rank"}, "last rank of each band"),
        ({"strata": "rank", "bands": [9, 5]}, "last rank of each band"),
        ({"bands": [5]}, "last rank of each band"),
        ({"strata": "machine"}, "take a machine judge"),
        ({"seed": -1}, "whole number from 0 on"),
        ({"numbers": []}, "how many are drawn"),
        ({"numbers": [0]}, "how many are drawn"),
        ({"strata": "rank", "bands": [5], "numbers": [1]}, "at least 2: one of each stratum"),
        ({"strata": "rank", "bands": [2, 5], "numbers": [1, 1]}, "Found 2 numbers"),
        ({"numbers": [3, 2]}, "one for each stratum: all"),
        ({"unit": "query", "numbers": [1, 200]}, "Found 2 numbers"),
    ],
)
def test_what_can_t_be_drawn_is_refused_and_nothing_is_made(wrong: dict[str, Any], sentence: str) -> None:
    world = unopened_world(candidates=10)
    sent = {"unit": "pair", "numbers": [4], "seed": 1, **wrong}
    with pytest.raises(Refused, match=sentence):
        make_design(collection=world.collection, **sent)
    assert not SamplingDesign.objects.exists() and not SampledUnit.objects.exists()


def test_a_design_is_made_before_judging_is_open_once_and_removed_only_till_then() -> None:
    world = build_world(candidates=4)
    with pytest.raises(Refused, match="Judging is open already"):
        pairs(world.collection, [2])
    Pair.objects.all().delete()
    Batch.objects.all().delete()
    pairs(world.collection, [2])
    with pytest.raises(Refused, match="There is a design already"):
        pairs(world.collection, [2])
    remove_design(collection=world.collection)
    remove_design(collection=world.collection)
    assert not SampledUnit.objects.exists()
    design = pairs(world.collection, [2])
    open_annotation(collection=world.collection)
    with pytest.raises(Refused, match="so it stays"):
        remove_design(collection=world.collection)
    Collection.objects.update(archived_at=design.made_at)
    with pytest.raises(Refused, match="archived"):
        extend_design(design, 3)
    told = AuditEntry.objects.filter(table="annotation_samplingdesign").values_list("operation", flat=True)
    assert sorted(told) == ["delete", "insert", "insert"]


def test_a_design_waits_for_no_opening_that_is_asked_for_and_goes_with_its_collection() -> None:
    world = unopened_world(queries=2, candidates=4)
    job = ask_for_opening(member=world["ada"])
    with pytest.raises(Refused, match="Judging is open already"):
        pairs(world.collection, [2])
    job.delete()
    pairs(world.collection, [2])
    open_annotation(collection=world.collection)
    delete_rows([world.collection.pk], lambda rows: None)
    assert not SamplingDesign.objects.exists() and not SampledUnit.objects.exists()


def test_pairs_can_t_be_drawn_without_candidates_or_before_grades_choose_them() -> None:
    world = unopened_world(queries=2, candidates=4)
    set_plan(collection=world.collection, recipe="max-mean", iou=0.5, least_grade=1, by_itself=True)
    with pytest.raises(Refused, match="from the grades so far"):
        pairs(world.collection, [2])
    set_plan(collection=world.collection, recipe="paper", iou=0.5, least_grade=1, by_itself=True)
    Candidate.objects.filter(query=world.queries[1]).delete()
    with pytest.raises(Refused, match="1 query has no candidates yet"):
        pairs(world.collection, [2])
    Query.objects.all().delete()
    with pytest.raises(Refused, match="no queries yet"):
        pairs(world.collection, [2])


def test_queries_of_a_design_stay_and_later_ones_are_outside() -> None:
    world = unopened_world(queries=2, candidates=3)
    topic = add_topic(collection=world.collection, typed={"text": "A boat", "split": "test"})
    make_design(collection=world.collection, unit="query", numbers=[2], seed=1)
    with pytest.raises(Refused, match="sample"):
        delete_topic(topic=topic)
    add_topic(collection=world.collection, typed={"text": "Another boat", "split": "test"})
    facts = design_facts(world.collection)
    assert facts is not None and (facts.outside, facts.size) == (1, 3)


def test_the_command_draws_and_draws_more(capsys: pytest.CaptureFixture[str]) -> None:
    world = unopened_world(queries=2, candidates=12)
    call_command("sample_judging", "paper", pairs_per_query=[3, 2], strata="rank", bands=[5], seed=9)
    assert "10 of 24 pairs are drawn, in 1 stage.\n  ranks 1-5: 6 of 10, probability 0.600" in capsys.readouterr().out
    call_command("sample_judging", "paper", pairs_per_query=[3, 4])
    assert "14 of 24 pairs are drawn, in 2 stages." in capsys.readouterr().out
    for options, sentence in (
        ({"queries": 1}, "draws by pair"),
        ({"pairs_per_query": [1]}, "Nothing was drawn: Found 1, expected at least 2"),
    ):
        with pytest.raises(CommandError, match=sentence):
            call_command("sample_judging", "paper", **options)
    remove_design(collection=world.collection)
    with pytest.raises(CommandError, match="no machine judge named 'x'"):
        call_command("sample_judging", "paper", pairs_per_query=[3], strata="machine", judge="x")
