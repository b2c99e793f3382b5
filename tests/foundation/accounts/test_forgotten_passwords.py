"""Links for a new password by mail: one answer for all addresses, over a real queue and SMTP server."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from config.embedded import free_port
from foundation.accounts.forgotten_views import FOR_AN_ADDRESS, FROM_AN_ADDRESS
from foundation.accounts.mails import mail_password_links
from foundation.accounts.password_links import mailed_token
from foundation.mail.letters import NOTHING_LEFT
from foundation.models import Account, Letter, MailItem, Session
from tests.mailbox import text_of
from tests.mails import an_hour_later, deliver
from tests.workers import Waiting, nobody_listens

pytestmark = pytest.mark.django_db

PAGE = "/login/forgotten/"
NEW = {"new_password1": "another-paper-moon", "new_password2": "another-paper-moon"}


@pytest.fixture
def bo(db: None) -> Account:
    return Account.objects.create_user("bo", email="bo@example.org", password="a-paper-moon")


def asked(address: str, client: Client | None = None, **headers: str) -> Any:
    return (client or Client()).post(PAGE, {"email": address}, headers=headers)


def mailed_link(letter: Any) -> str:
    return re.findall(r"http://testserver(/password/\S+)", text_of(letter))[0]


def test_a_link_comes_by_mail_and_sets_a_password_once(bo: Account, mailbox: list[Any], client_of: Any) -> None:
    at_work, queue = client_of(bo), Waiting("foundation.tasks.mail_password_links")
    assert PAGE in Client().get("/login/").content.decode()
    assert asked("BO@example.org")["Location"] == f"{PAGE}?sent=1"
    assert "is on its way" in Client().get(f"{PAGE}?sent=1").content.decode()
    (arguments,) = queue
    assert mail_password_links(*arguments) == 1 and deliver() == 1
    assert mailbox[0]["To"] == "bo@example.org" and mailbox[0]["Subject"] == "Qreels: a new password"
    link = mailed_link(mailbox[0])
    assert at_work.get("/account/").status_code == 200, "a mail that nobody uses changes nothing"
    assert "bo" in Client().get(link).content.decode()
    assert Client().post(link, {**NEW, "new_password2": "else"}).status_code == 200, "a slip doesn't use it up"
    assert Client().post(link, NEW)["Location"] == "/login/?why=password"
    assert not Session.objects.filter(account=bo).exists()
    for again in (Client().get(link), Client().post(link, NEW)):
        assert again.status_code == 404 and "was used, or has expired" in again.content.decode()
    assert Client().post("/login/", {"username": "bo", "password": "another-paper-moon"}).status_code == 302


def test_the_answer_is_the_same_whether_or_not_somebody_has_the_address(
    bo: Account, mailbox: list[Any], django_assert_num_queries: Any
) -> None:
    answers = []
    for address in ("bo@example.org", "nobody@example.org"):
        with django_assert_num_queries(0):
            response = asked(address)
        answers.append((response.status_code, response.content, response["Location"]))
    assert answers[0] == answers[1]
    assert mail_password_links("nobody@example.org", "http://testserver", "en") == 0
    Account.objects.create(username="di", email="di@example.org", is_active=False, password=bo.password)
    outside = Account.objects.create(username="ed", email="ed@example.org")
    outside.set_unusable_password()
    outside.save()
    for address in ("di@example.org", "ed@example.org"):
        assert mail_password_links(address, "http://testserver", "en") == 0
    assert deliver() == 0 and mailbox == []


def test_the_mail_is_in_the_person_s_language(bo: Account, mailbox: list[Any]) -> None:
    Account.objects.filter(pk=bo.pk).update(language="de")
    Account.objects.create(username="cy", email="bo@example.org", password=bo.password)
    assert mail_password_links("bo@example.org", "http://testserver", "es") == 2 and deliver() == 2
    assert sorted(bool(re.search("ein neues Passwort", text_of(letter))) for letter in mailbox) == [False, True]
    assert any("contraseña" in text_of(letter) for letter in mailbox)


def test_a_mailed_link_expires_and_ends_with_what_it_was_mailed_for(bo: Account, settings: Any) -> None:
    def status() -> Any:
        return Client().get(link).status_code

    link = f"/password/{mailed_token(bo)}/"
    assert status() == 200
    settings.PASSWORD_RESET_TIMEOUT = -1
    assert status() == 404
    settings.PASSWORD_RESET_TIMEOUT = 3600
    for change in (
        {"email": "else@example.org"},
        {"password": "else"},
        {"is_active": False},
        {"last_login": timezone.now() + timedelta(seconds=5)},
    ):
        Account.objects.filter(pk=bo.pk).update(**change)
        assert status() == 404, change
        Account.objects.filter(pk=bo.pk).update(
            email=bo.email, password=bo.password, is_active=True, last_login=bo.last_login
        )
        assert status() == 200


def test_a_link_for_one_is_none_for_another(bo: Account) -> None:
    cy = Account.objects.create_user("cy", email="cy@example.org", password="a-paper-moon")
    signed = mailed_token(bo).partition(".")[2]
    for token in (f"{cy.pk}.{signed}", f".{signed}", f"x.{signed}", f"{10**40}.{signed}", f"{bo.pk}.", f"{bo.pk}.x-y"):
        assert Client().post(f"/password/{token}/", NEW).status_code == 404, token


def test_the_host_in_the_link_is_one_that_the_settings_name(bo: Account, mailbox: list[Any], settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["qreels.example.org", ".example.net"]
    settings.PRODUCTION, settings.SESSION_COOKIE_SECURE = True, True
    queue = Waiting("foundation.tasks.mail_password_links")
    for host in ("evil.example.net", "qreels.example.org"):
        asked("bo@example.org", Client(), host=host)
    assert [arguments[1] for arguments in queue] == [
        "https://qreels.example.org",
        "http://qreels.example.org",
    ]


def test_mails_asked_for_are_counted_by_address_and_place(bo: Account, mailbox: list[Any]) -> None:
    for address in ("bo@example.org", "nobody@example.org"):
        for _ in range(FOR_AN_ADDRESS.attempts):
            assert asked(address).status_code == 302
        refused = asked(address.upper(), Client(REMOTE_ADDR="203.0.113.9"))
        assert refused.status_code == 429 and 3500 < int(refused["Retry-After"]) <= 3600
        assert "Try again in 60 minutes." in refused.content.decode()
    for number in range(FROM_AN_ADDRESS.attempts):
        refused = asked(f"{number}@example.org")
    assert refused.status_code == 429
    assert asked("last@example.org", Client(REMOTE_ADDR="203.0.113.9")).status_code == 302


def test_where_no_mail_is_sent_there_is_no_such_page(bo: Account) -> None:
    assert PAGE not in Client().get("/login/").content.decode()
    assert Client().get(PAGE).status_code == 404
    assert asked("bo@example.org").status_code == 404
    assert mail_password_links("bo@example.org", "http://testserver", "en") == 0
    assert deliver() == 0 and mail.outbox == []


@pytest.mark.parametrize(
    "address", ["", "bo", "bo@", "b\x00o", "x" * 300 + "@example.org", "a@example.org\nBcc: b@c.org"]
)
def test_what_is_no_address_is_told_beside_the_field(mailbox: list[Any], address: str) -> None:
    queue = Waiting("foundation.tasks.mail_password_links")
    response = asked(address)
    assert response.status_code == 400 and 'aria-invalid="true"' in response.content.decode()
    assert queue == []


def test_a_queue_that_is_away_and_a_server_that_is_away_are_told_or_tried_again(
    bo: Account, mailbox: list[Any], settings: Any
) -> None:
    with nobody_listens():
        assert "No mail can be sent at the moment" in asked("bo@example.org").content.decode()
    there, settings.EMAIL_PORT = settings.EMAIL_PORT, free_port()
    assert mail_password_links("bo@example.org", "http://testserver", "en") == 1
    for tries in (1, 2):
        deliver()
        letter = Letter.objects.get()
        assert (letter.finished, letter.tries) == (False, tries) and "refused" in letter.problem
    settings.EMAIL_PORT = there
    assert deliver() == 1 and len(mailbox) == 1
    assert Client().get(mailed_link(mailbox[0])).status_code == 200


def test_a_link_goes_at_once_beside_other_mails_is_stored_nowhere_and_comes_not_after_its_hour(
    bo: Account, mailbox: list[Any]
) -> None:
    for _ in range(2):
        assert mail_password_links("bo@example.org", "http://testserver", "en") == 1
    assert deliver() == 2
    assert "unsubscribe" not in str(mailbox[0]).lower() and "/password/" not in str(list(MailItem.objects.values()))
    an_hour_later()
    mail_password_links("bo@example.org", "http://testserver", "en")
    MailItem.objects.filter(letter__ended_at=None).update(made_at=timezone.now() - timedelta(minutes=61))
    deliver()
    assert len(mailbox) == 2 and Letter.objects.order_by("pk").last().problem == NOTHING_LEFT
