"""The page of the sample: a lead makes a design, sees its strata, extends and removes it; the API says the same."""

from typing import Any

import pytest

from annotation.batches.opening import open_annotation
from annotation.models import MachineJudge, Opening, Pair, SamplingDesign
from tests.annotation.sampling.test_designs import unopened_world
from tests.api.callers import Caller
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db

PAGE = "/c/paper/sampling/"
API = "/collections/paper/sampling"
SENT = {"unit": "pair", "numbers": "3, 2", "strata": "rank", "bands": "5", "seed": "4"}


@pytest.fixture
def world(db: None) -> World:
    return unopened_world(queries=2, candidates=12)


def test_a_lead_makes_extends_and_removes_a_design(world: World, client_of: Any) -> None:
    ada = client_of(world["ada"].account)
    assert "Draw the sample" in ada.get(PAGE).content.decode()
    assert ada.post(f"{PAGE}make", SENT)["Location"] == PAGE
    page = ada.get(PAGE)
    assert [(row.name, row.size, row.drawn, row.judged) for row in page.context["design"].of_strata] == [
        ("ranks 1-5", 10, 6, 0),
        ("ranks 6-", 14, 4, 0),
    ]
    assert "0.600" in page.content.decode() and "Remove the design" in page.content.decode()
    assert "Of each query, with those drawn already" in page.content.decode()
    opening = ada.get("/c/paper/opening/").content.decode()
    assert "drew of each query a batch" in opening and "Second batches" not in opening
    assert ada.post(f"{PAGE}extend", {"numbers": "3 4"})["Location"] == PAGE
    assert not Opening.objects.exists()
    assert [stage.drawn for stage in ada.get(PAGE).context["design"].stages] == [10, 4]
    assert ada.post(f"{PAGE}remove")["Location"] == PAGE
    assert not SamplingDesign.objects.exists()
    assert ada.post(f"{PAGE}extend", {"numbers": "9"})["Location"] == PAGE
    ada.post(f"{PAGE}make", SENT)
    open_annotation(collection=world.collection)
    page = ada.get(PAGE).content.decode()
    assert "Remove the design" not in page and "Draw more" in page
    assert "so it stays" in ada.post(f"{PAGE}remove", follow=True).content.decode()
    ada.post(f"{PAGE}extend", {"numbers": "5, 5"})
    assert Opening.objects.get().member == world["ada"]
    assert ada.get("/c/paper/").status_code == 200 and ada.get("/c/paper/opening/").status_code == 200


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"numbers": "3, two"}, "expected whole numbers from 1 on"),
        ({"numbers": "0"}, "expected whole numbers from 1 on"),
        ({"numbers": ""}, "Enter a whole number."),
        ({"numbers": "1,200"}, "may be one number or several"),
        ({"unit": "query", "strata": "", "bands": "", "numbers": "1, 2"}, "one for each stratum: all."),
        ({"strata": "machine", "bands": "", "numbers": "3, 2, 1"}, "take a machine judge"),
        ({"bands": "5, 2"}, "last rank of each band"),
        ({"strata": "split"}, "for this unit"),
        ({"strata": "machine", "bands": ""}, "take a machine judge"),
        ({"seed": "-1"}, "expected a whole number"),
        ({"unit": "<b>"}, "Nothing was drawn"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(
    wrong: dict[str, str], sentence: str, world: World, client_of: Any
) -> None:
    answer = client_of(world["ada"].account).post(f"{PAGE}make", {**SENT, **wrong})
    assert answer.status_code == 400 and sentence in answer.content.decode()
    assert not SamplingDesign.objects.exists()


def test_a_wrong_extension_is_shown_again(world: World, client_of: Any) -> None:
    ada = client_of(world["ada"].account)
    ada.post(f"{PAGE}make", SENT)
    for numbers, sentence in (
        ("x", "whole numbers from 1 on"),
        ("2, 2", "no fewer than the 3"),
        ("3, 2", "nothing new"),
    ):
        answer = ada.post(f"{PAGE}extend", {"numbers": numbers})
        assert answer.status_code == 400 and sentence in answer.content.decode()


def test_a_collection_that_is_open_without_a_design_says_so(db: None, client_of: Any) -> None:
    world = build_world()
    page = client_of(world["ada"].account).get(PAGE).content.decode()
    assert "judged with certainty" in page and "Draw the sample" not in page


def test_a_program_makes_extends_and_removes_a_design(world: World) -> None:
    ada = Caller(world["ada"])
    assert ada.get(API).status_code == 404
    judge = MachineJudge.objects.create(collection=world.collection, name="clip", kind="file", model="m", family="CLIP")
    made = ada.post(API, {"unit": "pair", "numbers": [4], "strata": "machine", "judge": judge.pk})
    assert (made.status_code, made.json()["drawn"], made.json()["judge"]) == (201, 8, "clip")
    assert made.json()["of_strata"][0]["name"] == "no grade"
    assert ada.post(f"{API}/extend", {"numbers": [6]}).json()["drawn"] == 12
    assert ada.post(f"{API}/extend", {"numbers": [6]}).status_code in (409, 422)
    assert [stage["asked"] for stage in ada.get(API).json()["stages"]] == [[4], [6]]
    assert ada.post(API, {"unit": "query", "numbers": [1]}).status_code == 409
    assert ada.delete(API).status_code == 204 and ada.get(API).status_code == 404
    other = build_world(name="other")
    foreign = MachineJudge.objects.create(collection=other.collection, name="clip", kind="file", model="m", family="f")
    sent = {"unit": "pair", "numbers": [4], "strata": "machine", "judge": foreign.pk}
    assert ada.post(API, sent).json()["errors"][0]["field"] == "body.judge"
    for wrong in ({"numbers": []}, {"numbers": [0]}, {"unit": "clip"}, {"seed": -1}):
        assert ada.post(API, {"unit": "query", "numbers": [1], **wrong}).status_code == 422
    assert not SamplingDesign.objects.exists()
    ada.post(API, {"unit": "query", "numbers": [1]})
    open_annotation(collection=world.collection)
    assert Pair.objects.filter(batch__collection=world.collection).values("batch").distinct().count() == 1
    assert ada.delete(API).status_code == 409
