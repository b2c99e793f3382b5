"""Help: every manual is a page, every link of theirs and every page's Help leads to what is there."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from desk.help.manuals import INDEX, anchor_of, manual, names
from desk.help.topics import TOPICS, topic_of
from foundation.models import Account
from tests.addresses import LEAD_PAGES, patterns
from tests.conftest import World, build_world


@pytest.fixture
def reader(mal: Account) -> Client:
    """Somebody who belongs to no collection."""
    client = Client()
    client.force_login(mal)
    return client


def test_every_manual_has_a_page_and_stands_in_the_list_of_all(reader: Client) -> None:
    listed = reader.get(reverse("help")).content.decode()
    for name in set(names()) - {INDEX}:
        address = reverse("help-page", args=[name])
        assert listed.count(f'href="{address}"') == 1, f"docs/index.md has {name}.md not once"
        response = reader.get(address)
        shown = manual(name)
        assert shown is not None
        assert (response.status_code, response.content.decode().count("<h1")) == (200, 1)
        assert f'<h1 id="{anchor_of(shown.title)}">' in response.content.decode()


def test_links_between_manuals_lead_to_a_page_and_to_a_heading_of_it() -> None:
    pages = {reverse("help"): INDEX} | {reverse("help-page", args=[name]): name for name in names() if name != INDEX}
    followed = 0
    for name in names():
        for link in re.findall(r'<a href="([^"]+)"', manual(name).html):  # type: ignore[union-attr]
            if link.startswith("http"):
                continue
            address, _, anchor = link.partition("#")
            there = manual(pages[address] if address else name)
            assert there is not None
            assert not anchor or anchor in there.anchors, f"{name}.md leads to {link}"
            followed += 1
    assert followed > 30


def test_every_page_s_help_leads_to_a_heading_that_is_there() -> None:
    for page in TOPICS:
        name, anchor = topic_of(page)
        shown = manual(name)
        assert shown is not None, f"{page}: there is no docs/{name}.md"
        assert not anchor or anchor in shown.anchors, f"{page}: docs/{name}.md has no heading #{anchor}"
    assert topic_of("a-page-of-nothing") == (INDEX, "")
    pages = {str(pattern.name) for pattern in patterns() if str(pattern.pattern).endswith("/")} & LEAD_PAGES
    without = pages - set(TOPICS)
    assert not without, "these pages of leads lack their part of a manual in desk/help/topics.py"


def test_a_page_leads_to_its_manual_but_judging_to_none(world: World, client_of: Any) -> None:
    ada, bo = client_of(world["ada"].account), client_of(world["bo"].account)
    for address, leads_to in (
        ("/c/paper/review/", "/help/judging/#review"),
        ("/c/paper/videos/", "/help/videos/"),
        ("/account/", "/help/accounts/#your-own-account"),
    ):
        assert f'href="{leads_to}" aria-label="Help"' in ada.get(address).content.decode()
    assert "/help/" not in bo.get("/c/paper/judge/").content.decode()


@pytest.mark.parametrize("address", ["/help/", "/help/judging/", "/about/"])
def test_help_is_behind_the_login_and_says_the_same_whatever_is_judged(reader: Client, address: str) -> None:
    assert Client().get(address)["Location"] == f"/login/?next={address}"
    assert Client().post(address).status_code == 405

    def said() -> str:
        return re.sub(r'value="\w{64}"', "", reader.get(address).content.decode())

    before = said()
    build_world(queries=2)
    assert said() == before


@pytest.mark.parametrize("name", ["none", "index.md", "..%2Fsettings", "casts", "JUDGING"])
def test_there_is_no_page_but_of_the_manuals(reader: Client, name: str) -> None:
    assert reader.get(f"/help/{name}/").status_code == 404


def test_the_list_of_all_has_one_address(reader: Client) -> None:
    assert reader.get("/help/index/")["Location"] == "/help/"


def test_about_says_version_licence_citation_and_packages(reader: Client) -> None:
    text = reader.get("/about/").content.decode()
    for expected in ("Qreels 0.1.0", "MIT License", "the Qreels authors", "cff-version", "<td>Django</td>", "BSD"):
        assert expected in text, expected


def test_a_heading_s_anchor_is_that_of_code_hosts() -> None:
    assert anchor_of("`tvr-ranking`") == "tvr-ranking"
    assert anchor_of("AxIoU, supplement") == "axiou-supplement"
