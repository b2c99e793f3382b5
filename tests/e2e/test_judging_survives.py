"""Networks, tabs, logins and servers come and go: no judgment is lost, and none is there twice."""

import time
from typing import Any

import pytest

from annotation.batches.opening import open_annotation
from annotation.models import Judgment
from corpus.models import Clip
from foundation.models import Collection, Session
from queries.models import Candidate, Query
from tests.e2e.judging_steps import (
    KEPT,
    PATIENCE,
    WAITING,
    all_loaded,
    clip_on_stage,
    grades_of,
    judge,
    wait_for_state,
    wait_for_strip,
    wait_for_today,
    wait_for_waiting,
    wait_until_open,
)

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


PAGE = "/c/stage/judge/"
QUERIES = 6
"""Of four pairs each: more than anybody judges in ten minutes."""


@pytest.fixture
def collection(collection: Collection) -> Collection:
    """A fifth of each of the shortest clips, at double speed: as many clips as in ten minutes of real ones."""
    collection.played_fraction = 0.2
    collection.save()
    return collection


def ask_more(collection: Collection) -> None:
    """More queries over the same moments, so that there is work for ten minutes."""
    known = list(collection.queries.order_by("pk"))
    candidates = list(known[0].candidates.order_by("rank"))
    descriptions = collection.descriptions.exclude(pk__in=[query.description_id for query in known]).order_by("pk")
    for number, description in enumerate(descriptions[: QUERIES - len(known)], start=len(known) + 1):
        text = f"A person does thing {number}."
        query = Query.objects.create(
            collection=collection,
            description=description,
            split="test",
            text=text,
            normalised=text.lower(),
            position=number,
        )
        Candidate.objects.bulk_create(
            Candidate(
                query=query,
                moment_id=one.moment_id,
                caption_id=one.caption_id,
                caption_text=one.caption_text,
                rank=one.rank,
                similarity=one.similarity,
            )
            for one in candidates
        )
    open_annotation(collection=collection)


def wait_until_kept(page: Any) -> None:
    """Until the page, its tasks and their clips are there for a reload without a network."""
    # A promise is true at once to `wait_for_function`.
    deadline = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < deadline:
        kept = page.evaluate(KEPT)
        clips = sum(address.endswith(".mp4") for address in kept)
        if PAGE in kept and f"{PAGE}tasks-at-hand" in kept and clips >= 4:
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"not kept: {kept}")


def test_ten_minutes_without_a_network_and_a_reload_in_them_lose_nothing_and_go_on(
    log_in: Any, collection: Collection, server: Any
) -> None:
    ask_more(collection)
    page = log_in("bo")
    judge(page, "1")
    wait_for_today(page, 1)
    wait_until_kept(page)
    # What lies in the browser is named by public names alone.
    clips = {f"/clips/{clip.public_name}.mp4" for clip in Clip.objects.all()}
    for address in set(page.evaluate(KEPT)) - {PAGE, f"{PAGE}tasks-at-hand"}:
        assert address.startswith("/static/") or address in clips, address
    server.stop()
    try:
        page.context.set_offline(True)
        keys = "2341023410234102341023"
        for waiting, key in enumerate(keys[:11], start=1):
            judge(page, key)
            noun = "1 judgment waits" if waiting == 1 else f"{waiting} judgments wait"
            wait_for_strip(page, f"{noun} for the network. Nothing is lost; go on.")
        place = page.inner_text("#place")
        page.reload()
        wait_until_open(page)
        assert page.inner_text("#place") == place
        assert page.inner_text("#today") == "12", "those that wait count at once"
        for key in keys[11:]:
            judge(page, key)
        # The last one isn't sent yet: taken back here, where nobody is asked.
        page.keyboard.press("z")
        wait_for_state(page, "taken back")
        wait_for_waiting(page, len(keys) - 1)
        page.keyboard.press("0")
        wait_for_waiting(page, len(keys))
        assert grades_of("bo") == [1]
        page.close()
    finally:
        server.start()
    page.context.set_offline(False)
    again = page.context.new_page()
    again.goto(page.url)
    wait_for_today(again, 1 + len(keys))
    given = [1, *map(int, keys[:-1]), 0]
    assert grades_of("bo") == given
    received = list(Judgment.objects.order_by("pk").values_list("grade", flat=True))
    assert received == given, "in the order in which they were given"
    wait_until_open(again)


def test_the_page_goes_on_by_itself_when_the_server_is_restarted_and_a_logout_meanwhile_leaves_nothing_here(
    log_in: Any, collection: Collection, server: Any
) -> None:
    page = log_in("bo")
    wait_until_open(page)
    wait_until_kept(page)
    server.stop()
    try:
        judge(page, "3")
        wait_for_strip(page, "1 judgment waits")
        other = page.context.new_page()
        other.goto(page.url)
        wait_until_open(other)
        other.click("text=Log out")
        other.wait_for_selector("text=so it doesn't know yet")
        assert other.evaluate(KEPT) == []
        other.close()
        page.bring_to_front()
        judge(page, "2")
    finally:
        server.start()
    wait_for_today(page, 2)
    assert grades_of("bo") == [3, 2]
    page.wait_for_selector("#strip", state="hidden")
    assert page.evaluate(KEPT) == [], "nor does the page begin anew"


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
    assert page.evaluate(KEPT) == [], "whoever comes next finds nothing"
    # Somebody else sits down at the same computer.
    enter(page, "cy")
    wait_until_open(page)
    wait_until_kept(page)
    assert page.evaluate(WAITING) == 1
    assert not Judgment.objects.exists()
    page.click("text=Log out")
    page.wait_for_url("**/login/?why=out")
    assert page.evaluate(KEPT) == []
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
