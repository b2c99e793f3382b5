"""Gold by a program: the list, a person's answers, and judgments since opened again, as on the pages."""

import pytest

from annotation.assignment.next_tasks import next_tasks
from annotation.models import GoldPair, Judgment, Pair, Repeat, RepeatAnswer
from foundation.models import Collection
from tests.annotation.gold_worlds import gold_world, make_gold, member
from tests.api.callers import Caller
from tests.conftest import World

HERE = "/collections/paper"


@pytest.fixture
def world(db: None) -> World:
    return gold_world()


def test_gold_is_listed_added_and_taken_off(world: World) -> None:
    ada = Caller(world["ada"])
    pair, other = Pair.objects.filter(batch__query=world.queries[1]).order_by("pk")[:2]
    sent = {"pairs": [{"pair_id": str(pair.public_id), "grade": 4, "explanation": "He waves."}]}
    assert ada.post(f"{HERE}/gold", sent).json() == {"added": 1}
    assert ada.post(f"{HERE}/gold", sent).json() == {"added": 0}
    assert ada.post(f"{HERE}/gold", {"queries": [world.queries[0].pk]}).json() == {"added": 6}
    listed = ada.get(f"{HERE}/gold").json()["items"]
    assert len(listed) == 7 and {one["source"] for one in listed} == {"decided", "lead"}
    assert listed[-1] == {
        "gold": listed[-1]["gold"],
        "pair": str(pair.public_id),
        "query": world.queries[1].text,
        "grade": 4,
        "explanation": "He waves.",
        "source": "lead",
        "added_at": listed[-1]["added_at"],
        "answered": 0,
        "error": None,
    }
    wrong = {"pairs": [{"pair_id": str(other.pk), "grade": 7}, {"pair_id": "nobody", "grade": 1}]}
    refused = ada.post(f"{HERE}/gold", wrong)
    assert refused.status_code == 422
    assert {error["field"] for error in refused.json()["errors"]} == {"body.pairs.0.grade", "body.pairs.1.pair_id"}
    Collection.objects.update(top_grade=100, grade_step=20)
    refused = ada.post(f"{HERE}/gold", {"pairs": [{"pair_id": str(other.pk), "grade": 30}]})
    assert "a whole number from 0 to 100 in steps of 20" in refused.content.decode()
    for nothing in ({}, {"pairs": sent["pairs"], "queries": [1]}):
        assert ada.post(f"{HERE}/gold", nothing).status_code == 422
    assert ada.post(f"{HERE}/gold", {"queries": [world.queries[4].pk]}).status_code == 409
    assert GoldPair.objects.filter(removed_at=None).count() == 7
    for _ in range(2):
        assert ada.delete(f"{HERE}/gold/{listed[-1]['gold']}").status_code == 204
    assert ada.delete(f"{HERE}/gold/1000000").status_code == 404
    assert len(ada.get(f"{HERE}/gold").json()["items"]) == 6
    assert Caller(world["bo"]).get(f"{HERE}/gold").status_code == 403


def test_judgments_since_the_last_good_gold_are_opened_again_and_count_again(world: World) -> None:
    ada, cy = Caller(world["ada"]), world["cy"]
    one = f"{HERE}/people/{cy.pk}/gold"
    assert ada.get(one).json() | {"decisions": []} == {
        "figures": None,
        "answers": [],
        "since": None,
        "going_on": 0,
        "finished": 18,
        "stay": 0,
        "decisions": [],
    }
    gold = make_gold(world, 0)[0]
    repeat = Repeat.objects.create(pair=gold.pair, gold=gold, annotator=cy, closed_at=gold.added_at)
    first = Judgment.objects.filter(annotator=cy).order_by("given_at")[0]
    answer = RepeatAnswer.objects.create(
        repeat=repeat, annotator=cy, grade=gold.grade, key=repeat.public_id, decided_at=first.given_at
    )
    RepeatAnswer.objects.filter(pk=answer.pk).update(given_at=first.given_at)
    of_cy, of_di = (ada.get(f"{HERE}/people").json()["items"][place] for place in (1, 2))
    assert of_cy["gold"]["overall"]["answered"] == 1 and "gold" not in of_di
    told = ada.get(one).json()
    assert (told["finished"], told["stay"]) == (17, 0) and told["figures"]["overall"]["answered"] == 1
    assert told["since"] is not None and told["answers"][0]["known"] == gold.grade
    everything = ada.get(f"{one}?answer=0").json()
    assert (everything["finished"], everything["stay"], everything["since"]) == (17, 1, None)
    assert ada.get(f"{one}?answer={answer.pk}").json() == told
    for unknown in (10**9, -1, "x"):
        refused = ada.get(f"{one}?answer={unknown}")
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "query.answer")
    asked = {"seen": 16, "finished": True, "reason": "Gold missed."}
    assert ada.post(f"{one}/set-aside", asked).status_code == 409
    assert ada.post(f"{one}/set-aside", {**asked, "answer": 10**9}).status_code == 422
    made = ada.post(f"{one}/set-aside", {**asked, "seen": 17, "answer": answer.pk}).json()
    (decision,) = made["decisions"]
    assert (decision["judgments"], decision["restorable"], made["finished"]) == (17, 17, 0)
    assert Caller(cy).post(f"{HERE}/set-asides/{decision['decision']}/withdraw").status_code == 403
    again = ada.post(f"{HERE}/set-asides/{decision['decision']}/withdraw").json()
    assert (again["restored"], again["restorable"]) == (17, None)
    assert ada.post(f"{HERE}/set-asides/1000000/withdraw").status_code == 404


def test_who_judges_by_a_program_is_told_what_the_page_tells(world: World) -> None:
    Collection.objects.update(gold_feedback="at-once")
    gold = make_gold(world, 0)[0]
    bo = world["bo"]
    repeat = Repeat.objects.create(pair=gold.pair, gold=gold, annotator=bo)
    type(bo).objects.filter(pk=bo.pk).update(repeat_waits=True)
    assert next_tasks(member=member(world))[0].pair == str(repeat.public_id)
    sent = {"pair": str(repeat.public_id), "grade": 1, "key": str(repeat.public_id), "played": 1}
    told = Caller(bo).post(f"{HERE}/judging/grade", sent).json()
    assert f"You: 1, known: {gold.grade}." in told["message"]
