"""docs/desk.md can't rot: it has every page of the lead, and every field of those that are JSON too."""

import re
from typing import Any

import pytest
from django.urls import URLPattern

from tests.addresses import LEAD_PAGES, address, patterns
from tests.conftest import World
from tests.paths import ROOT

MANUAL = (ROOT / "docs" / "desk.md").read_text()


def route(pattern: URLPattern) -> str:
    """As the manual writes it: `/c/NAME/members/ID/`."""
    said = re.sub(r"<\w+:name>", "NAME", "/" + str(pattern.pattern))
    return re.sub(r"<int:\w+>", "ID", said)


def section_of(pattern: URLPattern) -> str:
    """The row of the manual's table that begins with the page's address; "" where there is none."""
    return next((line for line in MANUAL.splitlines() if line.startswith(f"| `{route(pattern)}`")), "")


def json_pages() -> list[URLPattern]:
    return [pattern for pattern in patterns() if getattr(pattern.callback, "gives_facts", False)]


@pytest.mark.parametrize("name", sorted(LEAD_PAGES))
def test_every_page_of_the_lead_is_in_the_manual(name: str) -> None:
    pattern = next(pattern for pattern in patterns() if pattern.name == name)
    assert section_of(pattern), (
        f"docs/desk.md lacks the page {name!r}. Add a row that begins with `{route(pattern)}`: to the first table "
        "with its fields if it is a lead_page (JSON too), to the second with what it is otherwise."
    )


def test_every_json_page_is_under_the_rule_for_leads() -> None:
    assert {pattern.name for pattern in json_pages()} <= LEAD_PAGES


@pytest.mark.django_db
@pytest.mark.parametrize("pattern", json_pages(), ids=lambda pattern: str(pattern.name))
def test_every_field_of_a_json_page_is_in_the_manual(pattern: URLPattern, world: World, client_of: Any) -> None:
    answer = client_of(world["ada"].account).get(address(str(pattern.name)) + "?format=json")
    if answer.status_code == 404:
        return  # a page of one row, of which there is none here
    missing = [field for field in answer.json() if f"`{field}`" not in section_of(pattern)]
    assert not missing, f"docs/desk.md says nothing of {missing} in the row of `{route(pattern)}`"
