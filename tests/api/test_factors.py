"""Factors by the API: declared, answered with a judgment, retired, and what they tell."""

import uuid
from typing import Any

import pytest

from annotation.models import JudgedFactor
from tests.annotation.factors.declaring import ACTION, WHOLE
from tests.api.callers import Caller
from tests.conftest import build_world

pytestmark = pytest.mark.django_db
HERE = "/collections/paper/factors"
NEW: dict[str, Any] = {
    "factors": [
        {
            "key": "action",
            "name": ACTION.words.name,
            "question": ACTION.words.question,
            "answers": ["no", "in part", "yes"],
            "languages": {"de": {"name": "Handlung", "question": "Gleich?", "answers": ["nein", "halb", "ja"]}},
        },
        {
            "key": "whole",
            "name": WHOLE.words.name,
            "question": WHOLE.words.question,
            "answers": ["no", "yes"],
            "may_skip": True,
        },
    ],
    "asked": "between",
}


def test_they_are_declared_answered_retired_and_told_of(db: None) -> None:
    world = build_world()
    ada, bo = Caller(world["ada"]), Caller(world["bo"], ("judge",))
    assert ada.get(HERE).json() == {"asked": "never", "factors": []}
    assert ada.post(HERE, NEW).status_code == 200
    shown = bo.get(HERE).json()
    assert (shown["asked"], [factor["key"] for factor in shown["factors"]]) == ("between", ["action", "whole"])
    assert shown["factors"][0]["languages"]["de"]["answers"] == ["nein", "halb", "ja"]
    pair = bo.post("/collections/paper/judging/next", {}).json()["tasks"][0]["pair"]
    given = {"pair": pair, "grade": 2, "key": str(uuid.uuid4()), "played": 1}
    refused = bo.post("/collections/paper/judging/grade", {**given, "factors": {"action": 1}})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "body.factors")
    assert "found no whole among the factors, expected action (0 to 2)" in str(refused.json())
    answered = {**given, "factors": {"action": 1, "whole": None}}
    assert bo.post("/collections/paper/judging/grade", answered).status_code == 200
    assert list(JudgedFactor.objects.order_by("pk").values_list("value", flat=True)) == [1, None]
    assert ada.post(HERE, NEW).status_code == 409
    assert ada.post(f"{HERE}/whole/retire").json()["factors"][1]["retired_at"]
    assert ada.post(f"{HERE}/hue/retire").status_code == 404
    told = ada.get(f"{HERE}/figures").json()
    assert told["says"].startswith("Judgments with answers: 1 ") and told["figures"]["factors"][0]["counts"] == [
        0,
        1,
        0,
    ]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"key": "A b"}, "body.factors.0.key"),
        ({"answers": ["yes"]}, "body.factors.0.answers"),
        ({"languages": {"de": {"name": "A", "question": "G?", "answers": ["ja", "nein"]}}}, "body.factors"),
        (
            {"languages": {"no tag": {"name": "A", "question": "G?", "answers": ["a", "b", "c"]}}},
            "body.factors.0.language",
        ),
        ({"key": "whole"}, "body.factors"),
        ({"name": " "}, "body.factors.0.name"),
    ],
)
def test_what_cannot_be_declared_says_where(db: None, change: dict[str, Any], field: str) -> None:
    ada = Caller(build_world()["ada"])
    first, second = NEW["factors"]
    refused = ada.post(HERE, {"factors": [{**first, **change}, second]})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, field)
    assert ada.get(HERE).json()["factors"] == []
