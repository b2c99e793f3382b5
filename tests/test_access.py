"""Who may see what, over the addresses of every room: none is left out, none says more than it may."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.test import Client, override_settings

from foundation.collections.members import add_member, get_or_create_collection
from foundation.models import Account, Collection
from tests.addresses import (
    API,
    GUIDELINE,
    INSTALLATION,
    JUDGING_EVIDENCE,
    JUDGING_FIGURES,
    JUDGING_PAGES,
    JUDGING_REQUESTS,
    LEAD_FORMS,
    LEAD_PAGES,
    LEAD_POSTS,
    LEAD_REQUESTS,
    LINKS,
    MEMBER_PAGES,
    MEMBER_POSTS,
    OF_A_ROW,
    OPEN,
    OWN_POSTS,
    OWNER_FORMS,
    OWNERS_OF_A_RELEASE,
    PUBLISHED,
    RECRUITED,
    SHARED_PAGES,
    SHARED_POSTS,
    SHOWN_AGAIN,
    TEAMS,
    TOLD_REQUESTS,
    TRAINING_PAGES,
    TRAINING_POSTS,
    TRAINING_REQUESTS,
    TRYOUT,
    address,
    patterns,
)

pytestmark = pytest.mark.usefixtures("founded")

PASSWORD = "a-paper-moon"
_sessions: dict[str, str] = {}
"""The cookies of the people of `founded`, who have logged in once."""


def found_collection() -> None:
    """The collection and its people, with a quick hash: the real one takes a quarter of a second a person."""
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]):
        made = get_or_create_collection(name="paper", title="The paper moon")
        for name, role in (("ada", "lead"), ("olga", "owner"), ("bo", "annotator"), ("cy", "annotator"), ("mal", "")):
            account = Account.objects.create_user(name, password=PASSWORD)
            if role:
                add_member(collection=made, account=account, role=role)


@pytest.fixture(scope="module")
def founded(once_a_file: Any) -> Iterator[None]:
    """Made once for this file, whose hundreds of tests ask for a page or two; everybody's login, too."""

    def found() -> None:
        found_collection()
        for account in Account.objects.all():
            client = Client()
            client.force_login(account)
            _sessions[account.username] = client.cookies[settings.SESSION_COOKIE_NAME].value

    once_a_file(found)
    yield
    _sessions.clear()


@pytest.fixture
def collection(request: pytest.FixtureRequest, db: None, settings: Any) -> Collection:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    if "founded" not in request.fixturenames:
        found_collection()
    return Collection.objects.get(name="paper")


def logged_in(name: str) -> Client:
    client = Client(raise_request_exception=False)
    if name in _sessions:
        client.cookies[settings.SESSION_COOKIE_NAME] = _sessions[name]
    else:
        client.force_login(Account.objects.get(username=name))
    return client


def assert_plain(response: Any) -> None:
    text = response.content.decode()
    assert "Traceback" not in text
    assert not re.search(r'File "/|\.py\b|DJANGO_SETTINGS', text)


def test_every_address_is_under_one_of_the_rules_here() -> None:
    assert {pattern.name for pattern in patterns()} == (
        OPEN
        | API
        | LEAD_PAGES
        | LEAD_POSTS
        | LEAD_REQUESTS
        | JUDGING_PAGES
        | JUDGING_REQUESTS
        | JUDGING_FIGURES
        | JUDGING_EVIDENCE
        | MEMBER_PAGES
        | MEMBER_POSTS
        | SHARED_PAGES
        | SHARED_POSTS
        | LEAD_FORMS
        | OWNER_FORMS
        | OWNERS_OF_A_RELEASE
        | PUBLISHED
        | OWN_POSTS
        | TEAMS
        | INSTALLATION
        | LINKS
        | TOLD_REQUESTS
        | GUIDELINE
        | TRYOUT
        | RECRUITED
        | TRAINING_PAGES
        | TRAINING_POSTS
        | TRAINING_REQUESTS
    )


@pytest.mark.parametrize("name", sorted(LEAD_PAGES))
def test_a_lead_page_is_for_leads_and_owners(collection: Collection, name: str) -> None:
    for who in ("ada", "olga"):
        assert logged_in(who).get(address(name)).status_code == (404 if name in OF_A_ROW else 200)
    refused = logged_in("bo").get(address(name))
    assert refused.status_code == 403
    assert "This page is for the lead annotator." in refused.content.decode()
    assert logged_in("mal").get(address(name)).status_code == 404
    assert Client().get(address(name))["Location"] == f"/login/?next={address(name)}"


