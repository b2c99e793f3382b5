"""The page Accounts: for owners of the site, who never lose the site by it."""

from typing import Any

import pytest
from django.test import Client

from annotation.models import Seat
from foundation.accounts.site_accounts import CHANGES, change_account
from foundation.models import Account
from foundation.refused import Refused
from tests.annotation.judging_steps import sit
from tests.conftest import World

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga() -> Account:
    return Account.objects.create_superuser("olga", password="a-paper-moon")


@pytest.fixture
def owner(olga: Account, client_of: Any) -> Client:
    made: Client = client_of(olga)
    return made


def test_it_is_for_owners_of_the_site_alone(world: World, olga: Account, mal: Account, client_of: Any) -> None:
    for who in (world["ada"].account, world["bo"].account, mal):
        for path, ask in (("", "get"), ("", "post"), (f"{mal.pk}/change", "post"), (f"{mal.pk}/password-link", "post")):
            assert getattr(client_of(who), ask)(f"/accounts/{path}").status_code == 403
    assert Client().get("/accounts/")["Location"] == "/login/?next=/accounts/"
    page = client_of(olga).get("/accounts/").content.decode()
    assert "mal" in page and "owns the site" in page
    rows = client_of(olga).get("/accounts/?asked=MA").context["rows"]
    assert [row["account"].username for row in rows] == ["mal"]
    assert "No name or address matches." in client_of(olga).get("/accounts/?asked=nobody").content.decode()


def test_the_owner_makes_an_account_which_gets_its_password_by_a_link(owner: Client) -> None:
    made = owner.post("/accounts/", {"username": "gil", "email": "gil@example.org", "may_create_collections": "on"})
    gil = Account.objects.get(username="gil")
    assert gil.creates_collections and not gil.has_usable_password() and not gil.owns_site
    path = made.context["link"].removeprefix("http://testserver")
    new = {"new_password1": "gils-paper-moon", "new_password2": "gils-paper-moon"}
    client = Client()
    assert client.post(path, new).status_code == 302
    assert client.post("/login/", {"username": "gil", "password": "gils-paper-moon"}).status_code == 302
    again = owner.post("/accounts/", {"username": "gil"})
    assert "already exists" in again.content.decode() and Account.objects.filter(username="gil").count() == 1


def test_the_owner_lets_others_create_collections_and_own_the_site(owner: Client, mal: Account) -> None:
    for change, right in (("allow", "creates_collections"), ("own", "owns_site")):
        assert owner.post(f"/accounts/{mal.pk}/change", {"change": change}).status_code == 302
        assert getattr(Account.objects.get(pk=mal.pk), right)
    for change in ("disown", "disallow"):
        owner.post(f"/accounts/{mal.pk}/change", {"change": change})
    mal.refresh_from_db()
    assert not mal.owns_site and not mal.creates_collections


def test_who_is_disabled_is_logged_out_everywhere_and_their_place_is_free(
    world: World, owner: Client, client_of: Any
) -> None:
    bo = world["bo"].account
    assert bo is not None
    at_work = client_of(bo)
    sit(world["bo"])
    owner.post(f"/accounts/{bo.pk}/change", {"change": "disable"})
    assert at_work.post("/c/paper/judge/next", content_type="application/json").status_code == 401
    assert at_work.get("/account/").status_code == 302
    assert not Seat.objects.filter(annotator=world["bo"], ended_at=None).exists()
    assert owner.post(f"/accounts/{bo.pk}/password-link").status_code == 403
    owner.post(f"/accounts/{bo.pk}/change", {"change": "enable"})
    assert client_of(Account.objects.get(pk=bo.pk)).get("/c/paper/judge/").status_code == 200


def test_nobody_takes_the_site_from_its_last_owner(owner: Client, olga: Account, mal: Account) -> None:
    for change in ("disown", "disable"):
        told = owner.post(f"/accounts/{olga.pk}/change", {"change": change}, follow=True).content.decode()
        assert "Ask another owner of this site to change your own account." in told
    for change in CHANGES:
        with pytest.raises(Refused, match="Only an owner"):
            change_account(owner=mal, account_id=olga.pk, change=change)
    for number, change in ((10**15, "allow"), (mal.pk, "")):
        with pytest.raises(Refused, match=r"no such account|found the change"):
            change_account(owner=olga, account_id=number, change=change)
    olga.refresh_from_db()
    assert olga.owns_site


def test_the_last_owner_of_a_site_that_others_use_can_t_erase_themselves(
    owner: Client, olga: Account, mal: Account
) -> None:
    told = owner.post("/account/erase/", {"username": "olga"}, follow=True).content.decode()
    assert "You are the only owner of this site." in told and Account.objects.filter(pk=olga.pk).exists()
    mal.delete()
    assert owner.post("/account/erase/", {"username": "olga"})["Location"] == "/account/erased/"
    assert "waits for its owner" in owner.get("/login/").content.decode()


def test_an_owner_who_was_disowned_meanwhile_changes_nothing(olga: Account, mal: Account, client_of: Any) -> None:
    client = client_of(olga)
    Account.objects.filter(pk=olga.pk).update(is_superuser=False)
    assert client.post(f"/accounts/{mal.pk}/change", {"change": "own"}).status_code == 403
    with pytest.raises(Refused, match="Only an owner of this site can change accounts"):
        change_account(owner=olga, account_id=mal.pk, change="own")
    assert not Account.objects.filter(is_superuser=True).exists()
