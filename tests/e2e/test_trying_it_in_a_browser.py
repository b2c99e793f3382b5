"""A newcomer without an account tries judging in a real browser, from the login page to the comparison."""

from collections.abc import Iterator
from typing import Any

import pytest

from annotation.models import Batch, Judgment, Pair
from annotation.settings.services import configure
from foundation.models import Collection
from tests.e2e.axe import found_by_axe
from tests.e2e.judging_steps import PATIENCE, judge, wait_for_note, wait_until_open

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def newcomer(browser: Any) -> Iterator[Any]:
    """A page of somebody who was never here, in a hurry; what goes wrong in its scripts fails the test."""
    context = browser.new_context(bypass_csp=True, viewport={"width": 360, "height": 740}, has_touch=True)
    context.add_init_script("localStorage.setItem('qreels:speed', '2')")
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    yield page
    context.close()
    assert wrong == []


def test_six_clips_by_keyboard_and_by_touch_then_the_comparison(
    newcomer: Any, site: str, collection: Collection
) -> None:
    for pair in Pair.objects.select_related("candidate"):
        Pair.objects.filter(pk=pair.pk).update(status=Pair.Status.CONSENSUS, grade=pair.candidate.rank - 1)
    Batch.objects.update(status=Batch.Status.FINISHED)
    configure(collection=collection, changes={"offers_tryout": "yes"})
    page = newcomer
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{site}/login/")
    page.get_by_role("button", name="Play", exact=False).wait_for()
    assert page.evaluate("document.querySelector('.glimpse video').paused"), "less motion is asked for"
    page.emulate_media(reduced_motion="no-preference")
    page.reload()
    page.get_by_role("button", name="Pause", exact=False).click()
    page.wait_for_function("document.querySelector('.glimpse video').paused")
    found = found_by_axe(page)
    assert found.violations_count == 0, found.generate_report()
    page.get_by_role("link", name="Try it for a minute").press("Enter")
    page.wait_for_url(f"{site}/try/")
    for key in "012":
        judge(page, key)
    page.wait_for_function("document.getElementById('done').textContent === '3 of 6'", timeout=PATIENCE)
    found = found_by_axe(page)
    assert found.violations_count == 0, found.generate_report()
    for number, grade in enumerate("331", start=4):
        wait_until_open(page)
        page.tap(f"[data-grade='{grade}']")
        page.wait_for_function(f"document.getElementById('done').textContent === '{number} of 6'", timeout=PATIENCE)
    wait_for_note(page, "Those were all six.")
    page.get_by_role("button", name="See how you compare").press("Enter")
    page.wait_for_url(f"{site}/try/result/**")
    assert page.locator(".tryout-rows li").count() == 6
    assert "of your 6 grades" in page.inner_text(".lede")
    found = found_by_axe(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert not Judgment.objects.exists()
