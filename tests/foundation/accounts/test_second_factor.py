"""Second factors: nothing is open halfway, no code is good twice, and leads can be made to have one."""

import re
import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from foundation.access.api_tokens import make_token
from foundation.accounts.password_links import make_password_link
from foundation.accounts.second_factor_views import ANYWHERE, HERE
from foundation.accounts.second_factors import second_factor_of
from foundation.models import Account, Membership, Session
from tests.api.callers import read
from tests.conftest import World
from tests.foundation.conftest import PASSWORD
from tests.mailbox import text_of
from tests.mails import deliver

pytestmark = pytest.mark.django_db

PAGE, STEP = "/account/second-factor/", "/login/second-factor/"


def code_of(secret: str, *, steps: int = 0) -> str:
    """What an authenticator app shows now, or some steps of 30 s later."""
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + steps))


def post(client: Client, path: str, **sent: str) -> Any:
    return client.post(path, sent)


def password_step(name: str = "bo", client: Client | None = None, following: str = "") -> Client:
    """A browser that has sent the right password."""
    client = client or Client()
    response = client.post(f"/login/?next={following}", {"username": name, "password": PASSWORD})
    assert response["Location"] == STEP
    return client


class Phone:
    """An authenticator app that an account has set up. Codes are taken as if each came a minute after the last."""

    def __init__(self, account: Account) -> None:
        self.client = Client()
        self.client.force_login(account)
        shown = self.client.get(PAGE).content.decode()
        self.secret = re.findall(r'<code class="key">([A-Z2-7 ]+)<', shown)[0].replace(" ", "")
        assert "data:image/svg+xml;base64," in shown
        done = post(self.client, PAGE, code=code_of(self.secret, steps=-1), password=PASSWORD)
        self.recovery = re.findall(r"<li><code>(\d+)</code>", done.content.decode())
        assert len(self.recovery) == 10


@pytest.fixture
def phone_of(world: World) -> Callable[[str], Phone]:
    def set_up(name: str) -> Phone:
        account = Account.objects.get(username=name)
        account.set_password(PASSWORD)
        account.save()
        return Phone(account)

    return set_up


@pytest.fixture
def phone(phone_of: Callable[[str], Phone]) -> Phone:
    """Bo's."""
    return phone_of("bo")


def test_after_the_password_a_code_is_asked_for_and_leads_on(phone: Phone) -> None:
    client = password_step(following="/c/paper/judge/")
    assert "Logging in as <b>bo</b>" in client.get(STEP).content.decode()
    before = client.cookies["sessionid"].value
    assert post(client, STEP, code="000000").status_code == 400
    assert post(client, STEP, code=f" {code_of(phone.secret)[:3]} {code_of(phone.secret)[3:]}")["Location"] == (
        "/c/paper/judge/"
    )
    assert client.cookies["sessionid"].value != before, "a session that somebody fixed is worth nothing"
    assert client.get("/c/paper/judge/").status_code == 200
    assert client.get(STEP)["Location"] == "/", "there is nothing left to prove"
    away = Client()
    away.post("/login/?next=https://elsewhere.example/", {"username": "bo", "password": PASSWORD})
    assert post(away, STEP, code=code_of(phone.secret, steps=1))["Location"] == "/"


def test_half_a_login_opens_nothing(phone: Phone) -> None:
    half = password_step()
    assert not Session.objects.filter(account__username="bo").exclude(pk=phone.client.session.session_key).exists()
    for page in ("/", "/account/", "/c/paper/judge/", "/c/paper/guideline/", PAGE, "/tokens/", "/account/data"):
        assert half.get(page)["Location"].startswith("/login/?"), page
    for request in ("next", "grade", "undo", "alive"):
        sent = half.post(f"/c/paper/judge/{request}", "{}", content_type="application/json")
        assert sent.status_code == 401, request
    assert half.get("/api/v1/collections/paper/overview").status_code == 401
    assert half.get("/login/").status_code == 200
    assert half.get("/join/nothing/").status_code == 404


def test_a_code_is_good_once_also_in_another_tab(phone: Phone, caplog: Any) -> None:
    first, other = password_step(), password_step()
    code = code_of(phone.secret)
    assert post(first, STEP, code=code).status_code == 302
    assert "is sent again" not in caplog.text
    assert "was used already" in post(other, STEP, code=code).content.decode() and "is sent again" in caplog.text
    assert post(other, STEP, code=code_of(phone.secret, steps=-1)).status_code == 400, "nor one of before"
    assert post(other, STEP, code=code_of(phone.secret, steps=1)).status_code == 302


def test_a_clock_may_be_off_by_half_a_minute_and_no_more(phone: Phone) -> None:
    now = time.time() + 120  # after whatever setting up has used
    counter = int(now) // 30
    for steps, status in ((2, 400), (-2, 400), (-1, 302), (1, 302)):
        client = password_step()
        with patch("time.time", return_value=now):
            sent = post(client, STEP, code=format_hotp_value(hotp_value(phone.secret, counter + steps)))
        assert sent.status_code == status, steps


