"""Alerts begin and end with their faults, and owners are told once, over a real SMTP server."""

from datetime import timedelta
from email.header import decode_header, make_header
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from annotation.models import Opening
from config.embedded import free_port
from foundation.infra.jobs import BROKEN_OFF
from foundation.models import Account, Collection, Letter, MailItem
from operation.alerts.watch import watch
from operation.health.heartbeat import beat
from operation.models import Alert
from tests.mailbox import text_of
from tests.mails import deliver
from tests.workers import nobody_listens

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def worker_lives(db: None) -> None:
    beat(node="celery@here", processes=2)


def test_owners_are_told_of_a_fault_once_and_it_ends_by_itself(olga: Account, mailbox: list[Any], mal: Account) -> None:
    assert watch() == [] and not Alert.objects.exists()
    with nobody_listens():
        assert [alert.check_name for alert in watch()] == ["broker"]
        assert watch() == []
        assert deliver() == 1
    assert [letter["To"] for letter in mailbox] == ["olga@example.org"]
    text = text_of(mailbox[0])
    assert mailbox[0]["Subject"] == "Qreels: Task queue needs you"
    assert "/system/" in text and "/unsubscribe/" in text
    watch()
    deliver()
    assert Alert.objects.get().ended_at is not None and len(mailbox) == 1


def test_of_two_faults_at_once_owners_are_told_both(olga: Account, mailbox: list[Any]) -> None:
    Account.objects.create(username="nan", email="nan@example.org")
    collection = Collection.objects.create(name="paper", title="The paper moon")
    Opening.objects.create(
        collection=collection, state="refused", finished_at=timezone.now(), problem=BROKEN_OFF.format(3)
    )
    with nobody_listens():
        assert {alert.check_name for alert in watch()} == {"broker", "jobs"}
        told = MailItem.objects.values_list("facts__alert", flat=True)
        assert watch() == []
        assert set(told) == set(Alert.objects.values_list("pk", flat=True)) and len(told) == 2
        deliver()
    assert {letter["To"] for letter in mailbox} == {"olga@example.org"}
    text = " ".join(text_of(letter) for letter in mailbox)
    assert "It can't be reached" in text and "1 died within a day" in text


def test_each_owner_is_told_in_their_language_and_what_is_stored_is_english(
    olga: Account, owner: Client, mailbox: list[Any]
) -> None:
    Account.objects.create(username="dora", email="dora@example.org", is_superuser=True, language="de")
    with nobody_listens():
        watch()
        deliver()
        letters = {letter["To"]: letter for letter in mailbox}
        assert letters["olga@example.org"]["Subject"] == "Qreels: Task queue needs you"
        assert "Aufgabenwarteschlange" in str(make_header(decode_header(letters["dora@example.org"]["Subject"])))
        assert "Sie ist nicht erreichbar" in text_of(letters["dora@example.org"])
        assert Alert.objects.get().found.startswith("It can't be reached")
        Account.objects.filter(pk=olga.pk).update(language="es")
        assert "No se puede acceder a ella" in owner.get("/system/").content.decode()
        assert "It can't be reached" in owner.get("/system/").context["facts"].alerts[0].found


def test_a_job_that_died_is_told_and_one_that_was_refused_isn_t(
    olga: Account, mailbox: list[Any], settings: Any
) -> None:
    collection = Collection.objects.create(name="paper", title="The paper moon")
    ended = {"collection": collection, "state": "refused", "finished_at": timezone.now()}
    Opening.objects.create(**ended, problem="Nothing can be opened: no query has candidates.")
    assert watch() == []
    Opening.objects.create(**ended, problem=BROKEN_OFF.format(3))
    assert [alert.check_name for alert in watch()] == ["jobs"]
    deliver()
    assert "1 died within a day" in text_of(mailbox[0])
    Opening.objects.create(**ended, problem=BROKEN_OFF.format(3))
    assert watch() == [] and Alert.objects.get().found.startswith("2 died within a day")
    Opening.objects.update(finished_at=timezone.now() - timedelta(days=2))
    watch()
    assert not Alert.objects.filter(ended_at=None).exists()


def test_a_mail_that_couldn_t_be_sent_is_sent_later_and_one_not_wanted_never(
    olga: Account, owner: Client, mailbox: list[Any], settings: Any
) -> None:
    port, settings.EMAIL_PORT = settings.EMAIL_PORT, free_port()
    with nobody_listens():
        assert len(watch()) == 1
        deliver()
        assert mailbox == [] and not Letter.objects.get().finished
        settings.EMAIL_PORT = port
        deliver()
        assert len(mailbox) == 1 and Letter.objects.get().sent_at is not None
    watch()
    owner.post("/system/alert-mail", {"wanted": "no"})
    with nobody_listens():
        assert len(watch()) == 1
    assert deliver() == 0 and not MailItem.objects.filter(letter=None).exists()


def test_an_alert_that_began_while_the_site_sent_no_mail_is_told_once_it_does(
    olga: Account, mailbox: list[Any], settings: Any
) -> None:
    settings.MAIL_IS_SET = False
    with nobody_listens():
        watch()
        assert not MailItem.objects.exists()
        settings.MAIL_IS_SET = True
        watch()
        deliver()
    assert len(mailbox) == 1


def test_a_fault_that_is_over_before_the_mail_goes_is_told_to_nobody(olga: Account, mailbox: list[Any]) -> None:
    with nobody_listens():
        assert len(watch()) == 1
    watch()
    assert MailItem.objects.exists()
    deliver()
    assert mailbox == []


def test_the_test_mail_says_what_the_server_said(mailbox: list[Any], settings: Any) -> None:
    out = StringIO()
    call_command("send_test_mail", "ada@example.org", stdout=out)
    assert mailbox[0]["To"] == "ada@example.org" and "took a mail from qreels@example.org" in out.getvalue()
    settings.EMAIL_PORT = free_port()
    with pytest.raises(CommandError, match=f"127.0.0.1:{settings.EMAIL_PORT} didn't take it"):
        call_command("send_test_mail", "ada@example.org")
    settings.MAIL_IS_SET = False
    with pytest.raises(CommandError, match="QREELS_SMTP_URL isn't set"):
        call_command("send_test_mail", "ada@example.org")


def test_the_command_says_what_the_page_says_and_fails_where_a_check_does(settings: Any, tmp_path: Path) -> None:
    out = StringIO()
    call_command("check_health", stdout=out)
    assert "ok       Workers: celery@here" in out.getvalue()
    (tmp_path / "media").write_text("a file where a folder should be")
    settings.MEDIA_ROOT = str(tmp_path / "media")
    out = StringIO()
    with pytest.raises(SystemExit) as end:
        call_command("check_health", "--json", stdout=out)
    assert end.value.code == 1 and '"state": "failed"' in out.getvalue()
