"""Factors on the judging page: by key and touch, taken back, without a network, in two tabs, for a screen reader."""

from typing import Any

from annotation.models import JudgedFactor, Judgment
from foundation.models import Collection
from tests.annotation.factors.declaring import with_factors
from tests.e2e.axe import found_by_axe
from tests.e2e.judging_steps import clip_on_stage, wait_for_state, wait_for_today, wait_for_waiting, wait_until_open
from tests.e2e.test_judging_for_everybody import FITS

FOCUSED = (
    "() => document.activeElement.closest('[data-factor]')?.dataset.factor ?? document.activeElement.dataset.grade"
)
NEXT = "before => document.querySelector('#stage video.on')?.dataset.number !== before"


def wait_for_question(page: Any, text: str) -> None:
    page.wait_for_function("text => document.getElementById('factor-question').textContent === text", arg=text)


def pause(page: Any) -> None:
    """As between two presses of a person: what comes sooner was meant for what was before."""
    page.wait_for_timeout(200)


def press(page: Any, *keys: str) -> None:
    for key in keys:
        pause(page)
        page.keyboard.press(key)


def answers() -> list[dict[str, int | None]]:
    """Of each counted judgment, in the order given."""
    counted = Judgment.objects.filter(counted=True).order_by("pk")
    return [dict(one.factors.values_list("factor__key", "value")) for one in counted]


def test_questions_follow_the_grade_by_key_and_touch_and_go_with_it_without_a_network_too(
    log_in: Any, collection: Collection
) -> None:
    with_factors(collection, "between")
    page = log_in("bo", viewport={"width": 360, "height": 740}, has_touch=True)
    wait_until_open(page)
    height = page.evaluate("document.getElementById('stage').clientHeight")
    before = clip_on_stage(page)
    page.keyboard.press("3")
    wait_for_question(page, "1/2 · Is it the same action?")
    assert page.evaluate("document.getElementById('stage').clientHeight") == height, "the clip doesn't jump"
    assert page.evaluate("!document.querySelector('#stage video.on').paused"), "it plays on"
    assert page.evaluate(FITS) == []
    assert not page.is_visible("#grades")
    found = found_by_axe(page)
    assert found.violations_count == 0, found.generate_report()
    press(page, "4")
    wait_for_question(page, "1/2 · Is it the same action?")
    press(page, "2")
    wait_for_question(page, "2/2 · Is all of it to be seen?")
    assert page.evaluate(FITS) == []
    press(page, "z")
    wait_for_question(page, "1/2 · Is it the same action?")
    press(page, "Escape")
    wait_for_state(page, "Not chosen any more.")
    assert page.is_visible("#grades") and clip_on_stage(page) == before
    assert not Judgment.objects.exists()
    page.context.set_offline(True)
    pause(page)
    page.tap("#grades [data-grade='2']")
    wait_for_question(page, "1/2 · Is it the same action?")
    page.wait_for_timeout(600)
    page.tap("[data-factor=action] [data-grade='1']")
    wait_for_question(page, "2/2 · Is all of it to be seen?")
    page.wait_for_timeout(600)
    page.tap("[data-factor=whole] [data-skip]")
    page.wait_for_function(NEXT, arg=before)
    assert page.is_visible("#grades") and page.text_content("#factor-question") == ""
    wait_for_waiting(page, 1)
    page.context.set_offline(False)
    wait_for_today(page, 1)
    assert answers() == [{"action": 1, "whole": None}]
    wait_until_open(page)
    before = clip_on_stage(page)
    press(page, "4")
    page.wait_for_function(NEXT, arg=before)
    wait_for_today(page, 2)
    assert answers()[1] == {}, "nothing follows the highest grade"
    press(page, "z")
    wait_until_open(page)
    press(page, "1", "0", "1")
    wait_for_today(page, 2)
    assert answers()[1] == {"action": 0, "whole": 1}


def test_a_grade_chosen_early_asks_once_it_is_given_and_another_tab_ends_the_questions(
    log_in: Any, collection: Collection
) -> None:
    with_factors(collection)
    page = log_in("bo")
    wait_until_open(page)
    other = page.context.new_page()
    other.goto(page.url)
    wait_until_open(other)
    press(other, "3")
    wait_for_question(other, "1/2 · Is it the same action?")
    page.bring_to_front()
    before = clip_on_stage(page)
    press(page, "3", "2", "1")
    page.wait_for_function(NEXT, arg=before)
    page.wait_for_timeout(600)
    page.keyboard.press("3")
    wait_for_state(page, "3 is saved at 80 % of the clip.")
    wait_for_question(page, "1/2 · Is it the same action?")
    wait_for_today(page, 1)
    other.bring_to_front()
    other.wait_for_function("() => document.getElementById('factor-question').textContent === ''")
    assert other.is_visible("#grades")
    assert answers() == [{"action": 2, "whole": 1}]


def test_by_buttons_of_the_keyboard_the_focus_goes_from_question_to_question(
    log_in: Any, collection: Collection
) -> None:
    with_factors(collection)
    page = log_in("bo", locale="de-DE")
    wait_until_open(page)
    page.focus("#grades [data-grade='3']")
    page.keyboard.press("Enter")
    assert page.evaluate(FOCUSED) == "action"
    group = page.get_by_role("group", name="Ist es dieselbe Handlung?", exact=True)
    assert group.get_by_role("button").all_text_contents() == ["0 nein", "1 zum Teil", "2 ja"]
    assert page.get_attribute("#factor-question", "aria-live") == "off", "who hears the group hears it there"
    page.wait_for_timeout(200)
    page.keyboard.press("Enter")
    assert page.evaluate(FOCUSED) == "whole"
    page.wait_for_timeout(200)
    page.keyboard.press("Enter")
    assert page.evaluate(FOCUSED) == "3"
    wait_for_today(page, 1)
    assert JudgedFactor.objects.filter(value=0).count() == 2