def test_another_s_code_isn_t_taken(phone: Phone, phone_of: Callable[[str], Phone]) -> None:
    cy = phone_of("cy")
    client = password_step()
    assert post(client, STEP, code=code_of(cy.secret)).status_code == 400
    assert post(client, STEP, code=cy.recovery[0]).status_code == 400
    for code in ("", "0", "x" * 5000, "١٢٣٤٥٦", "12\x003456"):
        assert post(client, STEP, code=code).status_code == 400


def test_a_recovery_code_is_good_once(phone: Phone, caplog: Any) -> None:
    assert post(password_step(), STEP, code=phone.recovery[3]).status_code == 302
    assert post(password_step(), STEP, code=phone.recovery[3]).status_code == 400
    assert "recovery code of 'bo' used" in caplog.text and phone.recovery[3] not in caplog.text
    assert "9 recovery codes left" in phone.client.get("/account/").content.decode()
    fresh = post(phone.client, f"{PAGE}change", do="codes", code=code_of(phone.secret)).content.decode()
    assert re.findall(r"<li><code>(\d+)</code>", fresh)[0] != phone.recovery[0]
    assert post(password_step(), STEP, code=phone.recovery[0]).status_code == 400


def test_a_password_link_a_changed_password_and_a_disabled_account_skip_nothing(phone: Phone, world: World) -> None:
    bo, ada = Account.objects.get(username="bo"), Account.objects.get(username="ada")
    half, other = password_step(), password_step()
    link = make_password_link(maker=ada, account=bo).token
    new = {"new_password1": "another-paper-moon", "new_password2": "another-paper-moon"}
    assert Client().post(f"/password/{link}/", new)["Location"] == "/login/?why=password"
    late = post(half, STEP, code=code_of(phone.secret))
    assert late["Location"] == "/login/?why=ended", "the password was changed between the steps"
    assert half.get("/account/").status_code == 302
    login = other.post("/login/", {"username": "bo", "password": "another-paper-moon"})
    assert login["Location"] == STEP
    Account.objects.filter(pk=bo.pk).update(is_active=False)
    assert post(other, STEP, code=code_of(phone.secret))["Location"] == "/login/?why=ended"


