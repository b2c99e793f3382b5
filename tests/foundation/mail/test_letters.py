"""Letters: gathered by the hour, sent once, tried again while the mail server is away, refused by one request."""

import asyncio
import re
import socket
import threading
from collections.abc import Callable
from datetime import timedelta
from email.header import decode_header, make_header
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from django.test import Client
from django.utils import timezone

from annotation.judging.notices import post_notice, withdraw_notice
from annotation.people.erasure import erase_account
from annotation.people.own_data import own_data
from config.embedded import free_port
from foundation.accounts.mails import tell as tell_of_account
from foundation.infra.sweep import sweep
from foundation.mail.choice import choices_of, link_token
from foundation.mail.letters import NOTHING_LEFT, gather, send_letter
from foundation.mail.outbox import held, hold_all, start_held
from foundation.models import Account, Letter, MailItem
from tests.conftest import World, build_world
from tests.mailbox import text_of
from tests.mails import an_hour_later, deliver, send_by
from tests.workers import Waiting, kill_group, one_worker, wait_until

pytestmark = pytest.mark.django_db


@pytest.fixture
def bo(world: World) -> Account:
    """One of the annotators has an address."""
    Account.objects.filter(username="bo").update(email="bo@example.org")
    return Account.objects.get(username="bo")


def subject_of(letter: Any) -> str:
    return str(make_header(decode_header(letter["Subject"]))).replace("\n", "")


def stop_link(letter: Any) -> str:
    match = re.fullmatch(r"<http://127\.0\.0\.1:\d+(/unsubscribe/\S+/)>", letter["List-Unsubscribe"].strip())
    assert match
    return match[1]


def test_notices_are_gathered_and_nobody_gets_two_letters_within_an_hour(
    world: World, bo: Account, mailbox: list[Any]
) -> None:
    post_notice(lead=world["ada"], text="We judge until Friday.")
    assert deliver() == 1
    assert mailbox[0]["To"] == "bo@example.org" and subject_of(mailbox[0]) == "Paper: A notice from the lead"
    assert "We judge until Friday." in text_of(mailbox[0]) and "/c/paper/judge/" in text_of(mailbox[0])
    for text in ("One.", "Two.", "Two."):
        post_notice(lead=world["ada"], text=text, annotator_id=world["bo"].pk)
    assert deliver() == 0 and len(mailbox) == 1
    an_hour_later()
    assert deliver() == 1 and deliver() == 0
    assert subject_of(mailbox[1]) == "Paper: 2 notices"
    assert [text_of(mailbox[1]).count(text) for text in ("One.", "Two.", "Friday", "=====")] == [1, 1, 0, 1]


def test_what_has_become_needless_or_was_read_by_then_is_not_sent(
    world: World, bo: Account, mailbox: list[Any], client_of: Any
) -> None:
    gone = post_notice(lead=world["ada"], text="Tomorrow off.")
    withdraw_notice(lead=world["ada"], notice_id=gone.pk)
    read = post_notice(lead=world["ada"], text="Hello.")
    client_of(bo).post(f"/c/paper/judge/answers/notice-{read.pk}/read")
    deliver()
    assert mailbox == [] and Letter.objects.get().problem == NOTHING_LEFT and Letter.objects.get().finished


def test_people_without_an_address_disabled_or_unwilling_get_none_and_no_site_without_mail_notes_any(
    world: World, bo: Account, mailbox: list[Any], settings: Any, client_of: Any
) -> None:
    page = client_of(bo).get("/account/").content.decode()
    assert 'id="mails"' in page and 'value="waiting"' not in page and "bo@example.org as well" in page
    client_of(bo).post("/account/mails", {"kind": ["standing", "alerts"]})
    assert {one.kind.name: one.wanted for one in choices_of(bo)} == {
        "notices": False,
        "guideline": False,
        "standing": True,
        "pay": False,
    }
    post_notice(lead=world["ada"], text="Hello.")
    client_of(bo).post("/account/mails", {"kind": ["notices"]})
    Account.objects.filter(pk=bo.pk).update(is_active=False)
    post_notice(lead=world["ada"], text="Hello.")
    Account.objects.filter(pk=bo.pk).update(is_active=True)
    settings.MAIL_IS_SET = False
    post_notice(lead=world["ada"], text="Hello.")
    assert not MailItem.objects.exists()
    assert 'id="mails"' not in client_of(bo).get("/account/").content.decode()


