"""The simulated people of the finished collection: their habits, and their way in by invitation, practice and exam."""

import random
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from annotation.models import (
    ExamAnswer,
    ExamSitting,
    GuidelineDraft,
    Invitation,
    InvitationUse,
    PracticeAnswer,
    WorkedItem,
)
from annotation.qualification.exam_sampling import draw_exam
from annotation.qualification.exams import (
    answer_exam,
    begin_exam,
    close_cohort,
    decide_applicant,
    exam_feedback,
    hand_in,
    judge_again,
    open_exam,
)
from annotation.qualification.guidelines import answer_practice, confirm_guideline
from annotation.qualification.invitations import accept_invitation, make_invitation
from demo.build import LEAD, publish_guideline_with_examples
from demo.simulated_annotators import Temper
from demo.truth import ItemTruth
from foundation.models import Account, Membership

EXAM_QUERIES, EXAM_CANDIDATES = 4, 5
SEED = 11


@dataclass(frozen=True, slots=True)
class Habits:
    """How somebody works: the `temper` of grades, seconds a judgment takes, and the hour (UTC) of sitting down."""

    name: str
    temper: Temper
    seconds: float
    hour: int
    admitted: bool = True


PEOPLE = (
    Habits("iris", Temper(0.0, 0.3, 0.01), seconds=11, hour=8),
    Habits("jonas", Temper(0.8, 0.45, 0.02), seconds=12, hour=9),
    Habits("kim", Temper(-0.25, 0.4, 0.02), seconds=14, hour=10),
    Habits("lena", Temper(0.1, 0.4, 0.02), seconds=21, hour=13),
    Habits("milo", Temper(0.1, 1.0, 0.12), seconds=3.4, hour=16),
    Habits("nora", Temper(-0.1, 0.5, 0.03), seconds=13, hour=15),
    Habits("otto", Temper(-1.8, 1.0, 0.2), seconds=6, hour=11, admitted=False),
)
"""The steady one, the lenient one, the careful one, the slow one, the one in a hurry, the usual one; and one whom the
exam keeps out."""


def admit_people(lead: Membership, known: ItemTruth, day: datetime) -> dict[str, Membership]:
    """Publish the guideline, invite everybody, let them practise and sit the exam on that day, and decide. Returns
    the admitted, by name. Call it in one transaction."""
    collection = lead.collection
    publish_guideline_with_examples(collection, known, tell=False)
    collection.refresh_from_db()
    collection.guidelines.update(published_at=day)
    GuidelineDraft.objects.filter(collection=collection).delete()
    new = make_invitation(lead=lead, places=len(PEOPLE) + 1, label="Spring course")
    Invitation.objects.filter(pk=new.invitation.pk).update(made_at=day)
    password = Account.objects.values_list("password", flat=True).filter(username=LEAD).first() or ""
    members: dict[str, Membership] = {}
    for habits in PEOPLE:
        account, _ = Account.objects.get_or_create(username=habits.name, defaults={"password": password})
        members[habits.name] = accept_invitation(token=new.token, account=account)
    InvitationUse.objects.filter(invitation=new.invitation).update(used_at=day + timedelta(hours=1))
    collection.memberships.update(joined_at=day + timedelta(hours=1))
    _train(members, known, day + timedelta(hours=2))
    _examine(members, known, day + timedelta(hours=3))
    return {habits.name: members[habits.name] for habits in PEOPLE if habits.admitted}


def _train(members: dict[str, Membership], known: ItemTruth, at: datetime) -> None:
    collection = next(iter(members.values())).collection
    practice = collection.worked_items.filter(use=WorkedItem.Use.PRACTICE).select_related(
        "description", "moment__video"
    )
    items = list(practice.order_by("pk"))
    for habits in PEOPLE:
        member, dice = members[habits.name], random.Random(f"practice {habits.name}")
        confirm_guideline(member=member, version=collection.guideline_version)
        for item in items:
            grade = habits.temper.grade(known(item.description, item.moment), dice)
            answer_practice(member=member, item_id=item.public_id, grade=grade, played=1.0)
    PracticeAnswer.objects.filter(annotator__in=members.values()).update(given_at=at)


def _examine(members: dict[str, Membership], known: ItemTruth, at: datetime) -> None:
    collection = next(iter(members.values())).collection
    exam = draw_exam(collection=collection, seed=SEED, queries=EXAM_QUERIES, candidates=EXAM_CANDIDATES).exam
    open_exam(exam=exam)
    items = list(exam.items.select_related("description", "moment__video").order_by("pk"))
    for habits in PEOPLE:
        dice = random.Random(f"exam {habits.name}")
        sitting = begin_exam(member=members[habits.name])
        for item in items:
            grade = habits.temper.grade(known(item.description, item.moment), dice)
            answer_exam(sitting=sitting, item_id=item.public_id, grade=grade, key=_key(dice), played=1.0)
        hand_in(sitting=sitting)
    close_cohort(exam=exam)
    sittings = ExamSitting.objects.filter(exam=exam).select_related("applicant__account", "exam")
    for sitting in sittings:
        dice = random.Random(f"again {sitting.applicant.worker}")
        for row in exam_feedback(sitting):
            if row.now.out and row.item.truth is not None:
                # Who has seen the feedback comes within one of the truth.
                grade = round(row.item.truth)
                judge_again(sitting=sitting, item_id=row.item.public_id, grade=grade, key=_key(dice), played=1.0)
    for habits in PEOPLE:
        decide_applicant(member=members[habits.name], admit=habits.admitted)
        members[habits.name].refresh_from_db()
    exam.drawn_at = exam.opened_at = at - timedelta(hours=2)
    exam.frozen_at = at + timedelta(hours=3)
    exam.save(update_fields=["drawn_at", "opened_at", "frozen_at"])
    sittings.update(begun_at=at, handed_in_at=at + timedelta(minutes=40))
    ExamAnswer.objects.filter(sitting__exam=exam).update(given_at=at + timedelta(minutes=20))


def _key(dice: random.Random) -> uuid.UUID:
    return uuid.UUID(int=dice.getrandbits(128), version=4)
