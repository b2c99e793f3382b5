"""Help in a browser: from a page to what is about it, by keyboard, for every eye and width."""

from typing import Any

import pytest

from tests.e2e.axe import found_by_axe

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

WIDEST = "document.documentElement.scrollWidth <= innerWidth"


def test_help_leads_from_a_page_to_its_heading_and_on(log_in: Any, site: str) -> None:
    page = log_in("ada")
    page.goto(f"{site}/c/stage/review/")
    page.locator("a.help").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site}/help/judging/#review")
    assert page.evaluate("document.querySelector(':target').textContent") == "Review"
    page.get_by_text("On this page").click()
    page.get_by_role("link", name="Flags", exact=True).click()
    page.wait_for_url("**/help/judging/#flags")
    page.get_by_role("link", name="All manuals").click()
    page.wait_for_url(f"{site}/help/")
    for address in ("/help/", "/help/releases/", "/help/papers/", "/about/"):
        page.goto(f"{site}{address}")
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            found = found_by_axe(page)
            assert found.violations_count == 0, found.generate_report()
        page.set_viewport_size({"width": 360, "height": 740})
        assert page.evaluate(WIDEST), f"{address} is wider than a phone"
        page.set_viewport_size({"width": 1280, "height": 720})
