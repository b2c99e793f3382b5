"""Simulated applicants go the whole way over HTTP, from the link to the lead's decision."""

from collections.abc import Iterator

import pytest
from pytest_django.live_server_helper import LiveServer

from annotation.models import ExamAnswer, Judgment, PracticeAnswer
from demo.simulated_annotators import SimulationError, Temper, Visitor
from demo.simulated_applicants import Examiner, SimulatedApplicant, join
from foundation.models import Account
from tests.annotation.conftest import school
from tests.conftest import World

pytestmark = pytest.mark.long

__all__ = ["school"]

PASSWORD = "a-long-way-to-judging"


@pytest.fixture
def examiner(transactional_db: None, school: World, live_server: LiveServer) -> Iterator[Examiner]:
    ada = school["ada"].account
    assert ada is not None
    account = Account.objects.get(pk=ada.pk)
    account.set_password(PASSWORD)
    account.save()
    lead = Visitor(live_server.url, account.username, PASSWORD)
    yield Examiner(lead, school.collection.name, lambda number: 3.0)
    # A connection left open keeps the server's thread, and its place at the database.
    lead.session.close()


def test_two_become_annotators_and_a_third_is_declined(examiner: Examiner) -> None:
    examiner.prepare(examples=1, practice=1, queries=2, candidates=3, seed=7)
    link = examiner.invite(3)

    def applicant(name: str, bias: float) -> SimulatedApplicant:
        visitor = join(link, name, PASSWORD)
        return SimulatedApplicant(
            visitor, examiner.collection, Temper(bias, 0, 0), lambda public_id: 2.0, 1, watch=False
        )

    steady, kind, late = applicant("steady", 0), applicant("kind", 1), applicant("late", -2)
    for person in (steady, kind):
        person.train()
        person.sit_exam()
    examiner.close_cohort()
    late.train()
    late.sit_exam()
    for person in (steady, kind, late):
        person.learn()
    # The truth is 2.5: who gave 0 is out of all six, and takes two steps to come within 1.
    assert (steady.done.again, kind.done.again, late.done.again) == (0, 0, 12)
    people = {person["member"]: person["cohort"] for person in examiner.people() if person["handed_in"]}
    examiner.decide(people)
    assert sorted(people.values()) == [False, True, True]
    assert late.is_turned_away()
    assert not steady.is_turned_away()
    assert ExamAnswer.objects.filter(turn=1, taken_back_at__isnull=True).count() == 18
    assert PracticeAnswer.objects.count() == 9
    assert not Judgment.objects.exists()
    for person in (steady, kind, late):
        person.visitor.session.close()


def test_a_link_for_one_lets_nobody_else_in(examiner: Examiner) -> None:
    link = examiner.invite(1)
    join(link, "first", PASSWORD).session.close()
    with pytest.raises(SimulationError, match="second got 410"):
        join(link, "second", PASSWORD)
    assert not Account.objects.filter(username="second").exists()
