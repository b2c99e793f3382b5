"""One's own account: name, address, time zone, password, and open logins, which are nobody else's business."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from foundation.accounts import own_sessions
from foundation.accounts.account_views import OWN_PASSWORD
from foundation.accounts.password_links import make_password_link
from foundation.models import Account, Session
from tests.conftest import PASSWORD, World
from tests.mailbox import text_of
from tests.mails import deliver
from tests.workers import Waiting

pytestmark = pytest.mark.django_db

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1"


def test_a_device_is_named_in_words() -> None:
    assert own_sessions.device_words(PHONE) == "Safari on iPhone"


def log_in(device: str = "", address: str = "127.0.0.1") -> Client:
    client = Client(headers={"User-Agent": device}, REMOTE_ADDR=address)
    assert client.post("/login/", {"username": "mal", "password": PASSWORD}).status_code == 302
    return client


def test_name_and_address_change_with_the_password_and_the_time_zone_without(mal: Account) -> None:
    client = log_in()
    sent = {"username": "mallory", "email": "mal@example.org", "time_zone": ""}
    for password in ("", "guessed"):
        refused = client.post("/account/change", {**sent, "password": password})
        assert refused.status_code == 200 and "isn&#x27;t your current password" in refused.content.decode()
        assert "mallory" in refused.content.decode(), "what was typed is still there"
    assert client.post("/account/change", {**sent, "password": PASSWORD})["Location"] == "/account/"
    mal.refresh_from_db()
    assert (mal.username, mal.email) == ("mallory", "mal@example.org")
    unknown = client.post("/account/change", {**sent, "time_zone": "Mars/Olympus"})
    assert "expected a time zone" in unknown.content.decode()
    client.post("/account/change", {**sent, "time_zone": "Asia/Tokyo"})
    used = {"used_at": "2026-11-22T20:30:00Z"}  # each request notes a use anew an hour after the last
    Session.objects.update(**used)
    assert "2026-11-23 05:30 JST" in client.get("/account/").content.decode()
    client.post("/account/change", {**sent, "time_zone": "UTC"})
    Session.objects.update(**used)
    mal.refresh_from_db()
    assert mal.time_zone == "" and "2026-11-22 20:30 UTC" in client.get("/account/").content.decode()


def test_a_name_that_is_taken_is_said_beside_it(mal: Account) -> None:
    Account.objects.create(username="bo")
    answer = log_in().post("/account/change", {"username": "bo", "email": "", "password": PASSWORD})
    assert 'id="field-username-wrong"' in answer.content.decode()
    mal.refresh_from_db()
    assert mal.username == "mal"


def test_a_new_password_ends_all_other_logins_and_tokens(mal: Account) -> None:
    here, there = log_in(), log_in()
    token = here.post("/tokens/", {"name": "figures"}).context["made"]
    new = {"new_password1": "another-paper-moon", "new_password2": "another-paper-moon"}
    assert here.post("/account/password", {"old_password": "wrong", **new}).status_code == 200
    assert there.get("/account/").status_code == 200
    assert here.post("/account/password", {"old_password": PASSWORD, **new})["Location"] == "/account/"
    assert here.get("/account/").status_code == 200
    assert there.get("/account/")["Location"] == "/login/?next=/account/&why=ended"
    assert Session.objects.filter(account=mal).count() == 1
    assert Client(headers={"Authorization": f"Bearer {token}"}).get("/c/paper/").status_code == 401


def test_a_new_password_is_told_by_mail(
    mal: Account, mailbox: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    Account.objects.filter(pk=mal.pk).update(email="mal@example.org", language="es")
    queue, client = Waiting("foundation.tasks.send_letter"), log_in()
    new = {"new_password1": "another-paper-moon", "new_password2": "another-paper-moon"}
    with django_capture_on_commit_callbacks(execute=True):
        client.post("/account/password", {"old_password": PASSWORD, **new})
    assert queue == [mal.letters.get().pk] and deliver() == 1
    assert mailbox[0]["To"] == "mal@example.org" and "Se cambió tu contraseña" in text_of(mailbox[0])
    link = make_password_link(maker=Account.objects.create(username="olga", is_superuser=True), account=mal).token
    with django_capture_on_commit_callbacks(execute=True):
        assert Client().post(f"/password/{link}/", new).status_code == 302
    assert deliver() == 1 and "Se cambió tu contraseña" in text_of(mailbox[1]), "none waits for an hour"


def test_guessing_the_password_of_who_left_a_browser_open_is_slowed(mal: Account) -> None:
    client = log_in()
    sent = {"old_password": "guessed", "new_password1": "x" * 12, "new_password2": "x" * 12}
    for _ in range(OWN_PASSWORD.attempts):
        assert client.post("/account/password", sent).status_code == 200
    assert client.post("/account/password", sent).status_code == 429
    assert client.post("/account/change", {"username": "mallory", "password": PASSWORD}).status_code == 429


def test_open_logins_are_listed_and_ended_one_by_one_or_all_others(mal: Account) -> None:
    here, phone = log_in(FIREFOX, "198.51.100.7"), log_in(PHONE, "203.0.113.9")
    page = here.get("/account/").content.decode()
    assert "Firefox on Linux (this one)" in page and "Safari on iPhone" in page and "203.0.113.9" in page
    keys = list(Session.objects.values_list("pk", flat=True))
    assert not [key for key in keys if key in page], "with its key a login could be taken over"
    (other,) = [each for each in here.get("/account/").context["sessions"] if not each.current]
    here.post("/account/logins/end", {"mark": other.mark})
    assert phone.get("/account/").status_code == 302
    assert here.get("/account/").status_code == 200
    log_in(), log_in()
    here.post("/account/logins/end", {"others": "1"})
    assert [each.current for each in here.get("/account/").context["sessions"]] == [True]


def test_nobody_ends_or_sees_somebody_else_s_logins(mal: Account, world: World, client_of: Any) -> None:
    client = log_in(FIREFOX)
    (own,) = client.get("/account/").context["sessions"]
    bo = client_of(world["bo"].account)
    assert "Firefox" not in bo.get("/account/").content.decode()
    for mark in (own.mark, Session.objects.get(account=mal).pk, "", "%"):
        bo.post("/account/logins/end", {"mark": mark})
    bo.post("/account/logins/end", {"others": "1"})
    assert client.get("/account/").status_code == 200


def test_use_is_noted_once_an_hour_and_not_at_every_request(world: World, client_of: Any) -> None:
    bo = client_of(world["bo"].account)
    asked = {"content_type": "application/json", "headers": {"User-Agent": FIREFOX}}

    def writes() -> int:
        with CaptureQueriesContext(
            connection,
        ) as seen:
            bo.post("/c/paper/judge/alive", **asked)
            bo.get("/account/", headers={"User-Agent": FIREFOX})
        return sum(each["sql"].startswith('UPDATE "foundation_session"') for each in seen.captured_queries)

    assert writes() == 0
    Session.objects.update(used_at=timezone.now() - timedelta(hours=2))
    assert writes() == 1
    assert writes() == 0
    row = Session.objects.get(account=world["bo"].account)
    assert row.device == FIREFOX and timezone.now() - row.used_at < timedelta(minutes=5)


def test_a_session_that_is_stored_again_keeps_what_was_noted(mal: Account) -> None:
    client = log_in(FIREFOX)
    session = client.session
    session["anything"] = 1
    session.save()
    assert Session.objects.get().device == FIREFOX