def test_codes_are_counted_by_place_and_account(phone: Phone) -> None:
    def browser(address: str) -> Client:
        return password_step(client=Client(REMOTE_ADDR=address))

    thief = browser("198.51.100.7")
    for _ in range(HERE.attempts):
        assert post(thief, STEP, code="000000").status_code == 400
    refused = post(thief, STEP, code=code_of(phone.secret))
    assert refused.status_code == 429 and int(refused["Retry-After"]) > 0
    tried = HERE.attempts
    for number in range(ANYWHERE.attempts // HERE.attempts):
        thief = browser(f"203.0.113.{number}")
        for _ in range(HERE.attempts):
            tried += post(thief, STEP, code="000000").status_code == 400
    assert tried == ANYWHERE.attempts
    assert post(browser("192.0.2.1"), STEP, code=code_of(phone.secret)).status_code == 429


def test_a_browser_in_which_one_has_logged_in_isn_t_held_up_by_others(phone: Phone) -> None:
    mine = password_step(client=Client(REMOTE_ADDR="192.0.2.1"))
    assert post(mine, STEP, code=phone.recovery[0]).status_code == 302
    mine.post("/logout/")
    thief = password_step(client=Client(REMOTE_ADDR="192.0.2.1"))
    while post(thief, STEP, code="000000").status_code != 429:
        pass
    assert post(password_step(client=mine), STEP, code=code_of(phone.secret)).status_code == 302


def test_setting_it_up_asks_for_the_password_and_ends_other_logins(world: World, client_of: Any) -> None:
    bo = Account.objects.get(username="bo")
    bo.set_password(PASSWORD)
    bo.save()
    here, elsewhere = client_of(bo), client_of(bo)
    tabs = [re.findall(r'<code class="key">([A-Z2-7 ]+)<', here.get(PAGE).content.decode())[0] for _ in range(2)]
    assert tabs[0] == tabs[1], "two tabs show one key"
    secret = tabs[0].replace(" ", "")
    assert "your current password" in post(here, PAGE, code=code_of(secret), password="no").content.decode()
    assert post(here, PAGE, code="000000", password=PASSWORD).status_code == 400
    assert not Authenticator.objects.exists()
    assert post(here, PAGE, code=code_of(secret), password=PASSWORD).status_code == 200
    assert elsewhere.get("/account/").status_code == 302 and here.get("/account/").status_code == 200
    assert post(here, PAGE, code=code_of(secret, steps=1), password=PASSWORD).status_code == 400, "the other tab"
    stored = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert secret not in stored and secret not in str(dict(here.session))
    assert post(here, f"{PAGE}change", do="off", code="000000").status_code == 400
    assert post(here, f"{PAGE}change", do="off", code=code_of(secret, steps=1)).status_code == 302
    assert second_factor_of(bo) is None and not Authenticator.objects.exists()


def test_leads_do_nothing_as_such_without_one_where_the_site_asks_for_it(
    world: World, client_of: Any, settings: Any, phone_of: Callable[[str], Phone]
) -> None:
    ada, bo = Account.objects.get(username="ada"), Account.objects.get(username="bo")
    reads = make_token(account=ada, name="figures").token
    client, settings.TWO_FACTORS = client_of(ada), "leads"
    page = client.get("/c/paper/members/")
    assert page["Location"] == f"{PAGE}?next=/c/paper/members/"
    assert "Until it is set up" in client.get(page["Location"]).content.decode()
    assert "second factor" in read(client, "collections/paper/overview", 403)["detail"]
    member = f"/c/paper/members/{world['cy'].pk}/change"
    assert client.post(member, {"change": "remove"}).status_code == 403
    assert client.post("/c/paper/videos/uploads/", "{}", content_type="application/json").status_code == 403
    assert client.post("/tokens/", {"name": "mine"}).status_code == 403 and ada.api_tokens.count() == 1
    Account.objects.filter(username="ada").update(is_superuser=True)
    for owners in ("/accounts/", "/system/", "/llm/", "/collections/new/"):
        assert client.get(owners).status_code in (302, 404), owners
    assert client.get("/").status_code == 200 and client.get("/account/").status_code == 200
    assert client_of(bo).get("/c/paper/judge/").status_code == 200, "annotators need none"
    by_token = Client(headers={"Authorization": f"Bearer {reads}"})
    assert by_token.get("/c/paper/").status_code == 200, "tokens made before read on"
    phone = phone_of("ada")
    assert phone.client.get("/c/paper/members/").status_code == 200, "who set it up has proved it"
    assert phone.client.post("/tokens/", {"name": "mine"}).context["made"]
    older = client_of(Account.objects.get(username="ada"))  # whose password is another now
    assert older.get("/c/paper/members/")["Location"] == "/login/?next=/c/paper/members/&why=factor"
    fresh = password_step("ada")
    post(fresh, STEP, code=code_of(phone.secret))
    assert fresh.get("/c/paper/members/").status_code == 200
    fresh.post(f"{PAGE}change", {"do": "off", "code": phone.recovery[0]})
    assert fresh.get("/c/paper/members/").status_code == 302


def test_an_owner_takes_one_away_after_a_question_and_the_person_is_told(
    phone: Phone, mailbox: list[Any], client_of: Any, django_capture_on_commit_callbacks: Any
) -> None:
    bo = Account.objects.get(username="bo")
    Account.objects.filter(pk=bo.pk).update(email="bo@example.org", language="de")
    olga = Account.objects.create(username="olga", is_superuser=True)
    owner = client_of(olga)
    change = f"/accounts/{bo.pk}/change"
    assert "Take away the second factor" in owner.get("/accounts/").content.decode()
    assert "call, or meet" in owner.post(change, {"change": "factor"}).content.decode()
    assert Authenticator.objects.filter(user=bo).exists()
    assert (
        client_of(Account.objects.get(username="ada")).post(change, {"change": "factor", "sure": "1"}).status_code
        == 403
    )
    with django_capture_on_commit_callbacks(execute=True):
        owner.post(change, {"change": "factor", "sure": "1"})
    assert not Authenticator.objects.filter(user=bo).exists() and phone.client.get("/account/").status_code == 302
    assert Client().post("/login/", {"username": "bo", "password": PASSWORD})["Location"] == "/"
    assert deliver() == 1
    assert mailbox[0]["To"] == "bo@example.org" and "zweiten Faktor" in text_of(mailbox[0])
    with pytest.raises(CommandError, match="bo has no second factor"):
        call_command("take_second_factor", "bo")
    with pytest.raises(CommandError, match="There is no account 'nobody'"):
        call_command("take_second_factor", "nobody")
    Phone(bo)
    call_command("take_second_factor", "bo")
    assert second_factor_of(bo) is None


def test_a_changed_secret_key_is_told_and_not_a_500(phone: Phone, settings: Any) -> None:
    settings.SECRET_KEY = "another key, as long as one has to be, of many signs"
    client = password_step()
    assert "QREELS_SECRET_KEY has changed" in post(client, STEP, code="123456").content.decode()


def test_off_means_that_nobody_is_asked(phone: Phone, settings: Any) -> None:
    settings.TWO_FACTORS = "off"
    client = Client()
    assert client.post("/login/", {"username": "bo", "password": PASSWORD})["Location"] == "/"
    assert client.get(PAGE).status_code == 404 and PAGE not in client.get("/account/").content.decode()


def test_judging_asks_no_more_of_the_database(world: World, client_of: Any, settings: Any) -> None:
    client, asked = client_of(Membership.objects.get(account__username="bo").account), []
    for settings.TWO_FACTORS in ("off", "off", "leads"):
        with CaptureQueriesContext(connection) as statements:
            assert client.get("/c/paper/judge/progress").status_code == 200
        asked.append(len(statements))
    assert asked[1] == asked[2]
