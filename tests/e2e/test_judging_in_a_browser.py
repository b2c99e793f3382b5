"""A person judges in a real browser: login, clip, key, saved grade."""

import uuid
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db.models import F

from annotation.assignment.next_tasks import next_tasks
from annotation.judging.judgments import give_judgment
from annotation.models import Flag, Judgment, Seat
from foundation.models import Collection
from tests.annotation.judging_steps import graded
from tests.e2e.judging_steps import (
    FORGET,
    clip_on_stage,
    grades_of,
    judge,
    wait_for_note,
    wait_for_state,
    wait_for_today,
    wait_until_open,
)
from tests.queries.topics.worlds import NARRATIVE, turn_into_topics

pytestmark = pytest.mark.django_db(transaction=True)

RECORD = """
() => {
  window.states = [];
  window.firstFrames = [];
  const stage = document.getElementById("stage");
  let pressed, ready;
  // From the first key on: until then the first clip comes in.
  const heard = () => pressed && window.states.push(stage.dataset.clip);
  new MutationObserver(heard).observe(stage, { attributeFilter: ["data-clip"] });
  const isGrade = (event) => /^[0-4]$/.test(event.key);
  addEventListener("keydown", (event) => {
    if (!isGrade(event)) return;
    pressed = performance.now();
    ready = [...document.querySelectorAll("#stage video:not(.on)")].map((video) => video.readyState);
  }, { capture: true });
  // The window hears the key after the page.
  addEventListener("keydown", (event) => {
    if (!isGrade(event)) return;
    const at = pressed, before = ready;
    const video = document.querySelector("#stage video.on");
    video.requestVideoFrameCallback((now) => window.firstFrames.push({ ready: before, ms: now - at }));
  });
}
"""


def test_a_batch_by_keyboard_alone_and_the_next_clip_is_always_there(log_in: Any, collection: Collection) -> None:
    page = log_in("bo")
    assert page.url.endswith("/c/stage/judge/")
    wait_until_open(page)
    page.wait_for_function("[...document.querySelectorAll('#stage video')].every(video => video.readyState >= 2)")
    page.evaluate(RECORD)
    queries = []
    for number, key in enumerate("30241", start=1):
        queries.append(page.inner_text("#query"))
        judge(page, key)
        wait_for_today(page, number)
        page.wait_for_function(f"window.firstFrames.length === {number}")
    assert grades_of("bo") == [3, 0, 2, 4, 1]
    assert len(set(queries)) == 2, "the second query followed the first"
    for judgment in Judgment.objects.all():
        assert judgment.counted
        assert judgment.played is not None and judgment.played >= collection.played_fraction
        assert judgment.active_seconds is not None and judgment.active_seconds > 0
        assert not judgment.too_soon
    assert "loading" not in page.evaluate("window.states"), "also across the end of a query"
    frames = page.evaluate("window.firstFrames")
    # What was there when the key was pressed: the next clip's data, every time.
    assert all(max(frame["ready"]) >= 2 for frame in frames)
    print("first frame after the key, ms:", sorted(round(frame["ms"]) for frame in frames))


def test_a_grade_before_the_clip_was_seen_is_given_when_it_was(log_in: Any, collection: Collection) -> None:
    page = log_in("bo")
    page.wait_for_selector("#stage video.on")
    page.keyboard.press("Space")
    choose(page, "4")
    wait_for_state(page, "4 is saved at 80 % of the clip. Press 4 again or Esc to take it off.")
    assert page.get_attribute("[data-grade='4']", "aria-pressed") == "true"
    choose(page, "1")
    assert chosen(page) == ["1"], "another one takes its place"
    choose(page, "1")
    assert chosen(page) == [], "the same one again takes it off"
    for key in ("Escape", "z"):
        page.click("[data-grade='2']")
        assert chosen(page) == ["2"]
        page.keyboard.press(key)
        assert chosen(page) == [], key
    wait_for_state(page, "Not chosen any more.")
    page.click("[data-grade='3']")
    assert not Judgment.objects.exists()
    before = clip_on_stage(page)
    # Frame by frame counts as seen, without ever playing it.
    for _ in range(200):
        page.keyboard.down("ArrowRight")
        if clip_on_stage(page) != before:
            break
    page.keyboard.up("ArrowRight")
    wait_for_today(page, 1)
    assert grades_of("bo") == [3]
    (judgment,) = Judgment.objects.all()
    assert judgment.played is not None and 0.8 <= judgment.played < 0.9, "as soon as enough was seen"
    assert chosen(page) == [], "the next clip begins without one"
    wait_for_state(page, "1 saved · Z takes back")


