"""One-time password links: for whom, by whom, once, for hours; and what ends with the old password."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from foundation.access.api_tokens import make_token
from foundation.accounts.password_link_views import WRONG_LINKS
from foundation.accounts.password_links import make_password_link, why_no_link
from foundation.collections.members import add_member, get_or_create_collection
from foundation.models import Account, ApiToken, Membership, OneTimeLink, Session
from foundation.refused import Refused
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db

NEW = {"new_password1": "another-paper-moon", "new_password2": "another-paper-moon"}


@pytest.fixture
def olga() -> Account:
    return Account.objects.create_superuser("olga", password="a-paper-moon")


def account(world: World, name: str) -> Account:
    account = world[name].account
    assert account is not None
    return account


def link_of(world: World, maker: str, name: str) -> str:
    return f"/password/{make_password_link(maker=account(world, maker), account=account(world, name)).token}/"


def test_a_lead_makes_a_link_that_is_shown_once_and_sets_a_password_once(world: World, client_of: Any) -> None:
    ada, bo = account(world, "ada"), account(world, "bo")
    bo_at_work, reads = client_of(bo), make_token(account=bo, name="figures")
    made = client_of(ada).post(f"/c/paper/members/{world['bo'].pk}/password-link")
    link = made.context["link"]
    path = link.removeprefix("http://testserver")
    assert link in made.content.decode() and made["Cache-Control"].count("no-store")
    assert link not in client_of(ada).get("/c/paper/members/").content.decode()
    assert path.split("/")[2] not in OneTimeLink.objects.get().digest
    assert bo_at_work.get("/c/paper/judge/").status_code == 200, "a link that nobody used changes nothing"
    someone = Client()
    assert "bo" in someone.get(path).content.decode()
    assert someone.post(path, {**NEW, "new_password2": "else"}).status_code == 200, "a slip doesn't use it up"
    assert someone.post(path, NEW)["Location"] == "/login/?why=password"
    assert "Your new password is set" in someone.get("/login/?why=password").content.decode()
    assert bo_at_work.get("/c/paper/judge/").status_code == 302
    asked = {"content_type": "application/json"}
    assert bo_at_work.post("/c/paper/judge/next", **asked).status_code == 401
    assert not Session.objects.filter(account=bo).exists()
    assert ApiToken.objects.get(pk=reads.row.pk).revoked_at is not None
    assert someone.post("/login/", {"username": "bo", "password": "another-paper-moon"}).status_code == 302
    for again in (Client().get(path), Client().post(path, NEW)):
        assert again.status_code == 404 and "was used" in again.content.decode()


def test_only_the_newest_works_and_not_for_ever(world: World) -> None:
    first, second = link_of(world, "ada", "bo"), link_of(world, "ada", "bo")
    assert Client().get(first).status_code == 404
    assert Client().get(second).status_code == 200
    OneTimeLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    late = Client().post(second, NEW)
    assert late.status_code == 410 and "has expired" in late.content.decode()


def test_a_password_changed_otherwise_ends_the_link(world: World) -> None:
    path = link_of(world, "ada", "bo")
    bo = account(world, "bo")
    bo.set_password("my-own-paper-moon")
    bo.save()
    assert Client().post(path, NEW).status_code == 404


def test_forged_links_are_refused_and_slowed(world: World) -> None:
    path = link_of(world, "ada", "bo")
    for token in ("x", path.split("/")[2][:-1] + "_", "é" * 30, "x" * 3000):
        assert Client().post(f"/password/{token}/", NEW).status_code == 404
    for _ in range(WRONG_LINKS.attempts):
        refused = Client().get("/password/guessed/")
    assert refused.status_code == 429
    assert Client().get(path).status_code == 429
    assert Client(REMOTE_ADDR="203.0.113.9").get(path).status_code == 200


def test_a_lead_makes_none_for_who_may_do_more_than_they(world: World, olga: Account, client_of: Any) -> None:
    other = build_world(name="other")
    for name in ("di", "ed", "flo"):
        Membership.objects.filter(collection=other.collection, account__username=name).delete()
    Membership.objects.filter(collection=other.collection, account__username="ada").delete()
    Membership.objects.filter(collection=other.collection, account__username="bo").update(role="lead")
    Account.objects.filter(username="di").update(may_create_collections=True)
    Account.objects.filter(username="ed").update(is_superuser=True)
    Account.objects.filter(username="flo").update(is_active=False)
    ada = client_of(account(world, "ada"))
    for name, why in (
        ("bo", "leads a collection"),
        ("cy", "a collection or a team that you don&#x27;t lead"),
        ("di", "may do more than annotate"),
        ("ed", "may do more than annotate"),
        ("flo", "is disabled"),
        ("ada", "leads a collection"),
    ):
        refused = ada.post(f"/c/paper/members/{world[name].pk}/password-link")
        assert refused.status_code == 403 and why in refused.content.decode(), name
    assert ada.post(f"/c/paper/members/{other['bo'].pk}/password-link").status_code == 403, "not of this collection"
    assert ada.post(f"/accounts/{account(world, 'cy').pk}/password-link").status_code == 403
    assert not OneTimeLink.objects.exists()
    for name in ("ada", "bo", "cy", "di", "ed"):
        assert why_no_link(maker=olga, account=account(world, name)) == "", "the site's owner may for everybody"


def test_an_annotator_and_a_stranger_make_none(world: World, mal: Account, client_of: Any) -> None:
    address = f"/c/paper/members/{world['cy'].pk}/password-link"
    assert client_of(account(world, "bo")).post(address).status_code == 403
    assert client_of(mal).post(address).status_code == 404
    for maker in (account(world, "bo"), mal):
        with pytest.raises(Refused, match="that you don't lead"):
            make_password_link(maker=maker, account=account(world, "cy"))


@pytest.mark.parametrize("change", ["maker demoted", "maker disabled", "maker erased", "promoted", "disabled"])
def test_a_link_is_void_when_rights_change_in_between(world: World, change: str) -> None:
    path = link_of(world, "ada", "bo")
    if change == "maker demoted":
        Membership.objects.filter(account__username="ada").update(role="annotator", status="barred")
    elif change == "maker disabled":
        Account.objects.filter(username="ada").update(is_active=False)
    elif change == "maker erased":
        account(world, "ada").delete()
    elif change == "promoted":
        second = get_or_create_collection(name="second", title="Second")
        add_member(collection=second, account=account(world, "bo"), role="owner")
    else:
        Account.objects.filter(username="bo").update(is_active=False)
    before = Account.objects.get(username="bo").password
    assert Client().post(path, NEW).status_code in (404, 410)
    assert Account.objects.get(username="bo").password == before


def test_who_makes_one_and_who_uses_it_is_logged_and_the_token_is_not(world: World, caplog: Any) -> None:
    path = link_of(world, "ada", "bo")
    Client().post(path, NEW)
    assert "password link for 'bo' made by 'ada'" in caplog.text
    assert "password of 'bo' set by a link" in caplog.text
    assert path.split("/")[2] not in caplog.text and "another-paper-moon" not in caplog.text


def test_the_server_s_shell_prints_a_link_for_anybody_once_the_site_has_an_owner(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CommandError, match=r"Nobody owns this site yet: manage\.py owner_link"):
        call_command("password_link", "ada")
    olga = Account.objects.create_superuser("olga", password="a-paper-moon")
    for name in ("ada", "olga"):
        call_command("password_link", name, "--address", "https://qreels.example.org/")
        printed = capsys.readouterr().out
        link = printed.split()[-1]
        assert link.startswith("https://qreels.example.org/password/") and f"{name} sets a new password" in printed
        assert Client().post(link.removeprefix("https://qreels.example.org"), NEW)["Location"] == "/login/?why=password"
    olga.refresh_from_db()
    assert olga.check_password("another-paper-moon")
    with pytest.raises(CommandError, match="There is no account 'nobody'"):
        call_command("password_link", "nobody")
    Account.objects.filter(username="bo").update(is_active=False)
    with pytest.raises(CommandError, match="bo is disabled"):
        call_command("password_link", "bo")