@pytest.mark.parametrize("name", sorted(LEAD_POSTS))
def test_a_lead_s_decision_is_for_leads_and_owners(collection: Collection, name: str) -> None:
    for who in ("ada", "olga"):
        expected = 404 if name in OF_A_ROW else 400 if name in SHOWN_AGAIN else 302
        assert logged_in(who).post(address(name)).status_code == expected
    assert logged_in("bo").post(address(name)).status_code == 403
    assert logged_in("mal").post(address(name)).status_code == 404
    assert Client().post(address(name))["Location"] == f"/login/?next={address(name)}"


@pytest.mark.parametrize("name", sorted(OWNER_FORMS))
def test_an_owner_s_form_is_for_owners(collection: Collection, name: str) -> None:
    for who, seen, sent in (("olga", 200, 400), ("ada", 403, 403), ("bo", 403, 403), ("mal", 404, 404)):
        assert logged_in(who).get(address(name)).status_code == seen
        assert logged_in(who).post(address(name)).status_code == sent
    assert Client().post(address(name))["Location"].startswith("/login/?")


@pytest.mark.parametrize("name", sorted(OWNERS_OF_A_RELEASE))
def test_what_is_public_is_an_owner_s_to_decide(collection: Collection, name: str) -> None:
    for who, status in (("olga", 404), ("ada", 403), ("bo", 403), ("mal", 404)):
        assert logged_in(who).post(address(name)).status_code == status
    assert Client().post(address(name))["Location"].startswith("/login/?")


@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_what_is_not_public_is_the_404_of_what_never_was(collection: Collection, name: str) -> None:
    for client in (Client(), *map(logged_in, ("olga", "ada", "bo", "mal"))):
        there, gone = client.get(address(name)), client.get(address(name, collection="no-such"))
        assert (there.status_code, gone.status_code) == (404, 404)
        token = rb'name="csrfmiddlewaretoken" value="\w+"'
        assert re.sub(token, b"", there.content) == re.sub(token, b"", gone.content)
        assert client.post(address(name)).status_code == 405


@pytest.mark.parametrize("name", sorted(SHARED_PAGES | SHARED_POSTS))
def test_what_is_shared_is_404_to_all_where_there_is_nothing(collection: Collection, name: str) -> None:
    def ask(client: Client) -> Any:
        return client.post(address(name)) if name in SHARED_POSTS else client.get(address(name))

    for who in ("ada", "bo", "mal"):
        assert ask(logged_in(who)).status_code == 404
    assert ask(Client())["Location"] == f"/login/?next={address(name)}"


@pytest.mark.parametrize("name", sorted(LEAD_PAGES | LEAD_POSTS | JUDGING_PAGES | JUDGING_REQUESTS))
def test_a_stranger_s_404_is_that_of_a_collection_that_is_not_there(collection: Collection, name: str) -> None:
    mal = logged_in("mal")
    ask = mal.post if name in LEAD_POSTS | JUDGING_REQUESTS else mal.get
    there, gone = ask(address(name)), ask(address(name, collection="no-such"))
    assert (there.status_code, gone.status_code) == (404, 404)
    # The token in the form for logging out is another every time.
    token = rb'name="csrfmiddlewaretoken" value="\w+"'
    assert re.sub(token, b"", there.content) == re.sub(token, b"", gone.content)


@pytest.mark.parametrize("name", sorted(RECRUITED))
def test_a_page_of_who_was_sent_by_a_platform_is_nobody_else_s(collection: Collection, name: str) -> None:
    for who, status in (("ada", 403), ("bo", 403), ("mal", 404)):
        for ask in ("get", "post"):
            assert getattr(logged_in(who), ask)(address(name)).status_code == status


@pytest.mark.parametrize("name", sorted(LEAD_FORMS))
def test_a_lead_s_form_is_for_leads(collection: Collection, name: str) -> None:
    for ask in ("get", "post"):
        shown = 404 if name in OF_A_ROW else 200
        assert getattr(logged_in("ada"), ask)(address(name)).status_code == shown
        assert getattr(logged_in("bo"), ask)(address(name)).status_code == 403
        assert getattr(logged_in("mal"), ask)(address(name)).status_code == 404