def test_a_topics_narrative_stands_under_it_and_stays_as_the_reader_left_it(
    log_in: Any, collection: Collection
) -> None:
    turn_into_topics(collection)
    page = log_in("bo")
    wait_until_open(page)
    told, summary = page.locator("#narrative p"), page.locator("#narrative summary")
    assert told.inner_text() == NARRATIVE and summary.inner_text() == "What counts"
    assert told.bounding_box()["y"] > page.locator("#query").bounding_box()["y"]
    summary.focus()
    page.keyboard.press("Space")
    assert not told.is_visible() and page.locator("#stage video.on").count() == 1, "Space closed it, and no more"
    collection.queries.update(narrative="")
    judge(page, "3")
    assert summary.is_visible() and not told.is_visible()
    page.reload()
    wait_until_open(page)
    assert not summary.is_visible(), "no narrative, no word of one"


def chosen(page: Any) -> list[str]:
    """The grade that waits for its clip, if there is one."""
    return page.evaluate("[...document.querySelectorAll('.grade.chosen')].map(button => button.dataset.grade)")  # type: ignore[no-any-return]


def choose(page: Any, key: str) -> None:
    """Press it until the page takes it: so soon after a clip came it was meant for the one before."""
    before = chosen(page)
    for _ in range(100):
        page.keyboard.press(key)
        if chosen(page) != before:
            return
        page.wait_for_function("before => performance.now() > before", arg=page.evaluate("performance.now() + 50"))
    raise AssertionError(f"{key} is never taken")


def test_the_last_judgment_is_taken_back_and_needs_no_second_watching(log_in: Any, collection: Collection) -> None:
    page = log_in("bo")
    wait_until_open(page)
    first = clip_on_stage(page)
    judge(page, "2")
    wait_for_today(page, 1)
    page.keyboard.press("z")
    wait_for_today(page, 0)
    wait_for_state(page, "taken back")
    assert clip_on_stage(page) == first
    page.keyboard.press("3")
    wait_for_today(page, 1)
    assert grades_of("bo") == [3]
    assert sorted(Judgment.objects.values_list("grade", "counted")) == [(2, False), (3, True)]


def test_a_pair_is_flagged_by_keyboard_and_the_next_one_comes(log_in: Any, collection: Collection) -> None:
    page = log_in("bo")
    first = clip_on_stage(page)
    page.keyboard.press("f")
    page.wait_for_selector("#flag[open]")
    assert page.evaluate("document.activeElement.value") == "clip"
    page.keyboard.press("Enter")
    assert page.is_visible("#flag[open]") and not Flag.objects.exists(), "no kind is chosen beforehand"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.type("Which of the 3 women is meant?")
    page.keyboard.press("Control+Enter")
    page.wait_for_function("first => document.querySelector('#stage video.on')?.dataset.number !== first", arg=first)
    wait_for_state(page, "Thank you")
    flag = Flag.objects.get()
    assert (flag.kind, flag.note) == ("query", "Which of the 3 women is meant?")
    assert not Judgment.objects.exists(), "the 3 in the note was no grade"
    assert page.evaluate("document.activeElement === document.body")
    page.keyboard.press("z")
    page.wait_for_function("first => document.querySelector('#stage video.on')?.dataset.number === first", arg=first)
    wait_for_state(page, "The flag is taken back.")
    assert not Flag.objects.exists()


def test_a_clip_graded_in_another_tab_says_which_grade_counts_and_z_takes_it_back(
    log_in: Any, collection: Collection
) -> None:
    page = log_in("bo")
    wait_until_open(page)
    first = clip_on_stage(page)
    bo = collection.memberships.get(account__username="bo")
    # The same clip, sent by another device.
    pair = uuid.UUID(next_tasks(member=bo)[0].pair)
    give_judgment(member=bo, sent=graded(pair, 4, played=1.0))
    page.keyboard.press("0")
    wait_for_state(page, "You had graded that clip already. Your grade 4 (perfect) counts")
    assert grades_of("bo") == [4]
    page.keyboard.press("z")
    page.wait_for_function("first => document.querySelector('#stage video.on')?.dataset.number === first", arg=first)
    wait_for_state(page, "taken back")
    assert grades_of("bo") == []


