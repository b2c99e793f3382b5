"""The person's player: jumps, zoom, keys of other keyboards and for one hand, context held, clips compared."""

from typing import Any

import pytest

from annotation.models import Judgment
from corpus.clips.cut_clips import CuttingPlan, cut_clips_of_video
from corpus.models import ContextClip
from foundation.models import Collection
from tests.e2e.axe import found_by_axe
from tests.e2e.judging_steps import (
    PATIENCE,
    all_loaded,
    clip_on_stage,
    grades_of,
    judge,
    wait_for_state,
    wait_for_today,
    wait_until_open,
)
from tests.e2e.test_judging_for_everybody import FITS
from tests.e2e.test_judging_survives import wait_until_kept

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

CLIP = "document.querySelector('#stage video.on')"
SEEN = "Number(document.getElementById('seen').getAttribute('aria-valuenow'))"
PRESS = """
([key, code, more]) => {
  for (const kind of ["keydown", "keyup"]) {
    document.body.dispatchEvent(new KeyboardEvent(kind, { key, code, bubbles: true, cancelable: true, ...more }));
  }
}
"""
"""A key as a keyboard of another country sends it."""
LISTED = """
() => {
  const rows = [...document.querySelectorAll("#keys kbd[data-key]")];
  const listed = new Map(rows.filter((row) => !row.dataset.hand).map((row) => [row.dataset.key, row.dataset.act]));
  const wrong = [];
  for (const button of document.querySelectorAll("[data-keys] [data-do][aria-keyshortcuts]")) {
    const { keyshortcuts } = { keyshortcuts: button.getAttribute("aria-keyshortcuts").toLowerCase() };
    if (listed.get(keyshortcuts) !== button.dataset.do) wrong.push(`${button.dataset.do}: ${keyshortcuts}`);
  }
  const names = rows.map((row) => `${row.dataset.hand ?? ""}:${row.dataset.key}`);
  const clashes = rows.filter((row) => row.dataset.hand && listed.has(row.dataset.key)).map((row) => row.dataset.key);
  return { wrong, clashes, twice: names.filter((name, place) => names.indexOf(name) !== place) };
}
"""


def at(page: Any, time: float) -> None:
    page.wait_for_function(f"time => Math.abs({CLIP}.currentTime - time) < 0.02 && !{CLIP}.seeking", arg=time)


def test_jumps_are_not_seen_and_frames_stay_exact(log_in: Any, collection: Collection) -> None:
    page = log_in("bo")
    clip_on_stage(page)
    page.keyboard.press("Space")
    page.wait_for_function(f"{CLIP}.paused && {CLIP}.duration > 0")
    before, length = page.evaluate(SEEN), page.evaluate(f"{CLIP}.duration")
    page.evaluate(f"{CLIP}.currentTime = 0")
    at(page, 0)
    for key, third in (("l", 1), ("l", 2), ("l", 0), ("j", 2), ("j", 1), ("j", 0)):
        page.keyboard.press(key)
        at(page, third * length / 3)
    assert page.evaluate(SEEN) <= before + 10, "no more than the places themselves"
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{CLIP}.currentTime > 0.02 && {CLIP}.currentTime < 0.1")
    page.keyboard.press("ArrowLeft")
    at(page, page.evaluate(f"{CLIP}.currentTime"))
    page.keyboard.press("r")
    page.wait_for_function(f"!{CLIP}.paused")
    wait_until_open(page)


def test_the_clip_is_enlarged_looked_around_in_and_whole_again_with_the_next(
    log_in: Any, collection: Collection
) -> None:
    page = log_in("bo")
    wait_until_open(page)
    scale = f"new DOMMatrix(getComputedStyle({CLIP}).transform).a"
    left = f"new DOMMatrix(getComputedStyle({CLIP}).transform).e"
    assert page.evaluate(scale) == 1
    page.keyboard.press("+")
    page.keyboard.press("=")
    assert page.evaluate(scale) == 2
    wait_for_state(page, "2 times as large")
    page.keyboard.press("Shift+ArrowRight")
    assert page.evaluate(left) < 0
    box = page.locator("#stage").bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    playing = page.evaluate(f"!{CLIP}.paused")
    before = page.evaluate(left)
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 60, middle[1])
    page.mouse.up()
    assert page.evaluate(left) > before
    assert page.evaluate(f"!{CLIP}.paused") == playing, "what was dragged wasn't clicked"
    judge(page, "2")
    assert page.evaluate(scale) == 1
    page.mouse.move(box["x"] + 10, box["y"] + box["height"] / 2)
    page.keyboard.press("+")
    assert page.evaluate(left) > 0, "about the pointer"
    page.keyboard.press("-")
    assert page.evaluate(scale) == 1


