"""Where a login leads, what a wrong one says, and the plain pages of what is not there or breaks."""

import re
from typing import Any

import pytest
from django.test import Client

from foundation.collections.members import add_member, get_or_create_collection
from foundation.models import Account, Collection
from tests.addresses import address
from tests.test_access import (
    PASSWORD,
    assert_plain,
    collection,
    logged_in,
)

__all__ = ["collection"]


@pytest.mark.parametrize(("who", "page"), [("ada", "overview"), ("olga", "overview"), ("bo", "judge")])
def test_home_is_where_one_s_work_begins(collection: Collection, who: str, page: str) -> None:
    assert logged_in(who).get("/")["Location"] == address(page)


def test_home_lists_the_collections_of_whoever_has_several(collection: Collection) -> None:
    second = get_or_create_collection(name="second", title="A second one")
    get_or_create_collection(name="hidden", title="Not of bo")
    add_member(collection=second, account=Account.objects.get(username="bo"), role="lead")
    text = logged_in("bo").get("/").content.decode()
    assert address("judge") in text
    assert address("overview", collection="second") in text
    assert "Not of bo" not in text


def test_home_of_a_stranger_names_no_collection(collection: Collection) -> None:
    response = logged_in("mal").get("/")
    assert response.status_code == 200
    assert "paper" not in response.content.decode().lower()
    assert Client().get("/")["Location"] == "/login/?next=/"


def test_a_login_with_the_right_password_leads_on(collection: Collection) -> None:
    client = Client()
    response = client.post(f"/login/?next={address('judge')}", {"username": "bo", "password": PASSWORD})
    assert response["Location"] == address("judge")
    away = Client().post("/login/?next=https://elsewhere.example/", {"username": "bo", "password": PASSWORD})
    assert away["Location"] == "/"


@pytest.mark.parametrize("username", ["bo", "nobody", "b\x00o", "", "x" * 5000])
def test_a_login_with_a_wrong_password_says_so(collection: Collection, username: str) -> None:
    client = Client(raise_request_exception=False)
    response = client.post("/login/", {"username": username, "password": "not-the-moon"})
    assert response.status_code == 200
    assert "password" in response.content.decode()
    assert 'role="alert"' in response.content.decode()
    assert "not-the-moon" not in response.content.decode()
    assert_plain(response)
    assert client.get("/")["Location"] == "/login/?next=/"


def test_a_wrong_password_reads_the_same_whether_there_is_such_an_account(collection: Collection) -> None:
    def said(username: str) -> list[str]:
        text = Client().post("/login/", {"username": username, "password": "wrong"}).content.decode()
        return re.findall(r'role="alert"[^<]*<?[^<]*', text)

    assert said("bo") == said("nobody") != []


def test_logging_out_ends_it(collection: Collection) -> None:
    bo = logged_in("bo")
    assert bo.get("/logout/").status_code == 405
    assert bo.post("/logout/")["Location"] == "/login/?why=out"
    assert "You are logged out." in bo.get("/login/?why=out").content.decode()
    assert bo.get(address("judge"))["Location"].startswith("/login/")


def test_what_breaks_shows_a_page_and_no_traceback(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any) -> None:
        raise RuntimeError("a secret of the house")

    monkeypatch.setattr("desk.views.overview_of", broken)
    response = logged_in("ada").get(address("overview"))
    assert response.status_code == 500
    assert "reload the page to go on" in response.content.decode()
    assert "a secret of the house" not in response.content.decode()
    assert_plain(response)


@pytest.mark.parametrize("path", ["/nowhere/", "/c/paper", "/c/paper/nowhere/", "/admin/", "/media/", "/c/%00/"])
def test_an_unknown_address_shows_a_plain_page(collection: Collection, path: str) -> None:
    response = logged_in("bo").get(path)
    assert response.status_code in (301, 404)
    assert_plain(response)
