"""The page of a judge's calibration: what it says first, and what it says where there is little to say."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from annotation.machine_judges.calibration.figures import NAME, compute_calibration
from annotation.models import Computed, MachineJudge, Pair
from annotation.precomputed import refresh_computed
from tests.annotation.machine_judges.graded_worlds import graded_world, judge_of
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(db: None) -> World:
    return graded_world()


def page(client_of: Any, world: World, judge: MachineJudge, ending: str = "/", who: str = "ada") -> Any:
    return client_of(world[who].account).get(f"/c/paper/machine-judges/{judge.pk}/calibration{ending}")


def test_it_says_how_far_the_judge_is_above_people_before_any_figure(world: World, client_of: Any) -> None:
    judge = judge_of(world, lambda place, people: min(people + (place % 5 > 1), 4))
    text = page(client_of, world, judge).content.decode()
    said = text.index("This judge grades 0.6 above people. 95 % interval +0.")
    assert "on 240 pairs of 12 queries" in text and "So few queries" in text
    assert said < text.index("<table") and said < text.index('class="plot"')
    assert "Kappa has quadratic weights" in text and "recalibrated" in text
    assert "var(--grade-3)" in text, "figures are in the page's colours"


def test_a_kind_of_judge_below_people_and_one_that_is_neither(world: World, client_of: Any) -> None:
    strict = judge_of(world, lambda place, people: max(people - 1, 0), name="strict")
    assert "below people." in page(client_of, world, strict).content.decode()
    right = judge_of(world, lambda place, people: people, name="right")
    assert "neither above nor below people" in page(client_of, world, right).content.decode()


@pytest.mark.parametrize(
    ("grade", "said"),
    [
        (None, "This judge abstained from all 240 pairs that people graded."),
        (3, "above people."),
    ],
)
def test_a_judge_that_always_says_the_same(world: World, client_of: Any, grade: int | None, said: str) -> None:
    judge = judge_of(world, lambda place, people: grade)
    assert said in page(client_of, world, judge).content.decode()
    assert (page(client_of, world, judge, ".svg").status_code == 200) == (grade is not None)


def test_one_query_and_nothing_at_all(client_of: Any) -> None:
    single = graded_world(queries=1)
    judge = judge_of(single, lambda place, people: 4)
    text = page(client_of, single, judge).content.decode()
    assert "a single query" in text and "needs pairs of at least two" in text
    Pair.objects.update(status="open", grade=None)
    text = page(client_of, single, judge).content.decode()
    assert "People have graded no pair of which this judge has said something." in text
    assert "appear here once people and this judge have graded the same pairs" in text
    assert page(client_of, single, judge, ".svg").status_code == 404


def test_discarded_pairs_and_those_not_asked_about_are_told_apart(world: World) -> None:
    judge = judge_of(world, lambda place, people: 2)
    Pair.objects.filter(pk__in=Pair.objects.order_by("pk").values("pk")[:5]).update(status="discarded", grade=None)
    judge.judgments.filter(candidate__pair__in=Pair.objects.order_by("-pk")[:3]).delete()
    found = compute_calibration(world.collection, str(judge.pk))
    assert (found["pairs"], found["unasked"]) == (232, 3)
    assert found["discarded"] == {"pairs": 5, "counts": [0, 0, 5, 0, 0], "abstained": 0}


def test_the_files_say_what_the_page_says(world: World, client_of: Any) -> None:
    judge = judge_of(world, lambda place, people: min(people + 1, 4))
    told = json.loads(page(client_of, world, judge, ".json").content)
    assert told["says"].startswith("This judge grades") and told["judge"] == "clipper"
    rows = list(csv.reader(io.StringIO(page(client_of, world, judge, ".csv").content.decode())))
    assert rows[0] == ["table", "row", "column", "value"]
    assert [row[3] for row in rows if row[1:3] == ["grades above people", "as it grades"]] == [
        str(told["raw"]["above"]["value"])
    ]
    assert page(client_of, world, judge, ".svg")["Content-Type"].startswith("image/svg+xml")
    assert page(client_of, world, judge, ".sureness.svg").status_code == 404, "it told no distributions"
    assert page(client_of, world, judge, ".exe").status_code == 404


def test_only_leads_see_it_and_only_of_their_own_collection(world: World, client_of: Any) -> None:
    judge = judge_of(world, lambda place, people: people)
    other = build_world(name="other")
    foreign = client_of(other["ada"].account).get(f"/c/other/machine-judges/{judge.pk}/calibration/")
    assert foreign.status_code == 404
    for ending in ("/", ".csv", ".json", ".svg"):
        assert page(client_of, world, judge, ending, who="bo").status_code == 403
    assert not Computed.objects.filter(name__startswith=NAME).exists()


def test_a_large_collection_is_computed_by_a_worker_and_anew_when_the_judge_says_more(
    world: World, client_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotation.precomputed.is_small", lambda collection, number: False)
    judge = judge_of(world, lambda place, people: min(people + 1, 4))
    assert "This page reloads by itself" in page(client_of, world, judge).content.decode()
    name = f"{NAME}:{judge.pk}"
    assert refresh_computed(collection=world.collection, name=name)
    assert "above people." in page(client_of, world, judge).content.decode()
    assert Computed.objects.get(name=name).asked_at is None
    last = judge.judgments.order_by("-pk")[0]
    last.pk = None
    judge.judgments.filter(candidate=last.candidate_id).delete()
    last.save()
    assert "New figures are being computed" in page(client_of, world, judge).content.decode()