def test_every_key_is_in_the_one_list_and_other_keyboards_have_theirs(log_in: Any, collection: Collection) -> None:
    Collection.objects.update(span_agreement=0.5, context_seconds=1, compare_clips=True)
    page = log_in("bo")
    wait_until_open(page)
    assert page.evaluate(LISTED) == {"wrong": [], "clashes": [], "twice": []}
    # AZERTY without Shift, AZERTY with Shift, the numeric pad.
    for key, code, more, grade in (
        ("'", "Digit4", {}, 4),
        ("3", "Digit3", {"shiftKey": True}, 3),
        ("2", "Numpad2", {}, 2),
    ):
        wait_until_open(page)
        before = clip_on_stage(page)
        page.evaluate(PRESS, [key, code, more])
        page.wait_for_function(
            "before => document.querySelector('#stage video.on')?.dataset.number !== before", arg=before
        )
        wait_for_today(page, 5 - grade)
    assert grades_of("bo") == [4, 3, 2]
    # Where the letters are Greek, the key that has S in English.
    page.evaluate(PRESS, ["σ", "KeyS", {}])
    wait_for_state(page, "Fits from ")


def test_keys_for_one_hand_are_added_and_remembered_for_the_person(log_in: Any, collection: Collection) -> None:
    page = log_in("bo")
    wait_until_open(page)
    page.keyboard.press("q")
    page.keyboard.press("?")
    assert not page.is_visible("#keys kbd[data-key=q]")
    page.check("#keys [value=left]")
    assert page.is_visible("#keys kbd[data-key=q]") and not page.is_visible("#keys kbd[data-key=p]")
    assert found_by_axe(page).violations_count == 0
    page.keyboard.press("Escape")
    judge(page, "q")
    wait_for_today(page, 1)
    page.reload()
    wait_until_open(page)
    judge(page, "1")
    page.keyboard.press("?")
    page.check("#keys [value=right]")
    page.keyboard.press("Escape")
    wait_until_open(page)
    page.keyboard.press("q")
    judge(page, "p")
    wait_for_today(page, 3)
    assert grades_of("bo") == [0, 1, 4]
    page.keyboard.press("Backspace")
    wait_for_state(page, "taken back")


@pytest.fixture
def around(collection: Collection) -> Collection:
    """A second before and after each clip may be looked at, and one's own last clips."""
    Collection.objects.update(context_seconds=1.0, compare_clips=True)
    for video in collection.videos.all():
        cut_clips_of_video(video_id=video.pk, plan=CuttingPlan())
    assert ContextClip.objects.exclude(video_file="").count() == 4
    collection.refresh_from_db()
    return collection


def test_context_is_shown_while_held_marked_not_counted_and_kept_with_the_grade(
    log_in: Any, around: Collection
) -> None:
    page = log_in("bo")
    clip_on_stage(page)
    page.keyboard.press("Space")
    page.wait_for_function(f"{CLIP}.paused")
    seen = page.evaluate(SEEN)
    page.keyboard.down("x")
    page.wait_for_selector("video.context")
    page.wait_for_function("['before', 'after'].includes(document.querySelector('.context-label')?.textContent)")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(SEEN) == seen
    assert page.get_attribute("[data-do=context]", "aria-pressed") == "true"
    assert found_by_axe(page).violations_count == 0
    page.keyboard.up("x")
    assert page.query_selector("video.context") is None and page.query_selector(".context-label") is None
    page.keyboard.press("Space")
    judge(page, "3")
    judge(page, "1")
    wait_for_today(page, 2)
    assert list(Judgment.objects.order_by("pk").values_list("used", flat=True)) == [["context"], []]
    for _ in range(2):
        page.keyboard.press("z")
        wait_for_state(page, "taken back")
        page.wait_for_function("document.getElementById('grades').hasAttribute('data-closed') === false")
    judge(page, "2")
    wait_for_today(page, 1)
    assert Judgment.objects.get(counted=True).used == ["context"], "what was seen of it stays seen"
    page.keyboard.down("x")
    page.wait_for_selector("video.context")
    page.wait_for_function("document.querySelector('.context-label')?.textContent")
    page.keyboard.up("x")
    all_loaded(page, 1)
    page.context.set_offline(True)
    judge(page, "4")
    page.keyboard.down("x")
    wait_for_state(page, "What comes before and after needs the network.")
    page.keyboard.up("x")
    page.wait_for_function(f"!{CLIP}.paused")
    page.context.set_offline(False)
    wait_for_today(page, 2)
    assert Judgment.objects.get(counted=True, grade=4).used == ["context"], "it waited with its grade"


