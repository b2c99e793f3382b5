"""Judging in other languages on a phone: words, also without a network, and a layout from right to left."""

from typing import Any

import pytest

from foundation.models import Account, Collection
from tests.e2e.judging_steps import OPEN, PATIENCE, wait_for_state, wait_until_open
from tests.e2e.test_judging_for_everybody import FITS

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

LEFT_EDGES = "[...document.querySelectorAll('{}')].map((part) => part.getBoundingClientRect().left)"


def test_the_judging_page_speaks_and_fits_in_every_language(log_in: Any, collection: Collection) -> None:
    page = log_in("bo", viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    for language, grade, saved in (
        ("es", "algunos puntos", "1 guardada"),
        ("zh-hans", "少量相符", "已保存 2 次"),
        ("de", "einzelne Punkte", "3 gespeichert"),
    ):
        Account.objects.filter(username="bo").update(language=language)
        page.goto(page.url)
        wait_until_open(page)
        assert page.get_attribute("html", "lang") == language
        assert page.evaluate(FITS) == [], language
        assert grade in page.inner_text("[data-grade='1']")
        page.tap("[data-grade='1']")
        wait_for_state(page, saved)
        page.wait_for_function(OPEN, timeout=PATIENCE)
    page.context.set_offline(True)
    page.tap("[data-grade='2']")
    page.wait_for_function("document.getElementById('strip').textContent.startsWith('1 Urteil wartet auf das Netz.')")
    page.context.set_offline(False)
    page.wait_for_function("document.getElementById('strip').hidden", timeout=PATIENCE)
    page.evaluate("document.documentElement.dir = 'rtl'")
    wait_until_open(page)
    assert page.evaluate(FITS) == []
    grades = page.evaluate(LEFT_EDGES.format("#grades [data-grade]"))
    assert grades == sorted(grades), "the grades stand in the order of their keys"
    brand, menu = page.evaluate(LEFT_EDGES.format(".brand, .bar .end"))
    assert brand > menu, "the bar begins at the right"
