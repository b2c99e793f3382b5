"""docs/desk.md can't rot: it has every page of the lead, and where a program gets what it shows."""

import json
import re

import pytest
from django.urls import URLPattern

from tests.addresses import LEAD_PAGES, patterns
from tests.paths import ROOT

MANUAL = (ROOT / "docs" / "desk.md").read_text()


def route(pattern: URLPattern) -> str:
    """As the manual writes it: `/c/NAME/members/ID/`."""
    address = re.sub(r"<\w+:name>", "NAME", "/" + str(pattern.pattern))
    return re.sub(r"<int:\w+>", "ID", address)


def section_of(pattern: URLPattern) -> str:
    """The row of the manual's table that begins with the page's address; "" where there is none."""
    return next((line for line in MANUAL.splitlines() if line.startswith(f"| `{route(pattern)}`")), "")


@pytest.mark.parametrize("name", sorted(LEAD_PAGES))
def test_every_page_of_the_lead_is_in_the_manual(name: str) -> None:
    pattern = next(pattern for pattern in patterns() if pattern.name == name)
    assert section_of(pattern), (
        f"docs/desk.md lacks the page {name!r}. Add a row that begins with `{route(pattern)}`: to the first table "
        "with what the API has of it, or to the second with what it is."
    )


def test_every_address_that_replaces_a_page_is_one_of_the_api() -> None:
    table = MANUAL.partition("| page | below `/api/v1/collections/NAME/` |")[2].partition("\n\n")[0]
    told = {address.partition("?")[0] for row in table.splitlines()[2:] for address in re.findall("`([^`]+)`", row)[1:]}
    paths = json.loads((ROOT / "docs" / "openapi.json").read_text())["paths"]
    of_a_collection = [path.partition("/collections/{name}/")[2] for path, answers in paths.items() if "get" in answers]
    known = {re.sub("{[a-z_]+}", "*", path) for path in of_a_collection}
    assert len(told) > 40 and {re.sub("[A-Z]+", "*", address) for address in told} - known == set()
