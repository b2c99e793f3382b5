"""Gold is judged as any other clip, also without a network, by two tabs and after a reload; the lead's pages of it."""

from typing import Any

import pytest
from django.utils import timezone

from annotation.models import GoldPair, Judgment, Pair, Repeat, RepeatAnswer
from foundation.models import Collection, Membership
from tests.e2e.axe import found_by_axe
from tests.e2e.judging_steps import judge, wait_for_strip, wait_for_today, wait_for_waiting, wait_until_open

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def gold(collection: Collection) -> list[GoldPair]:
    """The first query is decided, and bo is given two pairs of it as gold before the rest."""
    Collection.objects.filter(pk=collection.pk).update(gold_share=0.2, gold_feedback="at-once", played_fraction=0.2)
    people = {member.account.username: member for member in Membership.objects.select_related("collection", "account")}
    query = collection.queries.order_by("pk")[0]
    first = Pair.objects.filter(batch__query=query)
    first.update(status="consensus", grade=3)
    query.batches.update(status="finished")
    made, now = [], timezone.now()
    for pair in first.order_by("pk")[:2]:
        one = GoldPair.objects.create(
            collection=collection, pair=pair, grade=3, explanation="She waves.", source="lead", added_by=people["ada"]
        )
        Repeat.objects.create(pair=pair, annotator=people["bo"], gold=one, slipped_in_at=now)
        made.append(one)
    Membership.objects.filter(pk=people["bo"].pk).update(repeat_waits=True)
    return made


def answers() -> list[int]:
    return list(RepeatAnswer.objects.filter(taken_back_at=None).order_by("decided_at").values_list("grade", flat=True))


def test_gold_is_answered_without_a_network_and_told_once_both_arrived(
    log_in: Any, gold: list[GoldPair], server: Any
) -> None:
    page = log_in("bo")
    wait_until_open(page)
    server.stop()
    try:
        page.context.set_offline(True)
        for key in ("4", "1"):
            judge(page, key)
        wait_for_strip(page, "2 judgments wait for the network")
        assert not RepeatAnswer.objects.exists()
    finally:
        server.start()
    page.context.set_offline(False)
    wait_for_today(page, 2)
    strip = page.wait_for_selector("#notices .strip:has-text('were known')")
    assert strip is not None and "You: 4, known: 3. She waves. You: 1, known: 3." in strip.inner_text()
    assert answers() == [4, 1] and not Judgment.objects.filter(annotator__account__username="bo").exists()
    assert found_by_axe(page).response["violations"] == []
    page.keyboard.press("z")
    page.wait_for_function("document.getElementById('state').textContent.includes('you were told')")
    assert answers() == [4, 1]


def test_what_one_tab_has_answered_leaves_the_other(log_in: Any, gold: list[GoldPair]) -> None:
    page = log_in("bo")
    wait_until_open(page)
    other = page.context.new_page()
    other.goto(page.url)
    wait_until_open(other)
    judge(page, "4")
    wait_for_today(page, 1)
    judge(other, "0")
    wait_for_waiting(other, 0)
    assert answers() == [4, 0] and RepeatAnswer.objects.count() == 2, "each gold pair once"


def test_the_lead_adds_gold_by_keyboard_and_sees_a_person_s(log_in: Any, gold: list[GoldPair]) -> None:
    page = log_in("ada")
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(page.url.partition("/c/")[0] + "/c/stage/gold/")
    assert found_by_axe(page).response["violations"] == []
    page.get_by_role("textbox", name="Rows of a CSV").fill("pair_id,grade\n1,9\n")
    page.get_by_role("button", name="Add", exact=True).focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("text=whole number from 0 to")
    bo = Membership.objects.get(account__username="bo")
    page.goto(page.url.partition("/c/")[0] + f"/c/stage/people/{bo.pk}/gold/")
    assert found_by_axe(page).response["violations"] == []
    assert page.get_by_role("heading", name="Judgments since the last good gold").is_visible()
