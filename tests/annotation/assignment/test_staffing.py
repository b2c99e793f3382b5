"""Whether those who may judge are enough, for any rule: what the lead, the annotators and a release are told."""

from typing import Any

import pytest

from annotation.assignment.staffing import Staffing, staffing
from annotation.judging.progress import why_no_work
from annotation.models import Assignment, Pair
from desk.selectors import overview
from foundation.models import Collection, Membership
from tests.annotation.judging_steps import judge, sit
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def three(db: None) -> World:
    """Three annotators, five pairs, all judged by two; on two of them they differ."""
    world = build_world(candidates=5)
    Membership.objects.filter(pk__in=[world["ed"].pk, world["flo"].pk]).delete()
    sit(world["bo"], world["cy"])
    for place, pair in enumerate(world.batch.pairs.order_by("pk")):
        judge(world["bo"], pair, 0)
        judge(world["cy"], pair, 4 if place < 2 else 0)
    return world


def needs(world: World) -> dict[str, str]:
    return {need.kind: need.words for need in overview(world.collection).needs}


def test_with_as_many_as_the_rule_needs_nobody_is_lacking(world: World) -> None:
    lacking = staffing(world.collection)
    assert (lacking.admitted, lacking.needed, lacking.lacking) == (5, 4, "")
    assert "people" not in needs(world)


def test_three_of_four_are_said_before_and_after_opening(three: World, client_of: Any) -> None:
    Membership.objects.filter(pk=three["di"].pk).update(status="paused")
    assert needs(three)["people"] == "2 pairs need 2 more people: invite"
    Membership.objects.filter(pk=three["di"].pk).update(status="admitted")
    assert needs(three)["people"] == "2 pairs need a fourth person: invite"
    Pair.objects.filter(status="disputed").update(status="open")
    assert needs(three)["people"] == "At least 4 admitted people are needed, you have 3: invite"
    page = client_of(three["ada"].account).get("/c/paper/opening/").content.decode()
    assert "At least 4 admitted people are needed, you have 3." in page


def test_once_the_third_has_judged_everybody_is_told_the_truth(three: World, client_of: Any) -> None:
    usual = why_no_work(three["bo"])
    assert "usually comes within an hour" in usual, "the third has work, of which more may follow"
    sit(three["di"])
    for pair in Pair.objects.filter(status="disputed"):
        judge(three["di"], pair, 2)
    lacking = staffing(three.collection)
    assert (lacking.short, lacking.person, lacking.stuck) == (2, 4, True)
    for name in ("bo", "di"):
        assert "needs people who haven't judged it yet" in why_no_work(three[name])
    seen = overview(three.collection)
    assert seen.pace is not None and (seen.pace.forecast.left, seen.pace.forecast.ends) == (2, None)
    client = client_of(three["ada"].account)
    assert "No forecast: 2 pairs need a fourth person." in client.get("/c/paper/").content.decode()
    assert "2 pairs need a fourth person." in client.get("/c/paper/releases/").content.decode()
    step = next(step for step in seen.steps if step.key == "judge")
    assert (step.state, step.action, step.action_page) == ("needs-you", "Invite", "invitations")


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [(1, 2, ""), (2, 0, ""), (2, 1, ""), (3, 3, "2 pairs need 3 more people"), (2, 3, "2 pairs need 2 more people")],
)
def test_it_goes_by_the_collection_s_own_rule(three: World, first: int, second: int, expected: str) -> None:
    Collection.objects.update(first_round_people=first, second_round_people=second)
    three.collection.refresh_from_db()
    assert staffing(three.collection).lacking == expected


def test_whom_the_lead_bars_or_who_reads_another_language_may_not_judge(world: World) -> None:
    for name in ("bo", "cy"):
        Assignment.objects.create(query=world.queries[0], annotator=world[name], rule="barred")
    assert staffing(world.collection).short == 0, "three are enough for the first round"
    Assignment.objects.create(query=world.queries[0], annotator=world["di"], rule="barred")
    Membership.objects.filter(pk=world["ed"].pk).update(languages=["de"])
    world.queries[0].description.__class__.objects.update(language="en")
    lacking = staffing(world.collection)
    assert (lacking.short, lacking.lacking) == (3, "3 pairs need a second person")
    Assignment.objects.all().delete()
    for name in ("bo", "cy"):
        Assignment.objects.create(query=world.queries[0], annotator=world[name], rule="reserved")
    assert staffing(world.collection) == Staffing(5, 4)
