"""The menu of leads' pages: four groups in the order of the work, one current page, nothing that isn't there."""

import pytest

from corpus.models import Collection
from desk.menu import GROUPS, LAST, OVERVIEW, Menu, menu_of

COLLECTION = Collection(name="paper", title="Paper")


def links_of(menu: Menu) -> list[tuple[str, str, bool]]:
    """Label, address and whether it is the current page, of all links in their order."""
    links = [*menu.first, *(link for stage in menu.stages for link in stage.links), *menu.last]
    return [(link.label, link.address, link.here) for link in links]


@pytest.mark.parametrize(
    ("page", "label"),
    [
        ("overview", "Overview"),
        ("import-report", "Descriptions"),
        ("video", "Videos"),
        ("caption-list", "Captions"),
        ("candidates", "Applicants"),
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
    menu = menu_of(COLLECTION, page)
    assert [name for name, _, here in links_of(menu) if here] == [label]
    assert [stage.label for stage in menu.stages if stage.here] == [
        group.label for group in GROUPS if label in [entry.label for entry in group.entries]
    ]


@pytest.mark.parametrize("page", ["", "account", "judge", "no-such-page"])
def test_a_page_outside_the_menu_is_marked_nowhere(page: str) -> None:
    assert not any(here for _, _, here in links_of(menu_of(COLLECTION, page)))


def test_the_groups_stand_in_the_order_of_the_work() -> None:
    menu = menu_of(COLLECTION, "overview")
    assert [stage.label for stage in menu.stages] == ["Prepare", "Judge", "Review", "Release"]
    addresses = [address for _, address, _ in links_of(menu)]
    assert len(addresses) == len(set(addresses))
    assert addresses[0] == "/c/paper/"


def test_no_page_has_two_entries() -> None:
    pages = [entry.page for entry in (OVERVIEW, *(entry for group in GROUPS for entry in group.entries), *LAST)]
    assert len(pages) == len(set(pages))


def test_a_page_that_the_site_does_not_have_is_left_out(settings: object) -> None:
    settings.ROOT_URLCONF = "desk.figures.urls"  # type: ignore[attr-defined]
    assert [label for label, _, _ in links_of(menu_of(COLLECTION, "overview"))] == ["Figures"]


def test_a_study_has_what_is_its_own_and_the_way_back() -> None:
    study = Collection(name="paper-pilot-1", title="Pilot", study_of=Collection(pk=1, name="paper", title="Paper"))
    links = links_of(menu_of(study, "flags"))
    assert [label for label, _, _ in links] == [
        "Overview",
        "People",
        "Progress",
        "Flags",
        "Notices",
        "Time and pay",
        "Discarded pairs",
        "Figures",
        "All studies",
    ]
    assert links[-1][1] == "/c/paper/studies/"
    assert all(address.startswith("/c/paper-pilot-1/") for _, address, _ in links[:-1])
