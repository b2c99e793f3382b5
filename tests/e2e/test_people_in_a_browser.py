"""The people's pages in a real browser: by keyboard alone, and axe finds nothing wrong."""

import uuid
from typing import Any

import pytest

from annotation.models import Judgment, Pair
from annotation.precomputed import refresh_computed
from foundation.models import Collection, Membership
from tests.e2e.test_pages_of_becoming_an_annotator import look

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def judged(collection: Collection) -> dict[str, Membership]:
    """Bo and cy have judged every pair, cy two grades lower."""
    people = {one.account.username: one for one in Membership.objects.select_related("account") if one.account}
    for pair in Pair.objects.all():
        for name, grade in (("bo", 4), ("cy", 2)):
            Judgment.objects.create(pair=pair, annotator=people[name], grade=grade, round=1, key=uuid.uuid4())
    refresh_computed(collection=collection, name="model")
    return people


def test_the_lead_finds_somebody_and_pauses_them_by_keyboard(
    judged: dict[str, Membership], log_in: Any, site: str
) -> None:
    page = log_in("ada")
    page.goto(f"{site}/c/stage/people/")
    bias = page.get_by_role("button", name="Bias")
    bias.focus()
    page.keyboard.press("Enter")
    workers = "[...document.querySelectorAll('.people tbody tr td:first-child a')].map(one => one.textContent)"
    bo, cy = judged["bo"].worker, judged["cy"].worker
    page.wait_for_function(f"JSON.stringify({workers}) === '{_json([bo, cy])}'")
    page.keyboard.press("Enter")
    page.wait_for_function(f"JSON.stringify({workers}) === '{_json([cy, bo])}'")
    page.get_by_role("row").get_by_role("link", name=cy).focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/people/{judged['cy'].pk}/")
    page.get_by_label("Reason").focus()
    page.keyboard.type("Two grades below everybody")
    page.keyboard.press("Enter")
    page.get_by_role("status").filter(has_text=f"{cy} is paused now").wait_for()
    page.get_by_role("cell", name="Two grades below everybody").wait_for()
    assert Membership.objects.get(pk=judged["cy"].pk).status == "paused"


def test_every_page_is_for_everybody_and_fits_a_phone(judged: dict[str, Membership], log_in: Any, site: str) -> None:
    page = log_in("ada")
    for path in ("", "partners/", "model/", f"{judged['bo'].pk}/"):
        page.goto(f"{site}/c/stage/people/{path}")
        page.wait_for_load_state("load")
        look(page, path or "people")


def _json(names: list[str]) -> str:
    return "[" + ",".join(f'"{name}"' for name in names) + "]"
