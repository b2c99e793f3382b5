"""From an empty site to a collection: it waits for its owner, who comes by a one-time address."""

import re
import threading
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from config.run import address
from foundation.accounts.first_owner import claim_site, make_owner_link
from foundation.accounts.welcome_views import WRONG_LINKS
from foundation.models import Account, Collection, OneTimeLink
from foundation.refused import LinkUnknown, Refused

FORM = {"username": "olga", "email": "olga@example.org", "password1": "a-paper-moon", "password2": "a-paper-moon"}


def printed(**options: Any) -> str:
    out = StringIO()
    call_command("owner_link", stdout=out, **options)
    return out.getvalue()


def token_of(text: str) -> str:
    return re.findall(r"/welcome/([\w-]+)/", text)[0]


@pytest.mark.django_db
def test_an_empty_site_waits_for_its_owner_and_tells_where_the_address_is_but_not_what() -> None:
    token = token_of(printed())
    for path in ("/", "/c/paper/", "/account/", "/accounts/", "/login/"):
        text = Client().get(path, follow=True).content.decode()
        assert "This site waits for its owner." in text and "manage.py owner_link" in text
        assert "password" not in text and token not in text
    row = OneTimeLink.objects.get()
    assert token not in row.digest


@pytest.mark.django_db
def test_the_owner_comes_by_the_printed_address_and_finds_what_comes_first() -> None:
    text = printed(address="https://qreels.example.org/")
    assert "https://qreels.example.org/welcome/" in text
    page = f"/welcome/{token_of(text)}/"
    client = Client()
    assert "You become the owner of this site." in client.get(page).content.decode()
    assert client.post(page, FORM)["Location"] == "/"
    home = client.get("/").content.decode()
    assert 'href="/collections/new/"' in home and "import descriptions" in home and 'href="/accounts/"' in home
    assert "waits for its owner" not in Client().get("/login/").content.decode()
    client.post("/collections/new/", {"name": "tides", "title": "Tides"})
    assert Collection.objects.get().memberships.get().role == "owner"
    needs = client.get("/c/tides/").context["needs"]
    assert [(each.words, each.page) for each in needs] == [
        ("Nothing is open for judging yet. Next: Add videos", "videos-add")
    ]


@pytest.mark.django_db
def test_the_address_works_once_and_is_gone_with_the_first_owner() -> None:
    page = f"/welcome/{token_of(printed())}/"
    assert Client().post(page, FORM).status_code == 302
    assert not OneTimeLink.objects.exists()
    for ask in (Client().get, Client().post):
        again = ask(page)
        assert again.status_code == 410 and "already has an owner" in again.content.decode()
    assert Client().post(page, {**FORM, "username": "mal"}).status_code == 410
    assert Account.objects.get().username == "olga"
    with pytest.raises(CommandError, match="already has an owner"):
        printed()
    assert printed(at_start=True) == "", "a server that starts says nothing then"
    assert printed_is_gone_after_createsuperuser()


def printed_is_gone_after_createsuperuser() -> bool:
    Account.objects.all().delete()
    page = f"/welcome/{token_of(printed())}/"
    Account.objects.create_superuser("root", password="a-paper-moon")
    return Client().get(page).status_code == Client().post(page, FORM).status_code == 410


@pytest.mark.django_db
def test_a_forged_an_earlier_and_a_guessed_address_are_refused_and_guesses_are_slowed() -> None:
    first = token_of(printed())
    second = token_of(printed())
    forged = second[:-1] + ("x" if second[-1] != "x" else "y")
    for token in (first, forged, "x", "é" * 40, "x" * 3000):
        assert Client().post(f"/welcome/{token}/", FORM).status_code == 404
    assert not Account.objects.exists()
    for _ in range(WRONG_LINKS.attempts):
        refused = Client().get("/welcome/guessed/")
    assert refused.status_code == 429 and int(refused["Retry-After"]) > 0
    assert Client().get(f"/welcome/{second}/").status_code == 429, "the right one isn't found out either"
    assert Client(REMOTE_ADDR="203.0.113.9").post(f"/welcome/{second}/", FORM).status_code == 302


@pytest.mark.django_db
def test_what_is_wrong_with_the_form_is_said_and_the_address_still_works() -> None:
    page = f"/welcome/{token_of(printed())}/"
    for sent in ({}, {**FORM, "password2": "another"}, {**FORM, "username": "a b"}, {**FORM, "email": "nowhere"}):
        answer = Client().post(page, sent)
        assert answer.status_code == 200
        assert not sent or 'aria-invalid="true"' in answer.content.decode()
    assert not Account.objects.exists()
    assert Client().post(page, {**FORM, "username": "ol\x00ga"}).status_code == 302
    assert Account.objects.get().username == "olga"


@pytest.mark.django_db
def test_a_site_with_accounts_and_no_owner_goes_on_and_one_of_them_can_own_it() -> None:
    ada = Account.objects.create_user("ada", password="a-paper-moon")
    assert "waits for its owner" not in Client().get("/login/").content.decode()
    client = Client()
    client.force_login(ada)
    page = f"/welcome/{token_of(printed(at_start=True))}/"
    assert "Own this site as ada" in client.get(page).content.decode()
    assert client.post(page)["Location"] == "/"
    ada.refresh_from_db()
    assert ada.owns_site and client.get("/accounts/").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_of_several_who_come_at_once_one_is_the_owner() -> None:
    token = make_owner_link()
    told: list[str] = []
    start = threading.Barrier(4)

    def claim(name: str) -> None:
        start.wait()
        try:
            claim_site(token=token, account=Account(username=name))
            told.append("owner")
        except (Refused, LinkUnknown) as refusal:
            told.append(str(refusal))
        finally:
            connection.close()

    everybody = [threading.Thread(target=claim, args=(f"p{number}",)) for number in range(4)]
    for each in everybody:
        each.start()
    for each in everybody:
        each.join()
    assert sorted(told) == ["This site already has an owner."] * 3 + ["owner"]
    assert Account.objects.count() == 1 and not OneTimeLink.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], []),
        (["--workers", "4"], []),
        (["--bind", "0.0.0.0:9000"], ["--address", "http://127.0.0.1:9000"]),
        (["--bind=[::]:80", "--bind", "127.0.0.1:8080"], ["--address", "http://127.0.0.1:8080"]),
        (["-b", ":7000"], ["--address", "http://127.0.0.1:7000"]),
        (["--bind", "unix:/run/qreels.sock"], []),
    ],
)
def test_the_server_prints_the_port_that_it_listens_at(arguments: list[str], text: list[str]) -> None:
    assert address(arguments) == text
