"""What an annotator used beside the picture is kept with the grade where the collection has it, and nowhere else."""

import json
import uuid
from typing import Any

import pytest
from django.test import Client

from annotation.models import Judgment, Repeat, RepeatAnswer
from corpus.models import Clip
from foundation.models import Collection, Membership
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(db: None) -> World:
    world = build_world(queries=1, candidates=4, clips=True)
    Collection.objects.update(context_seconds=5.0)
    Clip.objects.update(duration=4.0)
    return world


def post(client: Client, path: str, **sent: Any) -> Any:
    return client.post(f"/c/paper/judge/{path}", json.dumps(sent), content_type="application/json")


def grade(client: Client, pair: str, **more: Any) -> Any:
    return post(client, "grade", pair=pair, grade=3, key=str(uuid.uuid4()), played=1.0, **more)


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ({"used": ["context"]}, ["context"]),
        ({"used": ["context", "context", "sound"]}, ["context"]),
        ({"used": []}, []),
        ({"used": None}, None),
        ({}, None),
    ],
)
def test_what_was_used_is_kept_with_the_grade(world: World, client_of: Any, sent: Any, kept: Any) -> None:
    bo = client_of(world["bo"].account)
    pair = post(bo, "next").json()["tasks"][0]["pair"]
    assert grade(bo, pair, **sent).status_code == 200
    assert Judgment.objects.get().used == kept


@pytest.mark.parametrize("used", ["context", [1], ["smell"], ["context"] * 4, {"context": True}])
def test_what_is_no_list_of_kinds_is_refused_with_what_was_expected(world: World, client_of: Any, used: Any) -> None:
    bo = client_of(world["bo"].account)
    pair = post(bo, "next").json()["tasks"][0]["pair"]
    answer = grade(bo, pair, used=used)
    assert answer.status_code == 400 and 'expected a list of "context", "sound" and "subtitles"' in answer.text
    assert not Judgment.objects.exists()


def test_a_collection_that_shows_the_picture_alone_keeps_nothing_of_it(world: World, client_of: Any) -> None:
    Collection.objects.update(context_seconds=0)
    bo = client_of(world["bo"].account)
    pair = post(bo, "next").json()["tasks"][0]["pair"]
    assert grade(bo, pair, used=["context"]).status_code == 200
    assert Judgment.objects.get().used is None


def test_a_taken_back_grade_keeps_its_own_and_the_next_one_says_anew(world: World, client_of: Any) -> None:
    bo = client_of(world["bo"].account)
    pair = post(bo, "next").json()["tasks"][0]["pair"]
    grade(bo, pair, used=["context"])
    assert post(bo, "undo").json()["tasks"][0]["pair"] == pair
    grade(bo, pair, used=[])
    assert list(Judgment.objects.order_by("pk").values_list("counted", "used")) == [(False, ["context"]), (True, [])]


def test_a_hidden_repeat_keeps_it_too(world: World, client_of: Any) -> None:
    bo = client_of(world["bo"].account)
    pair = post(bo, "next").json()["tasks"][0]["pair"]
    grade(bo, pair, used=[])
    first = Judgment.objects.get()
    repeat = Repeat.objects.create(pair=first.pair, annotator=world["bo"], first=first)
    Membership.objects.update(repeat_waits=True)
    assert grade(bo, str(repeat.public_id), used=["context"]).status_code == 200
    assert RepeatAnswer.objects.get().used == ["context"]
