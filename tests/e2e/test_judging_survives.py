"""Networks, tabs, logins and servers come and go: no judgment is lost, and none is there twice."""

import os
from typing import Any

import pytest

from annotation.models import Judgment
from corpus.models import Collection, Session
from tests.e2e.judging_steps import (
    WAITING,
    all_loaded,
    clip_on_stage,
    grades_of,
    judge,
    wait_for_note,
    wait_for_state,
    wait_for_strip,
    wait_for_today,
    wait_for_waiting,
    wait_until_open,
)

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


def test_offline_in_the_middle_then_a_closed_tab_and_all_goes_out_in_order(log_in: Any, collection: Collection) -> None:
    page = log_in("bo")
    judge(page, "1")
    wait_for_today(page, 1)
    all_loaded(page)
    page.context.set_offline(True)
    for waiting, key in enumerate("2341", start=1):
        judge(page, key)
        noun = "1 judgment waits" if waiting == 1 else f"{waiting} judgments wait"
        wait_for_strip(page, f"{noun} for the network. Nothing is lost; go on.")
    wait_for_note(page, "You have judged what was loaded. The page goes on by itself")
    # The last one isn't sent yet: taken back here, where nobody is asked.
    page.keyboard.press("z")
    wait_for_state(page, "taken back")
    wait_for_waiting(page, 3)
    page.keyboard.press("0")
    wait_for_waiting(page, 4)
    assert grades_of("bo") == [1]
    page.close()
    page.context.set_offline(False)
    again = page.context.new_page()
    again.goto(page.url)
    wait_for_waiting(again, 0)
    wait_for_today(again, 5)
    assert grades_of("bo") == [1, 2, 3, 4, 0]
    received = list(Judgment.objects.order_by("pk").values_list("grade", flat=True))
    assert received == [1, 2, 3, 4, 0], "in the order in which they were given"
    wait_until_open(again)


def test_the_page_goes_on_by_itself_when_the_server_is_restarted(
    log_in: Any, collection: Collection, server: Any
) -> None:
    page = log_in("bo")
    wait_until_open(page)
    all_loaded(page)
    server.stop()
    try:
        judge(page, "3")
        wait_for_strip(page, "1 judgment waits")
        judge(page, "2")
    finally:
        server.start()
    wait_for_today(page, 2)
    assert grades_of("bo") == [3, 2]
    page.wait_for_selector("#strip", state="hidden")


def test_a_judgment_of_which_nobody_knows_whether_it_arrived_is_taken_back_all_the_same(
    log_in: Any, collection: Collection
) -> None:
    page = log_in("bo")
    wait_until_open(page)
    all_loaded(page)
    first = clip_on_stage(page)

    def answer_is_lost(route: Any) -> None:
        route.fetch()
        route.abort()

    page.route("**/judge/grade", answer_is_lost)
    page.keyboard.press("3")
    wait_for_strip(page, "1 judgment waits")
    assert grades_of("bo") == [3], "it had arrived"
    page.keyboard.press("z")
    wait_for_state(page, "taken back")
    assert clip_on_stage(page) == first
    page.keyboard.press("4")
    page.unroute_all(behavior="wait")
    wait_for_waiting(page, 0)
    assert grades_of("bo") == [4]
    assert sorted(Judgment.objects.values_list("grade", "counted")) == [(3, False), (4, True)]


def test_two_tabs_never_judge_the_same_pair_and_lose_nothing(log_in: Any, collection: Collection) -> None:
    one = log_in("bo")
    two = one.context.new_page()
    two.goto(one.url)
    wait_until_open(one)
    wait_until_open(two)
    one.context.set_offline(True)
    for page, key in ((one, "0"), (two, "1"), (one, "2"), (two, "3")):
        page.bring_to_front()
        judge(page, key)
    one.close()
    two.context.set_offline(False)
    wait_for_waiting(two, 0)
    assert grades_of("bo") == [0, 1, 2, 3]
    assert Judgment.objects.count() == 4, "no pair came up in both"


def test_a_double_press_and_a_double_click_are_one_judgment(log_in: Any, collection: Collection) -> None:
    collection.played_fraction = 0
    collection.save()
    page = log_in("bo")
    wait_until_open(page)
    page.evaluate(
        "for (const _ of [1, 2, 3])"
        " document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '3', bubbles: true }))"
    )
    wait_for_today(page, 1)
    page.reload()
    wait_until_open(page)
    page.dblclick("[data-grade='2']")
    wait_for_today(page, 2)
    wait_for_waiting(page, 0)
    assert grades_of("bo") == [3, 2]


def test_an_expired_login_loses_nothing_and_sends_nothing_as_somebody_else(
    log_in: Any, enter: Any, collection: Collection
) -> None:
    page = log_in("bo")
    wait_until_open(page)
    Session.objects.all().delete()
    page.keyboard.press("3")
    page.wait_for_url("**/login/?next=/c/stage/judge/&why=judging")
    assert "Nothing that you graded is lost" in page.inner_text(".callout")
    # Somebody else sits down at the same computer.
    enter(page, "cy")
    wait_until_open(page)
    assert page.evaluate(WAITING) == 1
    assert not Judgment.objects.exists()
    page.click("text=Log out")
    page.wait_for_url("**/login/?why=out")
    enter(page, "bo")
    wait_for_waiting(page, 0)
    wait_for_today(page, 1)
    assert grades_of("bo") == [3]
    assert grades_of("cy") == []


def test_a_tab_left_open_sends_nothing_under_the_name_of_who_logged_in_after(
    log_in: Any, enter: Any, collection: Collection
) -> None:
    page = log_in("bo")
    wait_until_open(page)
    other = page.context.new_page()
    other.goto(page.url)
    other.click("text=Log out")
    other.wait_for_url("**/login/?why=out")
    enter(other, "cy")
    page.bring_to_front()
    with page.expect_navigation():
        page.keyboard.press("4")
    page.wait_for_selector("text=Log out cy")
    wait_until_open(page)
    assert page.evaluate(WAITING) == 1, "bo's judgment waits for bo"
    assert not Judgment.objects.exists()


def test_the_back_button_shows_what_is_left_and_nothing_that_was_judged(
    log_in: Any, site: str, collection: Collection
) -> None:
    page = log_in("bo")
    judge(page, "2")
    wait_for_today(page, 1)
    page.goto(f"{site}/nowhere/")
    page.go_back()
    judge(page, "3")
    wait_for_today(page, 2)
    # As a browser does that keeps the page whole: another tab has judged meanwhile.
    other = page.context.new_page()
    other.goto(f"{site}/c/stage/judge/")
    judge(other, "4")
    wait_for_today(other, 3)
    other.close()
    page.bring_to_front()
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    judge(page, "1")
    page.wait_for_function(f"({WAITING})() === 0")
    assert grades_of("bo") == [2, 3, 4, 1]
    assert Judgment.objects.count() == 4
