"""Recruitments by a program: made, read, closed, and their sessions."""

import pytest
from django.utils import timezone

from annotation.models import GoldPair, Pair, Recruit, Recruitment, Repeat, RepeatAnswer
from annotation.recruiting.entering import enter
from annotation.recruiting.platforms import Ids
from tests.api.callers import Caller
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db
HERE = "/collections/paper/recruitments"
WAVE = {"name": "Wave", "platform": "prolific", "until": "judgments", "amount": 2}


@pytest.fixture
def world(db: None) -> World:
    world = build_world()
    world.collection.needs_exam = False
    world.collection.save()
    return world


def test_a_program_recruits_and_reads_sessions(world: World) -> None:
    ada = Caller(world["ada"])
    made = ada.post(HERE, {**WAVE, "known": ["p1"], "opens_at": None, "rate": "0.05", "paid_by": "judgment"})
    assert made.status_code == 201, made.content
    told = made.json()
    assert "PROLIFIC_PID={{%PROLIFIC_PID%}}" in told["entry"] and told["code"]
    enter(recruitment=Recruitment.objects.get(), ids=Ids("p1", "s1", "study"))
    address = f"{HERE}/{told['recruitment']}"
    (session,) = ada.get(f"{address}/sessions").json()["items"]
    assert (session["person"], session["session"], session["outcome"], session["due"]) == ("p1", "s1", "", None)
    assert (session["gold"], session["gold_within"]) == (0, 0)
    recruit, pair = Recruit.objects.get(), Pair.objects.all()[0]
    gold = GoldPair.objects.create(
        collection=world.collection, pair=pair, grade=4, source="lead", added_by=world["ada"]
    )
    repeat = Repeat.objects.create(pair=pair, gold=gold, annotator=recruit.member)
    RepeatAnswer.objects.create(
        repeat=repeat, annotator=recruit.member, grade=3, key=repeat.public_id, decided_at=timezone.now()
    )
    (session,) = ada.get(f"{address}/sessions").json()["items"]
    assert (session["gold"], session["gold_within"]) == (1, 1)
    assert ada.get(address).json()["live"] == 1
    assert ada.delete(address).status_code == 204 == ada.delete(address).status_code
    assert ada.get(HERE).json()["items"][0]["closed_at"]
    assert Caller(world["bo"]).get(HERE).status_code == 403


@pytest.mark.parametrize(
    "sent",
    [
        {"name": " "},
        {"amount": None},
        {"until": "screening"},
        {"most_out": 20},
        {"return_address": "http://evil.example/{code}"},
        {"known": ["a@example.org"]},
        {"known": [" "]},
        {"person_parameter": "a b"},
        {"platform": "facebook"},
        {"rate": -1},
        {"expires_at": "2020-01-01T00:00:00Z"},
    ],
    ids=str,
)
def test_what_won_t_do_makes_nothing(world: World, sent: dict[str, object]) -> None:
    answer = Caller(world["ada"]).post(HERE, {**WAVE, **sent})
    assert answer.status_code in (409, 422) and answer.json()["detail"], answer.content
    assert not Recruitment.objects.exists()
