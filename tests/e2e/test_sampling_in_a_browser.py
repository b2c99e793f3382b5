"""A lead draws a sample in a real browser: no fault for axe, on a narrow screen and with the keyboard."""

from typing import Any

import pytest

from annotation.models import Batch, Pair, SamplingDesign
from foundation.models import Collection
from tests.e2e.axe import found_by_axe

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def test_a_lead_draws_and_extends_a_sample_in_the_browser(log_in: Any, site: str, collection: Collection) -> None:
    Pair.objects.all().delete()
    Batch.objects.all().delete()
    page = log_in("ada", viewport={"width": 360, "height": 720}, color_scheme="dark")

    def clean() -> None:
        assert found_by_axe(page).response["violations"] == [], page.url
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url

    page.goto(f"{site}/c/stage/sampling/")
    clean()
    page.select_option("[name=unit]", "pair")
    page.fill("[name=numbers]", "many")
    page.press("[name=numbers]", "Enter")
    page.wait_for_selector("#field-numbers-wrong")
    assert page.evaluate("document.activeElement.name") == "numbers"
    clean()
    page.fill("[name=numbers]", "2")
    page.press("[name=numbers]", "Enter")
    page.wait_for_selector("text=The sample is drawn.")
    clean()
    page.fill("[name=numbers]", "3")
    page.press("[name=numbers]", "Enter")
    page.wait_for_selector("text=More is drawn.")
    clean()
    assert SamplingDesign.objects.get().stages.count() == 2
