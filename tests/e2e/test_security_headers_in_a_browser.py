"""The content security policy in a real browser: judging and the desk need nothing that it forbids."""

from typing import Any

import pytest
from playwright.sync_api import expect

from annotation.models import Judgment
from tests.e2e.judging_steps import PATIENCE

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

BROUGHT_IN = """() => {
  const made = document.createElement("script");
  made.textContent = "window.broken = 1";
  document.body.append(made);
  document.body.insertAdjacentHTML("beforeend", "<img src='x' onerror='window.broken = 1'>");
}"""
PAGES = ("", "videos/", "review/", "figures/", "captions/", "settings/", "jobs/", "people/", "releases/")


def strict_page(log_in: Any, username: str, said: list[str]) -> Any:
    """A page under the policy. What the browser refuses is noted in `said`."""
    page = log_in(username, bypass_csp=False)
    page.on("console", lambda line: said.append(line.text) if "Content Security Policy" in line.text else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.reload()
    return page


def test_nothing_that_the_pages_need_is_refused(log_in: Any, site: str) -> None:
    refused: list[str] = []
    page = strict_page(log_in, "bo", refused)
    # Open once enough of the clip was seen.
    grades = page.locator("#grades:not([data-closed])")
    for number in (1, 2):
        expect(grades).to_be_visible(timeout=PATIENCE)
        page.keyboard.press("3")
        expect(page.locator("#today")).to_have_text(str(number), timeout=PATIENCE)
    page = strict_page(log_in, "ada", refused)
    for name in PAGES:
        page.goto(f"{site}/c/stage/{name}")
        expect(page.locator("h1")).to_be_visible()
    assert not refused, refused
    assert Judgment.objects.count() == 2


def test_a_script_that_somebody_brought_in_is_refused(log_in: Any, site: str) -> None:
    refused: list[str] = []
    page = strict_page(log_in, "ada", refused)
    page.evaluate(BROUGHT_IN)
    expect(page.locator("img[src=x]")).to_be_attached()
    assert page.evaluate("() => window.broken") is None
    assert any("script-src" in line for line in refused)