def test_by_touch_everything_is_in_reach_and_context_is_held(log_in: Any, around: Collection) -> None:
    page = log_in("bo", viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    wait_until_open(page)
    assert page.evaluate(FITS) == []
    held = page.locator("[data-do=context]")
    box = held.bounding_box()
    session = page.context.new_cdp_session(page)
    point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    page.wait_for_selector("video.context", timeout=PATIENCE)
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_selector("video.context", state="detached")
    # Who can't hold it, by keyboard or a screen reader, presses it again.
    for pressed in ("true", "false"):
        held.evaluate("(button) => button.click()")
        assert held.get_attribute("aria-pressed") == pressed
    page.tap("[popovertarget=player]")
    assert page.evaluate(FITS) == []
    for name in ("restart", "thirdBack", "thirdOn", "slower", "faster", "smaller", "larger"):
        assert page.is_visible(f"#player [data-do={name}]"), name
    page.tap("#player [data-do=larger]")
    wait_for_state(page, "1.5 times as large")
    assert found_by_axe(page).violations_count == 0
    stage = page.locator("#stage").bounding_box()
    middle = (stage["x"] + stage["width"] / 2, stage["y"] + stage["height"] / 2)
    for kind, apart in (("touchStart", 20), ("touchMove", 30), ("touchMove", 40), ("touchEnd", 0)):
        fingers = [{"x": middle[0] + side * apart, "y": middle[1], "id": side + 1} for side in (-1, 1)] if apart else []
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})
    scale = f"new DOMMatrix(getComputedStyle({CLIP}).transform).a"
    assert page.evaluate(scale) == pytest.approx(3, abs=0.3)


def test_the_last_clips_of_the_query_are_compared_also_without_a_network(log_in: Any, around: Collection) -> None:
    page = log_in("bo")
    wait_until_open(page)
    page.keyboard.press("h")
    wait_for_state(page, "You have judged no other clip of this query.")
    judge(page, "3")
    judge(page, "1")
    page.keyboard.press("h")
    page.wait_for_selector("#earlier[open] li:nth-child(2)")
    assert [line[0] for line in page.inner_text("#earlier ul").split("\n") if line.strip()] == ["1", "3"]
    assert page.evaluate(f"{CLIP}.paused")
    assert found_by_axe(page).violations_count == 0
    page.keyboard.press("h")
    page.wait_for_selector("#earlier", state="hidden")
    page.wait_for_function(f"!{CLIP}.paused")
    wait_until_kept(page)
    page.context.set_offline(True)
    judge(page, "2")
    page.keyboard.press("h")
    page.wait_for_selector("#earlier[open] li:nth-child(3)")
    page.wait_for_function("[...document.querySelectorAll('#earlier video')].every((video) => video.readyState >= 2)")
    page.keyboard.press("Escape")
    page.keyboard.press("z")
    wait_for_state(page, "taken back")
    page.keyboard.press("h")
    page.wait_for_selector("#earlier[open] li:nth-child(2)")
    assert page.locator("#earlier li").count() == 2, "what was taken back isn't among them"
    page.reload()
    wait_until_open(page)
    page.keyboard.press("h")
    page.wait_for_selector("#earlier[open] li:nth-child(2)")
