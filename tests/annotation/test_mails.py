"""What people are mailed: each notice that pages show, and to annotators nothing else."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import call_command

from annotation.judging.flags import answer_flag, raise_flag
from annotation.judging.notices import answer_question, ask_question, post_notice
from annotation.people.erasure import erase_member
from annotation.people.status import change_standing
from annotation.people.terms import set_terms
from annotation.people.timesheet import correct_time
from annotation.qualification.exams import close_cohort, decide_applicant, open_exam
from annotation.qualification.guidelines import confirm_guideline, publish_guideline
from desk.waiting_mails import tell_leads
from foundation.collections.lifecycle import change_role
from foundation.models import Account, Collection, MailItem, Membership
from tests.annotation.conftest import Hall
from tests.annotation.judging_steps import sit
from tests.conftest import World, build_world
from tests.mailbox import text_of
from tests.mails import an_hour_later, deliver

pytestmark = pytest.mark.django_db


@pytest.fixture
def told(mailbox: list[Any]) -> Any:
    """`told("bo")`: the text of what was mailed to bo since, "" for nothing."""

    def since(name: str) -> str:
        deliver()
        an_hour_later()
        texts = [text_of(letter) for letter in mailbox if letter["To"] == f"{name}@example.org"]
        mailbox[:] = [letter for letter in mailbox if letter["To"] != f"{name}@example.org"]
        return "\n".join(texts)

    return since


def give_addresses() -> None:
    for account in Account.objects.all():
        Account.objects.filter(pk=account.pk).update(email=f"{account.username}@example.org")


def test_annotators_are_mailed_what_their_pages_tell_them_and_no_more(world: World, told: Any) -> None:
    give_addresses()
    ada, bo = world["ada"], world["bo"]
    sit(bo)
    pair = world.batch.pairs.order_by("pk")[0]
    letters = []

    def took(*expected: str) -> None:
        letters.append(told("bo"))
        for words in expected:
            assert words in letters[-1], letters[-1]

    post_notice(lead=ada, text="We judge until Friday.")
    took("A notice from the lead", "We judge until Friday.")
    asked = ask_question(member=bo, pair_id=pair.public_id, text="Is she in it?")
    answer_question(lead=ada, question_id=asked.pk, answer="She is.")
    took("You asked: “Is she in it?” The lead: She is.")
    flag = raise_flag(member=bo, pair_id=pair.public_id, kind="clip", note="It is black.")
    answer_flag(member=ada, flag_id=flag.pk, outcome="returned", answer="Only at its beginning.")
    took("About a clip that you flagged: Only at its beginning.")
    publish_guideline(lead=ada, source="# Read this", note="All of it.")
    took("There is a new version of the guideline", "/c/paper/guideline/")
    publish_guideline(lead=ada, source="# Read that", note="One word.")
    took("What has changed: One word.")
    set_terms(lead=ada, member_id=bo.pk, languages=[], rate=Decimal("12.50"), since=date(2026, 1, 2))
    correct_time(lead=ada, member_id=bo.pk, day=date(2026, 1, 3), minutes=5, reason="He was ill.")
    took("from 2026-01-02 on", "time of 2026-01-03", "/judge/time/")
    for step, words in (("pause", "has paused your judging"), ("admit", "you can judge"), ("bar", "has ended your")):
        change_standing(lead=ada, member_id=bo.pk, step=step, reason="A reason for the record alone.")
        took("Your place in this collection", words)
    everything = "\n".join(letters)
    for secret in ("secret", "Rosa", "caption", "round", "rank", "12.5", "ill", "for the record", "0.9"):
        assert secret not in everything
    assert told("cy").count("A notice from the lead") == 1


def test_applicants_are_told_of_the_exam_and_the_decision(hall: Hall, told: Any) -> None:
    give_addresses()
    exam = hall.exam
    type(exam).objects.filter(pk=exam.pk).update(opened_at=None)
    for _ in range(2):
        open_exam(exam=exam)
    assert told("bo").count("The exam is open") == 1
    hall.sit("bo", lambda place: 2)
    hall.sit("cy", lambda place: 2)
    close_cohort(exam=exam)
    text = told("bo")
    assert "There is feedback on your exam" in text and "/c/paper/qualification/" in text
    for _ in range(2):
        decide_applicant(member=hall.world["bo"], admit=True)
    assert told("bo").count("You are admitted: you can judge here.") == 1
    decide_applicant(member=hall.world["cy"], admit=False)
    assert "has not admitted you" in told("cy")


def test_leads_are_told_once_a_day_what_waits_and_nobody_else_is(world: World, told: Any) -> None:
    give_addresses()
    sit(world["bo"])
    pair = world.batch.pairs.order_by("pk")[0]
    assert tell_leads() == 0
    asked = ask_question(member=world["bo"], pair_id=pair.public_id, text="Is she in it?")
    raise_flag(member=world["bo"], pair_id=pair.public_id, kind="clip")
    assert [tell_leads(), tell_leads()] == [1, 0]
    text = told("ada")
    assert "2 things wait for you" in text and "- 1 flagged clip\n- 1 question to answer" in text
    assert told("bo") == ""
    MailItem.objects.update(made_at="2026-01-01T00:00Z")
    assert tell_leads() == 0, "it is what the last one said"
    answer_question(lead=world["ada"], question_id=asked.pk, answer="She is.")
    assert tell_leads() == 1 and "1 thing waits" in told("ada")


def test_whoever_is_given_a_role_or_a_place_is_told_and_who_is_parted_from_it_leaves_no_trace(
    world: World, told: Any
) -> None:
    give_addresses()
    Membership.objects.filter(pk=world["ada"].pk).update(role="owner")
    change_role(member=world["ada"], other_id=world["cy"].pk, role="lead")
    assert "You now lead this collection" in told("cy")
    call_command("add_member", "paper", "mal")
    assert told("mal") == "", "a new account has no address"
    build_world(name="other")
    post_notice(lead=world["ada"], text="Hello.", annotator_id=world["bo"].pk)
    told("bo")
    assert not erase_member(lead=world["ada"], member=world["bo"])
    assert not MailItem.objects.filter(account__username="bo").exists()


def test_a_guideline_that_was_confirmed_by_then_is_not_mailed(world: World, told: Any) -> None:
    give_addresses()
    publish_guideline(lead=world["ada"], source="# Read this")
    confirm_guideline(member=Membership.objects.get(pk=world["bo"].pk), version=1)
    assert told("bo") == "" and "new version" in told("di")
    assert Collection.objects.get().guideline_version == 1
