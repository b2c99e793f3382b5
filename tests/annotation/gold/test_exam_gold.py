"""An exam's items are gold to who never began that exam, and nothing else of the collection has them."""

from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from annotation.assignment.gold import offered_gold
from annotation.gold.exam_gold import add_exam, exams_to_add
from annotation.gold.gold_list import gold_of, remove_gold
from annotation.judging.flags import answer_flag, answered_flags, open_flags, raise_flag
from annotation.models import Batch, Exam, ExamItem, ExamSitting, Flag, GoldPair, Pair, Repeat
from foundation.collections.studies import carry_to_studies
from foundation.models import Collection, Membership
from foundation.refused import Refused
from queries.models import Caption, Query
from queries.pooling.query_selection import undrawn_captions
from tests.annotation.gold_worlds import WHY, gold_world, make_exam_gold, member
from tests.api.callers import Caller
from tests.conftest import World


@pytest.fixture
def world(db: None) -> World:
    made = gold_world()
    make_exam_gold(made, "ed")
    return made


def offered(world: World, name: str = "bo") -> int:
    return len(offered_gold(member(world, name), timezone.now()))


def test_the_items_are_gold_by_their_truth_and_stand_apart(world: World) -> None:
    assert [gold.grade for gold in gold_of(world.collection).order_by("pk")] == [0, 2, 2, 4, 4, 2]
    assert set(GoldPair.objects.values_list("explanation", "source")) == {(WHY, "decided")}
    assert Pair.objects.filter(batch__collection=world.collection).count() == 36, "as before"
    home = Collection.objects.get(study_of=world.collection)
    assert home.archived_at is not None and not home.memberships.exists()
    carry_to_studies(world["bo"])
    assert not home.memberships.exists()
    Query.objects.filter(collection=home).update(normalised=Caption.objects.order_by("pk")[5].normalised)
    assert not undrawn_captions(world.collection).filter(pk=Caption.objects.order_by("pk")[5].pk).exists()


def test_who_began_the_exam_never_gets_them_whatever_became_of_the_sitting(world: World) -> None:
    assert (offered(world), offered(world, "ed")) == (6, 0)
    ExamSitting.objects.update(set_aside_at=timezone.now())
    assert offered(world, "ed") == 0
    study = Collection.objects.create(name="pilot", title="Pilot", study_of=world.collection, purpose="pilot")
    Membership.objects.filter(pk=world["cy"].pk).update(collection=study, account=world["ed"].account_id)
    ExamSitting.objects.update(applicant=world["cy"])
    assert offered(world, "ed") == 0, "the same account"


def test_nor_a_pair_of_a_finished_query_that_was_asked_in_an_exam_in_other_letters(world: World) -> None:
    GoldPair.objects.all().update(removed_at=timezone.now(), removed_by=world["ada"])
    query = world.queries[0]
    for pair in Pair.objects.filter(batch__query=query):
        GoldPair.objects.create(collection=world.collection, pair=pair, grade=2, source="lead", added_by=world["ada"])
    ExamItem.objects.update(query=query.text.upper())
    assert (offered(world), offered(world, "ed")) == (6, 0), "the exam's items are of this query's caption"
    ExamItem.objects.update(description=world.queries[1].description, query=query.text)
    assert (offered(world), offered(world, "ed")) == (6, 0), "the caption was written anew since"
    ExamItem.objects.update(query="Another.")
    assert offered(world, "ed") == 6


def test_none_is_given_beside_a_query_of_the_same_words(world: World) -> None:
    item = ExamItem.objects.all()[0]
    Query.objects.filter(pk=world.queries[5].pk).update(normalised=item.query.lower())
    assert offered(world) == 0
    exam = Exam.objects.create(collection=world.collection, number=2, seed=2, opened_at=timezone.now())
    Exam.objects.filter(pk=exam.pk).update(frozen_at=timezone.now())
    ExamItem.objects.update(exam=exam)
    remove_gold(lead=world["ada"], gold_ids=GoldPair.objects.values_list("pk", flat=True))
    assert exams_to_add(world.collection) == [], "people judge it"


def test_an_exam_is_added_once_and_again_what_was_taken_off(world: World) -> None:
    assert exams_to_add(world.collection) == [] and add_exam(lead=world["ada"], number=1) == 0
    first = GoldPair.objects.order_by("pk")[0]
    remove_gold(lead=world["ada"], gold_ids=[first.pk])
    assert [(exam.number, left) for exam, left in exams_to_add(world.collection)] == [(1, 1)]
    assert add_exam(lead=world["ada"], number=1) == 1
    assert Pair.objects.filter(gold__isnull=False).distinct().count() == 6, "the same pair"


@pytest.mark.parametrize("number", [2, 3])
def test_one_that_is_none_or_not_compared_adds_nothing(world: World, number: int) -> None:
    Exam.objects.create(collection=world.collection, number=2, seed=2)
    with pytest.raises(Refused, match="whose first cohort is closed"):
        add_exam(lead=world["ada"], number=number)


def test_a_flag_reaches_the_lead_as_any_other(world: World) -> None:
    gold = GoldPair.objects.order_by("pk")[0]
    repeat = Repeat.objects.create(pair=gold.pair, annotator=world["bo"], gold=gold)
    raise_flag(member=member(world), pair_id=repeat.public_id, kind="clip", note="It is dark.")
    (flagged,) = open_flags(world.collection)
    assert flagged.query == "A woman is examined."
    answer_flag(member=member(world, "ada"), flag_id=Flag.objects.get().pk, outcome="withdrawn", answer="So it is.")
    assert [flag.outcome for flag in answered_flags(world.collection)] == ["withdrawn"]
    assert offered(world, "cy") == 5 and Batch.objects.get(pairs=gold.pair).status == "finished"
    remove_gold(lead=world["ada"], gold_ids=[gold.pk])
    assert add_exam(lead=world["ada"], number=1) == 0


def test_by_page_program_and_command(world: World, client_of: Any, capsys: pytest.CaptureFixture[str]) -> None:
    def take_off() -> None:
        remove_gold(lead=world["ada"], gold_ids=GoldPair.objects.values_list("pk", flat=True))

    ada = client_of(world["ada"].account)
    take_off()
    assert "Exam 1: 6 pairs" in ada.get("/c/paper/gold/").content.decode()
    sent = ada.post("/c/paper/gold/add", {"exam": "1"}, follow=True).content.decode()
    assert "6 pairs are gold now." in sent and "A woman is examined." in sent and "Add an exam" not in sent
    assert "expected" not in ada.post("/c/paper/gold/add", {"exam": "9" * 40}, follow=True).content.decode()
    assert "Gold of" not in ada.get("/c/paper/time/").content.decode()
    take_off()
    program = Caller(world["ada"])
    assert program.post("/collections/paper/gold", {"exam": 1}).json() == {"added": 6}
    assert program.post("/collections/paper/gold", {"exam": 1, "queries": [1]}).status_code == 422
    assert program.post("/collections/paper/gold", {"exam": 7}).status_code == 409
    take_off()
    call_command("gold", "paper", exam=1)
    assert capsys.readouterr().out.startswith("6 pairs of exam 1 added.")
