"""A scale to 100 on the judging page: by keyboard and by touch, early, without a network, and taken back."""

from typing import Any

import pytest

from annotation.models import Judgment
from foundation.models import Collection
from tests.e2e.axe import found_by_axe
from tests.e2e.judging_steps import clip_on_stage, grades_of, wait_for_state, wait_for_today, wait_until_open
from tests.e2e.test_judging_for_everybody import FITS

pytestmark = pytest.mark.long
SLIDER = "#grades input[type=range]"
NEXT = "before => document.querySelector('#stage video.on')?.dataset.number !== before"


def slider(page: Any) -> tuple[str, str]:
    """What it stands at as a screen reader says it, and what the button would give."""
    return page.get_attribute(SLIDER, "aria-valuetext"), page.inner_text("#grades button b")


def test_a_grade_of_a_hundred_is_typed_slid_chosen_early_kept_offline_and_taken_back(
    log_in: Any, collection: Collection
) -> None:
    Collection.objects.update(top_grade=100, grade_step=5)
    page = log_in("bo", viewport={"width": 360, "height": 740}, has_touch=True)
    before = clip_on_stage(page)
    assert slider(page) == ("none yet", "–") and page.evaluate(FITS) == []
    page.wait_for_timeout(600)  # a press so soon after the clip came was meant for the one before
    for key in ("3", "7"):
        page.keyboard.press(key)
    assert slider(page) == ("35", "35"), "the nearest grade of the scale"
    page.keyboard.press("ArrowRight")
    assert slider(page) == ("40", "40")
    page.keyboard.press("Escape")
    assert slider(page) == ("none yet", "–"), "arrows are the clip's again"
    page.keyboard.press("Enter")
    page.keyboard.press("End")
    assert slider(page) == ("100", "100")
    found = found_by_axe(page)
    assert found.violations_count == 0, found.generate_report()
    page.keyboard.press("Enter")
    page.wait_for_function(NEXT, arg=before)
    wait_for_today(page, 1)
    assert grades_of("bo") == [100] and slider(page) == ("none yet", "–")
    # Without a network, by touch.
    wait_until_open(page)
    page.context.set_offline(True)
    before = clip_on_stage(page)
    box = page.locator(SLIDER).bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert slider(page) == ("50", "50")
    page.tap("#grades button")
    page.wait_for_function(NEXT, arg=before)
    page.context.set_offline(False)
    wait_for_today(page, 2)
    assert grades_of("bo") == [100, 50]
    page.keyboard.press("z")
    wait_for_today(page, 1)
    assert grades_of("bo") == [100]
    assert Judgment.objects.filter(grade=50, counted=False).exists()


def test_an_early_grade_waits_for_the_clip_and_is_taken_off(log_in: Any, collection: Collection) -> None:
    Collection.objects.update(top_grade=100, grade_step=1, played_fraction=1.0)
    page = log_in("bo")
    clip_on_stage(page)
    page.evaluate("document.querySelector('#stage video.on').pause()")
    page.wait_for_timeout(600)
    page.keyboard.press("8")
    page.keyboard.press("Enter")
    wait_for_state(page, "8 is saved at 100 % of the clip.")
    assert page.get_attribute("#grades button", "aria-pressed") == "true"
    page.keyboard.press("Enter")
    wait_for_state(page, "Not chosen any more.")
    assert Judgment.objects.count() == 0


@pytest.mark.parametrize(("scheme", "width"), [("dark", 360), ("light", 1280)])
def test_a_lead_names_and_colours_the_grades(
    scheme: str, width: int, log_in: Any, site: str, collection: Collection
) -> None:
    page = log_in("ada", viewport={"width": width, "height": 720}, color_scheme=scheme)

    def clean() -> None:
        found = found_by_axe(page)
        assert found.response["violations"] == [], found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    page.goto(f"{site}/c/stage/settings/scale/")
    clean()
    page.select_option("[name=grades]", "1/1")
    page.press("[name=grades]", "Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=The scale is set.")
    page.fill("[name=word-en-0]", "no")
    page.fill("[name=word-en-1]", "NO")
    page.press("[name=word-en-1]", "Enter")
    page.wait_for_selector("#field-word-en-1-wrong")
    assert page.evaluate("document.activeElement.name") == "word-en-1"
    clean()
    page.fill("[name=word-en-1]", "yes")
    page.fill("[name=colour-1]", "#ffd166")
    page.fill("[name=dark_colour-1]", "#7a5200")
    page.press("[name=word-en-1]", "Enter")
    page.wait_for_selector("text=Words and colours are set.")
    clean()
    assert "yes" in page.inner_text(".scale-preview .light") and "yes" in page.inner_text(".scale-preview .dark")
    page.select_option("[name=grades]", "100/10")
    page.click("text=Set the number")
    page.wait_for_selector(".scale-preview input[type=range]")
    clean()
