"""Start and end of what fits, marked on the judging page by key and by touch, also without a network."""

from typing import Any

from annotation.models import JudgedSpan, Judgment
from foundation.models import Collection
from tests.e2e.axe import found_by_axe
from tests.e2e.judging_steps import clip_on_stage, wait_for_state, wait_for_today, wait_until_open
from tests.e2e.test_judging_for_everybody import FITS

AT = "time => { const clip = document.querySelector('#stage video.on'); clip.pause(); clip.currentTime = time }"
THERE = "time => Math.abs(document.querySelector('#stage video.on').currentTime - time) < 0.001"


def stand_at(page: Any, time: float) -> None:
    """The clip is paused there."""
    page.evaluate(AT, time)
    page.wait_for_function(THERE, arg=time)


def test_what_fits_is_marked_by_key_and_touch_taken_back_and_sent_with_the_grade(
    log_in: Any, collection: Collection
) -> None:
    Collection.objects.update(span_agreement=0.5)
    page = log_in("bo", viewport={"width": 360, "height": 740}, has_touch=True)
    wait_until_open(page)
    assert page.evaluate(FITS) == []
    stand_at(page, 0.5)
    page.keyboard.press("s")
    wait_for_state(page, "Fits from 0.5 s to ")
    stand_at(page, 0.8)
    page.keyboard.press("e")
    wait_for_state(page, "Fits from 0 s to 0.8 s of the clip.")
    page.keyboard.press("z")
    wait_for_state(page, "Fits from 0.5 s to ")
    page.tap("[data-do=markWhole]")
    wait_for_state(page, "The whole clip fits.")
    page.keyboard.press("z")
    assert page.get_attribute("[data-do=markStart]", "aria-pressed") == "true"
    assert page.evaluate(FITS) == []
    found = found_by_axe(page)
    assert found.violations_count == 0, found.generate_report()
    page.context.set_offline(True)
    before = clip_on_stage(page)
    page.keyboard.press("3")
    page.wait_for_function("before => document.querySelector('#stage video.on')?.dataset.number !== before", arg=before)
    assert page.get_attribute("[data-do=markStart]", "aria-pressed") == "false", "the next clip has its own marks"
    page.context.set_offline(False)
    wait_for_today(page, 1)
    kept = Judgment.objects.select_related("span", "pair__candidate__moment").get()
    moment = kept.pair.candidate.moment
    assert (kept.grade, round(kept.span.start - moment.start, 3), kept.span.end) == (3, 0.5, moment.end)
    page.keyboard.press("z")
    page.wait_for_selector("[data-do=markStart][aria-pressed=true]")
    page.keyboard.press("w")
    wait_until_open(page)
    page.keyboard.press("4")
    wait_for_today(page, 1)
    assert JudgedSpan.objects.count() == 1 and not hasattr(Judgment.objects.get(counted=True), "span")
