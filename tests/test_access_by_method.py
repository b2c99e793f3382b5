"""What no method, number or foreign form opens. Who may see what by the right ones: test_access.py."""

# ruff: noqa: F811 - a parameter has the name of the fixture that is imported

import pytest
from django.test import Client
from django.urls import reverse

from foundation.models import Account, Collection
from tests.addresses import (
    JUDGING_PAGES,
    JUDGING_REQUESTS,
    LEAD_FORMS,
    LEAD_PAGES,
    LEAD_POSTS,
    OPEN,
    SHARED_POSTS,
    address,
    patterns,
)
from tests.test_access import (
    assert_plain,
    collection,  # noqa: F401 - a fixture
    founded,  # noqa: F401 - a fixture
    logged_in,
)

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("founded")]


@pytest.mark.parametrize("name", sorted(LEAD_POSTS | JUDGING_REQUESTS | SHARED_POSTS))
@pytest.mark.parametrize("who", ["ada", "bo", "mal"])
def test_what_changes_something_is_never_a_get(collection: Collection, name: str, who: str) -> None:
    assert logged_in(who).get(address(name)).status_code == 405


@pytest.mark.parametrize("name", sorted(LEAD_PAGES | JUDGING_PAGES))
def test_a_page_takes_no_post(collection: Collection, name: str) -> None:
    assert logged_in("ada").post(address(name)).status_code == 405


def test_no_method_opens_what_is_the_lead_s(collection: Collection) -> None:
    opened = []
    for who, refused in (("bo", 403), ("mal", 404)):
        client = logged_in(who)
        for name in sorted(LEAD_PAGES | LEAD_POSTS | LEAD_FORMS):
            for ask in (client.head, client.post):
                status = ask(address(name)).status_code
                opened += [(who, name, ask.__name__, status)] if status not in (refused, 405) else []
    assert opened == []


def test_a_number_past_every_row_breaks_nothing(collection: Collection) -> None:
    ada, broken = logged_in("ada"), []
    numbered = [
        pattern.name for pattern in patterns() if "name" in (keys := pattern.pattern.converters) and len(keys) > 1
    ]
    assert len(numbered) > 30
    # Named by a text, not a number: what isn't known (any more) waits to be checked, as on the page.
    numbered.remove("api-collections-name-caption-checks-check")
    for name in numbered:
        for decision in ("", "finish", "admit"):
            for ask in (ada.get, ada.post):
                status = ask(address(name, number=10**30), {"decision": decision}).status_code
                broken += [(name, decision, status)] if status not in (302, 404, 405, 403, 401, 400) else []
    assert broken == []


@pytest.mark.parametrize("name", sorted(LEAD_POSTS | JUDGING_REQUESTS | {"login", "logout"}))
def test_a_post_from_elsewhere_is_refused_and_says_what_to_do(collection: Collection, name: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(Account.objects.get(username="ada"))
    response = client.post(reverse(name) if name in OPEN else address(name))
    assert response.status_code == 403
    assert "Nothing was changed; go back, reload it and try again." in response.content.decode()
    assert "Back to that page" not in response.content.decode(), "it came from nowhere"
    assert_plain(response)
    assert client.get("/").status_code == 302, "ada is still logged in"
