"""The judging page for keyboard, screen reader, phone and large screen, light and dark."""

from typing import Any

import pytest

from annotation.assignment.next_tasks import leave_seats
from foundation.models import Collection
from tests.e2e.axe import found_by_axe
from tests.e2e.judging_steps import clip_on_stage, grades_of, wait_for_state, wait_for_today, wait_until_open

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

OPENERS = {"the page": None, "the flag form": "f", "the keys": "?"}
"""What is looked at, and the key that opens it."""

FITS = """
() => {
  const broken = [];
  const root = document.scrollingElement;
  if (root.scrollHeight > innerHeight || root.scrollWidth > innerWidth) broken.push("the page scrolls");
  for (const name of ["query", "stage", "seen", "grades", "state"]) {
    const box = document.getElementById(name).getBoundingClientRect();
    const inside = box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
    if (!inside) broken.push(`${name} is cut`);
  }
  for (const button of document.querySelectorAll("main button, .bar button")) {
    const box = button.getBoundingClientRect();
    if (box.width && (box.width < 44 || box.height < 44)) {
      broken.push(`${button.textContent.trim()} is ${box.width} x ${box.height}`);
    }
    if (button.scrollWidth > button.clientWidth) broken.push(`${button.textContent.trim()} doesn't fit its button`);
  }
  const video = document.querySelector("#stage video.on").getBoundingClientRect();
  if (video.height < innerHeight / 4) broken.push(`the clip is ${video.height} high`);
  return broken;
}
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(log_in: Any, collection: Collection, scheme: str) -> None:
    page = log_in("bo", color_scheme=scheme)
    wait_until_open(page)
    for name, key in OPENERS.items():
        if key is not None:
            page.keyboard.press(key)
            page.wait_for_selector("dialog[open]")
        found = found_by_axe(page)
        assert found.violations_count == 0, f"{name}, {scheme}: {found.generate_report()}"
        if key is not None:
            page.keyboard.press("Escape")
            page.wait_for_selector("dialog[open]", state="detached")
            # Focus is given back by the dialog's close event, which comes a moment after it is gone.
            page.wait_for_function("document.activeElement === document.body")


def test_the_guideline_is_read_beside_the_clip_and_a_new_version_is_confirmed_first(
    log_in: Any, collection: Collection
) -> None:
    guidelines = pytest.importorskip(
        "annotation.qualification.guidelines", reason="this branch has no guideline versions yet"
    )
    page = log_in("bo")
    wait_until_open(page)
    page.keyboard.press("g")
    page.wait_for_selector("#guideline[open]")
    assert not page.evaluate("document.querySelector('#guideline').matches(':modal')"), "one judges on beside it"
    page.keyboard.press("Escape")
    page.wait_for_selector("#guideline", state="hidden")
    ada = collection.memberships.get(account__username="ada")
    guidelines.publish_guideline(lead=ada, source="# How to judge\n\nWatch, then grade.", note="First")
    page.keyboard.press("3")
    leave_seats(member=collection.memberships.get(account__username="bo"))
    page.reload()
    page.wait_for_selector("#confirm:visible")
    assert "Watch, then grade." in page.inner_text("#guideline")
    # One way on: no button closes it unread, and the one that confirms is in sight.
    assert page.locator("button:visible", has_text="uideline").count() == 1, "the key in the bar"
    assert not page.is_visible("#guideline [data-close]")
    found = found_by_axe(page)
    assert found.violations_count == 0, found.generate_report()
    page.set_viewport_size({"width": 360, "height": 740})
    page.keyboard.press("Escape")
    page.click("text=Read the guideline")
    page.wait_for_selector("#confirm:visible")
    assert page.evaluate("document.querySelector('#guideline').matches(':modal')"), "over the clip on a phone"
    found = found_by_axe(page)
    assert found.violations_count == 0, found.generate_report()
    page.click("#confirm")
    wait_until_open(page)
    assert collection.memberships.get(account__username="bo").guideline_confirmed == 1


@pytest.mark.parametrize(("width", "height"), [(360, 740), (1280, 720), (3840, 2160)])
def test_everything_fits_without_scrolling_and_is_large_enough_for_a_finger(
    log_in: Any, collection: Collection, width: int, height: int
) -> None:
    collection.queries.update(
        text="A woman in a long red coat hands a man a heavy book and slowly sits down beside him."
    )
    page = log_in("bo", viewport={"width": width, "height": height})
    wait_until_open(page)
    assert page.evaluate(FITS) == []


BESIDE = """
() => {
  const at = (name) => document.getElementById(name).getBoundingClientRect();
  const [stage, grades] = [at("stage"), at("grades")];
  const small = [...document.querySelectorAll("main button")].filter((one) => {
    const box = one.getBoundingClientRect();
    return box.width && (box.width < 24 || box.height < 24 || box.bottom > innerHeight || box.right > innerWidth);
  });
  const buttons = [...document.querySelectorAll("main button")].map((one) => one.getBoundingClientRect());
  const overlaps = buttons.some((one, i) => buttons.slice(i + 1).some((other) =>
    one.width && other.width && one.left < other.right - 1 && other.left < one.right - 1 &&
    one.top < other.bottom - 1 && other.top < one.bottom - 1));
  return {
    beside: stage.right <= grades.left,
    clip: Math.round(Math.min(stage.width, stage.height * 16 / 9)),
    small: small.map((one) => one.textContent.trim()),
    overlaps,
  };
}
"""


@pytest.mark.parametrize(("width", "height", "touch", "least"), [(800, 360, True, 440), (640, 360, False, 400)])
def test_on_its_side_and_at_twice_the_size_the_grades_are_beside_a_large_clip(
    log_in: Any, collection: Collection, width: int, height: int, touch: bool, least: int
) -> None:
    page = log_in("bo", viewport={"width": width, "height": height}, has_touch=touch, is_mobile=touch)
    wait_until_open(page)
    found = page.evaluate(BESIDE)
    assert found["clip"] >= least, found
    assert {**found, "clip": 0} == {"beside": True, "clip": 0, "small": [], "overlaps": False}
    assert found_by_axe(page).violations_count == 0


def test_a_key_shows_the_clip_on_the_whole_screen_and_judging_goes_on(log_in: Any, collection: Collection) -> None:
    page = log_in("bo")
    wait_until_open(page)
    before = page.locator("#stage").bounding_box()["height"]
    page.keyboard.press("v")
    page.wait_for_function("document.fullscreenElement !== null")
    assert not page.is_visible(".bar") and page.is_visible("#grades")
    assert page.locator("#stage").bounding_box()["height"] > before
    page.keyboard.press("3")
    wait_for_today(page, 1)
    page.keyboard.press("v")
    page.wait_for_function("document.fullscreenElement === null")


def test_forced_colours_keep_the_edges_of_grades_and_of_what_was_seen(log_in: Any, collection: Collection) -> None:
    page = log_in("bo", forced_colors="active")
    wait_until_open(page)
    edges = page.evaluate(
        "['.grade', '#seen'].map((name) => { const style = getComputedStyle(document.querySelector(name));"
        " return [parseFloat(style.borderTopWidth) >= 1, style.borderTopStyle,"
        " style.borderTopColor !== style.backgroundColor && !style.borderTopColor.startsWith('rgba')]; })"
    )
    assert edges == [[True, "solid", True]] * 2
    assert page.evaluate(
        "getComputedStyle(document.querySelector('#seen span')).backgroundColor !== "
        "getComputedStyle(document.body).backgroundColor"
    )


def test_a_phone_judges_by_touch_and_is_told_of_no_keys(log_in: Any, collection: Collection) -> None:
    page = log_in("bo", viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    wait_until_open(page)
    assert page.evaluate(FITS) == []
    shown = page.evaluate("[...document.querySelectorAll('kbd')].filter((key) => key.checkVisibility()).length")
    assert (shown, page.is_visible(".bar [data-do=keys]")) == (0, False)
    assert page.inner_text(".bar [data-do=guideline]") == "guideline"
    page.tap("[data-grade='3']")
    wait_for_state(page, "1 saved")
    assert page.inner_text("#state") == "1 saved"
    page.tap("[data-do=pause]")
    # So soon after a clip came a tap was meant for the one before.
    page.wait_for_function("before => performance.now() > before", arg=page.evaluate("performance.now() + 600"))
    page.tap("[data-grade='2']")
    wait_for_state(page, "2 is saved at 80 % of the clip. Tap it again to take it off.")
    assert page.evaluate(FITS) == []
    found = found_by_axe(page)
    assert found.violations_count == 0, found.generate_report()
    page.tap("[data-do=pause]")
    wait_for_today(page, 2)
    assert grades_of("bo") == [3, 2]
    page.tap("[popovertarget=progress]")
    page.tap("text=Done for now")
    page.wait_for_selector("#session dd")
    assert page.inner_text("#session").split("\n")[:2] == ["Judged", "2"]


def test_who_asked_for_less_motion_sees_the_clip_once_and_again_by_space(log_in: Any, collection: Collection) -> None:
    page = log_in("bo", reduced_motion="reduce")
    wait_until_open(page)
    page.wait_for_function("document.querySelector('#stage video.on').ended")
    assert page.inner_text("#pause-word") == "play"
    clip = clip_on_stage(page)
    page.keyboard.press("Space")
    # Both at one look: the clip is short, and over again soon.
    page.wait_for_function(
        "!document.querySelector('#stage video.on').paused"
        " && document.querySelector('#pause-word').innerText === 'pause'"
    )
    assert clip_on_stage(page) == clip


def test_the_pointer_alone_is_enough(log_in: Any, collection: Collection) -> None:
    page = log_in("bo")
    wait_until_open(page)
    before = clip_on_stage(page)
    page.click("[data-grade='3']")
    page.wait_for_function(
        "text => document.getElementById('state').textContent === text", arg="1 saved · Z takes back"
    )
    assert clip_on_stage(page) != before
    page.click("#stage video.on")
    assert page.evaluate("document.querySelector('#stage video.on').paused")
    # Space pauses and plays after a click, and doesn't press the last button again.
    page.keyboard.press("Space")
    page.wait_for_function("!document.querySelector('#stage video.on').paused")
    page.click("[data-do=undo]")
    page.wait_for_function("document.getElementById('state').textContent === 'taken back'")
    assert clip_on_stage(page) == before
