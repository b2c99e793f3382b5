"""The menu of leads' pages: four groups in the order of the work, one current page, nothing that isn't there."""

import re
from typing import Any

import pytest
from django.utils.html import strip_tags
from pytest_django import DjangoAssertNumQueries

from desk.menu import GROUPS, LAST, OVERVIEW, SELDOM, Menu, menu_of, pages_in_use
from foundation.models import Collection
from queries.models import Query
from tests.conftest import World

COLLECTION = Collection(name="paper", title="Paper")


def links_of(menu: Menu) -> list[tuple[str, str, bool]]:
    """Label, address and whether it is the current page, of all links in their order."""
    links = [*menu.first, *(link for stage in menu.stages for link in (*stage.links, *stage.more)), *menu.last]
    return [(link.label, link.address, link.here) for link in links]


@pytest.mark.parametrize(
    ("page", "label"),
    [
        ("overview", "Overview"),
        ("import-report", "Descriptions"),
        ("video", "Videos"),
        ("caption-list", "Captions"),
        ("applicants", "Applicants"),
        ("exam-close", "Applicants"),
        ("guideline-edit", "Guideline"),
        ("person", "People"),
        ("partners", "Agreement"),
        ("work-query", "Progress"),
        ("review-batch", "Batches"),
        ("review-decisions", "Decisions"),
        ("board", "Releases"),
        ("publication", "Releases"),
        ("settings", "Settings"),
    ],
)
def test_a_page_is_marked_in_the_menu_once(page: str, label: str) -> None:
    menu = menu_of(COLLECTION, page, used=SELDOM)
    assert [name for name, _, here in links_of(menu) if here] == [label]
    assert [stage.label for stage in menu.stages if stage.here] == [
        group.label for group in GROUPS if label in [entry.label for entry in group.entries]
    ]


@pytest.mark.parametrize("page", ["", "account", "judge", "no-such-page"])
def test_a_page_outside_the_menu_is_marked_nowhere(page: str) -> None:
    assert not any(here for _, _, here in links_of(menu_of(COLLECTION, page, used=SELDOM)))


def test_the_groups_stand_in_the_order_of_the_work() -> None:
    menu = menu_of(COLLECTION, "overview", used=SELDOM)
    assert [stage.label for stage in menu.stages] == ["Prepare", "Judge", "Review", "Release"]
    addresses = [address for _, address, _ in links_of(menu)]
    assert len(addresses) == len(set(addresses))
    assert addresses[0] == "/c/paper/"


def test_no_page_has_two_entries() -> None:
    pages = [entry.page for entry in (OVERVIEW, *(entry for group in GROUPS for entry in group.entries), *LAST)]
    assert len(pages) == len(set(pages))


def test_what_the_collection_does_not_use_is_folded_away_and_still_there() -> None:
    menu = menu_of(COLLECTION, "topics", used={"videos", "cast"})
    prepare = menu.stages[0]
    assert [link.label for link in prepare.more] == ["Clips", "Topics", "Runs", "Recipe", "Sample"]
    assert "Cast" in [link.label for link in prepare.links]
    assert prepare.here in prepare.more


@pytest.mark.django_db
def test_a_collection_uses_what_it_has(world: World, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(1):
        assert pages_in_use(world.collection) == set()
    Query.objects.create(collection=world.collection, topic_id="7", text="A cat.", split="val", position=900)
    world.collection.cast = "Ada, woman"
    world.collection.has_clips = True
    assert pages_in_use(world.collection) == {"topics", "cast", "videos", "clips"}


BY_WHAT_IT_SHOWS = {"overview", "review", "guideline-edit"}
"""Pages headed by the collection, the query or the guideline's version at hand."""


@pytest.mark.django_db
def test_a_page_has_one_word_in_menu_title_and_heading(world: World, client_of: Any) -> None:
    ada = client_of(world["ada"].account)
    entries = [OVERVIEW, *(entry for group in GROUPS for entry in group.entries), *LAST]
    menu = menu_of(world.collection, "", used=SELDOM)
    addresses = {label: address for label, address, _ in links_of(menu)}
    for entry in entries:
        if entry.label not in addresses:
            continue
        page = ada.get(addresses[entry.label]).content.decode()
        title = page.split("<title>")[1].split("</title>")[0]
        assert title == f"{entry.label} · {world.collection.title} · Qreels"
        heading = strip_tags(page.split("<h1")[1].split(">", 1)[1].split("</h1>")[0])
        assert entry.page in BY_WHAT_IT_SHOWS or heading == entry.label, heading


@pytest.mark.django_db
def test_tabs_stand_in_the_order_of_the_menu(world: World, client_of: Any) -> None:
    page = client_of(world["ada"].account).get(f"/c/{world.collection.name}/invitations/").content.decode()
    tabs = page.split('<nav class="tabs"')[1].split("</nav>")[0]
    judge = [link.address for link in menu_of(world.collection, "", used=SELDOM).stages[1].links]
    shown = [address.replace("guideline/", "guideline/edit/") for address in re.findall(r'href="([^"?]+)', tabs)]
    places = [judge.index(address) for address in shown]
    assert places == sorted(places)


def test_a_page_that_the_site_does_not_have_is_left_out(settings: object) -> None:
    settings.ROOT_URLCONF = "desk.figures.urls"  # type: ignore[attr-defined]
    assert [label for label, _, _ in links_of(menu_of(COLLECTION, "overview", used=SELDOM))] == ["Figures"]


def test_a_study_has_what_is_its_own_and_the_way_back() -> None:
    study = Collection(name="paper-pilot-1", title="Pilot", study_of=Collection(pk=1, name="paper", title="Paper"))
    links = links_of(menu_of(study, "flags", used=set()))
    assert [label for label, _, _ in links] == [
        "Overview",
        "People",
        "Progress",
        "Flags",
        "Notices",
        "Time and pay",
        "Discarded pairs",
        "Agreement",
        "Figures",
        "All studies",
    ]
    assert links[-1][1] == "/c/paper/studies/"
    assert all(address.startswith("/c/paper-pilot-1/") for _, address, _ in links[:-1])