def test_a_clip_that_cannot_be_played_is_offered_for_a_flag(log_in: Any, collection: Collection, cut: Any) -> None:
    page = log_in("bo")
    wait_until_open(page)
    # What a disk may do: the file of the clip is there and holds no film.
    page.route("**/clips/*.mp4", lambda route: route.fulfill(status=200, content_type="video/mp4", body=b"no film"))
    # On a computer that has kept nothing.
    page.evaluate(FORGET)
    page.reload()
    wait_for_note(page, "This clip can't be played.")
    page.click("text=Flag the clip as broken")
    assert page.is_checked("#flag [value=clip]")
    page.keyboard.press("Escape")
    page.unroute("**/clips/*.mp4")
    page.click("text=Try again")
    wait_until_open(page)


def test_speed_and_steps_and_the_switch_for_single_keys(log_in: Any, collection: Collection) -> None:
    page = log_in("bo", speed=1)
    page.wait_for_selector("#stage video.on")
    page.keyboard.press("]")
    page.keyboard.press("]")
    assert page.inner_text("#speed") == "1.5×"
    page.reload()
    page.wait_for_function("document.querySelector('#stage video.on')?.playbackRate === 1.5")
    page.click("[data-do=slower]")
    assert page.evaluate("document.querySelector('#stage video.on').playbackRate") == 1.25
    page.keyboard.press("?")
    page.uncheck("#single-keys")
    page.keyboard.press("?")
    page.wait_for_selector("#keys", state="hidden")
    page.keyboard.press("[")
    assert page.inner_text("#speed") == "1.25×"
    page.click("[data-do=slower]")
    assert page.inner_text("#speed") == "1×"


def test_done_for_now_frees_the_seat_and_leads_back(log_in: Any, collection: Collection) -> None:
    collection.pay_per_hour, collection.currency = Decimal(3600), "EUR"
    collection.save()
    page = log_in("bo")
    wait_until_open(page)
    assert page.inner_text("#place") == "1 of 8"
    judge(page, "1")
    assert page.inner_text("#place") == "2 of 8"
    wait_for_today(page, 1)
    page.click("[popovertarget=progress]")
    page.wait_for_selector("#figures dd")
    assert page.inner_text("#figures div:first-child").split("\n") == ["This week", "1"], "as many as today"
    page.click("text=Done for now")
    wait_for_note(page, "Everything is saved")
    shown = page.evaluate(
        "[...document.querySelectorAll('main button')].filter(b => b.checkVisibility()).map(b => b.innerText)"
    )
    assert shown == ["Go on judging", "Z undo"]
    page.wait_for_selector("#session dd")
    assert page.inner_text("#session").split("\n")[:2] == ["Judged", "1"]
    assert "EUR" in page.inner_text("#session")
    assert not collection.memberships.get(account__username="bo").seats.filter(ended_at=None).exists()
    page.click("text=Go on judging")
    wait_until_open(page)


def test_pauses_count_only_so_long_and_a_break_is_suggested_after_a_judgment(
    log_in: Any, collection: Collection
) -> None:
    collection.idle_seconds, collection.break_minutes = 60, 1
    collection.save()
    page = log_in("bo")
    page.clock.install()
    page.reload()
    wait_until_open(page)
    # The phone rings; the clock alone runs on.
    page.clock.fast_forward(100_000)
    # It ran on for the server, too: no more is booked than the server saw pass.
    Seat.objects.update(taken_at=F("taken_at") - timedelta(seconds=100))
    assert page.inner_text("#notices") == "", "nobody is interrupted in the middle of a clip"
    with page.expect_request("**/judge/grade") as sent:
        judge(page, "2")
    wait_for_today(page, 1)
    said = sent.value.post_data_json["active_ms"]
    assert 60_000 <= said < 100_000
    booked = Judgment.objects.get().active_seconds
    assert booked == pytest.approx(said / 1000), "the server saw more than that pass"
    assert "You have judged for 1 min." in page.inner_text("#notices")
    page.click("text=Dismiss")
    assert page.inner_text("#notices") == ""


def test_nothing_but_query_and_clip_reaches_the_annotators_browser(log_in: Any, collection: Collection) -> None:
    page = log_in("bo")
    page.wait_for_selector("#stage video.on")
    source = page.content()
    for video in collection.videos.all():
        assert video.name not in source
    for description in collection.descriptions.all():
        assert description.text not in source


def test_the_lead_reaches_the_overview_and_an_annotator_does_not(log_in: Any, site: str) -> None:
    assert log_in("ada").url.endswith("/c/stage/")
    page = log_in("cy")
    answer = page.goto(f"{site}/c/stage/")
    assert answer.status == 403