def test_one_request_without_a_login_ends_mails_of_a_kind_and_opening_the_link_ends_none(
    world: World, bo: Account, mailbox: list[Any]
) -> None:
    post_notice(lead=world["ada"], text="Hello.")
    post_notice(lead=world["ada"], text="What waits already is held back.", annotator_id=world["bo"].pk)
    deliver()
    assert mailbox[0]["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    stop, visitor = stop_link(mailbox[0]), Client(enforce_csrf_checks=True)
    assert stop in text_of(mailbox[0])
    page = visitor.get(stop)
    assert page.status_code == 200 and b"Notices and answers" in page.content and not bo.mail_refusals.exists()
    post_notice(lead=world["ada"], text="This one is under way.")
    for _ in range(2):
        assert visitor.post(stop, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert [one.kind for one in bo.mail_refusals.all()] == ["notices"]
    an_hour_later()
    deliver()
    assert len(mailbox) == 1
    visitor.post(stop, {"all": "1"})
    assert not any(one.wanted for one in choices_of(bo))


def test_a_link_that_was_changed_is_refused_and_one_of_somebody_who_is_gone_harms_nobody(bo: Account) -> None:
    token, visitor = link_token(bo, ["notices"]), Client()
    for wrong in (token[:-1] + ("A" if token[-1] != "A" else "B"), token[3:], "x", "é:%00"):
        assert visitor.post(f"/unsubscribe/{wrong}/").status_code == 404
    erase_account(account=bo)
    assert visitor.post(f"/unsubscribe/{token}/").status_code == 200


def test_a_server_that_is_away_or_answers_nothing_or_says_later_is_asked_again_and_gets_it_once(
    world: World, bo: Account, mailbox: list[Any], settings: Any
) -> None:
    there = settings.EMAIL_PORT
    post_notice(lead=world["ada"], text="Hello.")
    gather()
    letter = Letter.objects.get()
    send_by(settings, free_port())
    send_letter(letter.pk)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        send_by(settings, silent.getsockname()[1])
        settings.EMAIL_TIMEOUT = 0.05
        send_letter(letter.pk)
    busy = Controller(Answers(rcpt="451 try again later"), hostname="127.0.0.1", port=free_port())
    busy.start()
    send_by(settings, busy.port)
    send_letter(letter.pk)
    busy.stop()
    letter.refresh_from_db()
    assert (letter.tries, letter.ended_at, "451" in letter.problem) == (3, None, True)
    assert "bo@" not in letter.problem
    send_by(settings, there)
    assert send_letter(letter.pk) and not send_letter(letter.pk)
    letter.refresh_from_db()
    assert len(mailbox) == 1 and letter.sent_at is not None and letter.problem == ""


class Answers:
    """A mail server that says this to a recipient, or to a whole mail."""

    def __init__(self, rcpt: str = "250 OK", data: str = "250 OK") -> None:
        self.rcpt, self.data = rcpt, data

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        envelope.rcpt_tos.append(address)
        return self.rcpt

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        return self.data


@pytest.mark.parametrize("answers", [{"rcpt": "550 nobody here"}, {"data": "554 no such mails"}])
def test_a_letter_that_is_refused_for_good_holds_up_nothing(
    world: World, bo: Account, settings: Any, answers: dict[str, str]
) -> None:
    server = Controller(Answers(**answers), hostname="127.0.0.1", port=free_port())
    server.start()
    send_by(settings, server.port)
    post_notice(lead=world["ada"], text="Hello.")
    deliver()
    server.stop()
    letter = Letter.objects.get()
    assert letter.sent_at is None and letter.ended_at is not None and "refused it" in letter.problem
    post_notice(lead=world["ada"], text="Hello again.")
    assert len(gather()) == 1


def test_a_letter_is_given_up_after_three_days(world: World, bo: Account, mailbox: list[Any], settings: Any) -> None:
    post_notice(lead=world["ada"], text="Hello.")
    gather()
    Letter.objects.update(made_at=timezone.now() - timedelta(days=4))
    send_by(settings, free_port())
    send_letter(Letter.objects.get().pk)
    assert "for 3 days" in Letter.objects.get().problem and Letter.objects.get().finished


def test_a_letter_of_a_time_to_come_holds_up_none(
    world: World, bo: Account, mailbox: list[Any], clock_off: Callable[[timedelta], None]
) -> None:
    for days in (365, 0):
        clock_off(timedelta(days=days))
        post_notice(lead=world["ada"], text="Hello.")
        (letter,) = gather()
        assert send_letter(letter.pk)
    assert len(mailbox) == 2


def test_a_letter_whose_message_was_lost_is_found_by_the_sweep(world: World, bo: Account, mailbox: list[Any]) -> None:
    waiting = Waiting("foundation.tasks.send_letter")
    post_notice(lead=world["ada"], text="Hello.")
    (letter,) = gather()
    assert waiting == [letter.pk]
    for due in (timedelta(minutes=-1), timedelta(days=365)):  # as a clock said that was a year ahead
        waiting.clear()
        Letter.objects.update(due_at=timezone.now() + due)
        sweep()
        assert waiting == [letter.pk], due
    assert send_letter(letter.pk) and len(mailbox) == 1


def test_what_is_about_an_account_goes_at_once_beside_other_letters_whatever_is_refused(
    world: World, bo: Account, mailbox: list[Any], client_of: Any
) -> None:
    client_of(bo).post("/account/mails", {"kind": []})
    Client().post(f"/unsubscribe/{link_token(bo, ['account'])}/", {"all": "1"})
    assert not any(one.wanted for one in choices_of(bo))
    assert b"how you log in, and links" not in client_of(bo).get("/account/").content, "there is nothing to choose"
    for change in ("password", "factor-on"):
        tell_of_account(bo, change)
    assert deliver() == 2 and deliver() == 0
    assert [subject_of(letter) for letter in mailbox] == ["Qreels: your account was changed"] * 2
    assert "List-Unsubscribe" not in mailbox[0] and mailbox[0]["Auto-Submitted"] == "auto-generated"
    assert mailbox[0]["Message-ID"] != mailbox[1]["Message-ID"]
    client_of(bo).post("/account/mails", {"kind": ["notices"]})
    post_notice(lead=world["ada"], text="It waits for no other letter.")
    assert deliver() == 1


def test_what_waits_in_a_restored_site_goes_when_an_owner_says_so(
    world: World, bo: Account, mailbox: list[Any], client_of: Any
) -> None:
    post_notice(lead=world["ada"], text="In a letter already.")
    gather()
    post_notice(lead=world["ada"], text="In none so far.", annotator_id=world["bo"].pk)
    tell_of_account(bo, "password")
    assert Letter.to_do().count() == 2
    assert (hold_all(), hold_all(), held()) == (3, 3, 3)  # as a restore does, and one that is begun again
    assert deliver() == 0 and not Letter.objects.exists()

    # Whatever happens from now on is this site's own.
    post_notice(lead=world["ada"], text="New.")
    assert deliver() == 1 and "New." in text_of(mailbox[0]) and "letter" not in text_of(mailbox[0])
    owner = client_of(Account.objects.create(username="olga", is_superuser=True))
    page = owner.get("/system/").content.decode()
    assert "start them if they are to be sent by this copy" in page and "3 wait" in page
    told = owner.post("/system/start-mails", follow=True).content.decode()
    assert "3 notices are mailed now." in told and "restored from a backup" not in told
    an_hour_later()
    assert deliver() == 2 and len(mailbox) == 3
    texts = "".join(text_of(letter) for letter in mailbox[1:])
    assert [texts.count(text) for text in ("In a letter already.", "In none so far.", "Your password was changed")] == [
        1,
        1,
        1,
    ]
    assert start_held() == 0 and deliver() == 0


def test_a_letter_is_in_its_readers_language_with_subjects_on_one_line(
    world: World, bo: Account, mailbox: list[Any]
) -> None:
    world.collection.title = "Der Mond\nBcc: mal@example.org"
    world.collection.save()
    for language, word in (("de", "Nachricht"), ("es", "aviso"), ("zh-hans", "通知")):
        Account.objects.filter(pk=bo.pk).update(language=language)
        post_notice(lead=world["ada"], text="Hello.", annotator_id=world["bo"].pk)
        an_hour_later()
        deliver()
        assert word.lower() in subject_of(mailbox[-1]).lower() and mailbox[-1]["Bcc"] is None
        assert mailbox[-1]["To"] == "bo@example.org"


def test_own_data_says_which_mails_went_and_an_erased_account_takes_them_along(
    world: World, bo: Account, mailbox: list[Any]
) -> None:
    post_notice(lead=world["ada"], text="Hello.")
    deliver()
    assert '"mails": {"not_wanted": [], "sent": ["20' in "".join(own_data(bo))
    erase_account(account=bo)
    assert not Letter.objects.exists() and not MailItem.objects.exists()


class Holds:
    """A mail server that takes a mail only once it is let."""

    def __init__(self) -> None:
        self.begun, self.may, self.got = threading.Event(), threading.Event(), list[str]()

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        self.begun.set()
        while not self.may.is_set():
            await asyncio.sleep(0.01)
        self.got.append(envelope.content.decode())
        return "250 OK"


@pytest.mark.django_db(transaction=True)
def test_a_letter_whose_worker_is_killed_while_sending_is_sent_by_the_next(
    settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    world = build_world()
    Account.objects.filter(username="bo").update(email="bo@example.org")
    holds = Holds()
    server = Controller(holds, hostname="127.0.0.1", port=free_port())
    server.start()
    monkeypatch.setenv("QREELS_SMTP_URL", f"smtp://127.0.0.1:{server.port}")
    monkeypatch.setenv("QREELS_MAIL_FROM", "qreels@example.org")
    send_by(settings, server.port)
    with one_worker(tmp_path / "worker.log") as worker:
        post_notice(lead=world["ada"], text="Hello.")
        (letter,) = gather()
        wait_until(holds.begun.is_set)
        kill_group(worker)
    holds.may.set()
    assert Letter.objects.get().ended_at is None
    waiting = Waiting("foundation.tasks.send_letter")
    wait_until(lambda: sweep() and waiting == [letter.pk])
    assert send_letter(letter.pk) and not send_letter(letter.pk)
    server.stop()
    assert len([one for one in holds.got if "Hello." in one]) == 1
