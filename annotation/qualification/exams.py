"""Exams: opened, taken, handed in, cohort closed, items judged again.

Its grades never count: they are kept in tables of their own and decide no pair (rule 5, rule 8).

Applicants may begin once the lead has opened the exam. Whoever hands in before the lead closes the first cohort
belongs to it; closing makes each item's truth the median of the cohort's grades and freezes it. Whoever hands in later
is compared with that truth at once.
"""

import random
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.judging.watched_clip import refuse_bad_grade
from annotation.models import Exam, ExamAnswer, ExamItem, ExamSitting, RecruitSession
from annotation.qualification.exam_rule import median, share_out
from annotation.qualification.exam_sampling import current_exam
from annotation.qualification.guidelines import Feedback, practice_of
from annotation.qualification.mails import exam_compared, exam_opened
from annotation.qualification.training_time import SaidTime, work_on
from evaluation.judgments.grade_classes import unit_of
from foundation.collections.studies import carry_to_studies
from foundation.mail.membership_mails import place_changed
from foundation.models import Membership
from foundation.refused import Refused

FEWEST = 2
"""The smallest cohort whose median can be the truth."""


@transaction.atomic
def open_exam(*, exam: Exam) -> None:
    """Open the exam to applicants. Repeating it changes nothing."""
    opened = Exam.objects.filter(pk=exam.pk, opened_at__isnull=True).update(opened_at=timezone.now())
    exam.refresh_from_db()
    if opened:
        exam_opened(exam)


def why_not_begin(member: Membership) -> str:
    """Why a member can't begin the exam now; "" when nothing is in the way."""
    if member.status != Membership.Status.APPLICANT:
        return _("The exam is for those who are in training.")
    exam = current_exam(member.collection)
    if exam is None or exam.opened_at is None:
        return _("The lead hasn't opened the exam yet. Come back later; what you have done so far is kept.")
    if not member.knows_guideline:
        return _("Read the guideline and confirm it first.")
    if practice_of(member).left:
        return _("Finish the practice first.")
    return ""


@transaction.atomic
def begin_exam(*, member: Membership) -> ExamSitting:
    """The member's sitting of the open exam, begun if there was none.

    Raises: Refused if something comes first.
    """
    standing = sitting_of(member)
    if standing is not None:
        return standing
    reason = why_not_begin(member)
    if reason:
        raise Refused(reason)
    exam = current_exam(member.collection)
    return ExamSitting.objects.get_or_create(exam=exam, applicant=member, set_aside_at=None)[0]


def sitting_of(member: Membership) -> ExamSitting | None:
    """The member's newest sitting that wasn't set aside."""
    return member.exam_sittings.filter(set_aside_at=None).select_related("exam").order_by("-exam__number").first()


def first_answers(sitting: ExamSitting) -> QuerySet[ExamAnswer]:
    """A sitting's independent answers that weren't taken back."""
    return sitting.answers.filter(turn=1, taken_back_at__isnull=True)


def items_left(sitting: ExamSitting) -> list[ExamItem]:
    """The items still to be judged, query by query, in this applicant's own order.

    Empty once the exam is handed in.
    """
    done = set(first_answers(sitting).values_list("item_id", flat=True))
    return [item for item in _own_order(sitting) if item.pk not in done]


def _own_order(sitting: ExamSitting) -> list[ExamItem]:
    by_query: dict[int, list[ExamItem]] = {}
    for item in sitting.exam.items.select_related("moment__clip").order_by("public_id"):
        by_query.setdefault(item.description_id, []).append(item)
    dice = random.Random(f"{sitting.exam_id}:{sitting.applicant_id}")
    queries = list(by_query.values())
    dice.shuffle(queries)
    for items in queries:
        dice.shuffle(items)
    return [item for items in queries for item in items]


@transaction.atomic
def answer_exam(
    *,
    sitting: ExamSitting,
    item_id: uuid.UUID,
    grade: int,
    key: uuid.UUID,
    played: float | None,
    said: SaidTime | None = None,
) -> ExamAnswer:
    """Keep an applicant's independent grade of an item; a second one, under another key, as taken back.

    The same key again returns the same answer.

    Args: said: what the page says of its time; None where nobody worked on a page.

    Raises: Refused if the item isn't in the exam, or the exam is handed in.
    """
    sitting = _lock(sitting)
    earlier = sitting.answers.filter(key=key).select_related("item").first()
    if earlier is not None:
        if earlier.item.public_id != item_id:
            raise Refused(_("This request belongs to another clip. Reload the page and judge this one again."))
        return earlier
    item = sitting.exam.items.filter(public_id=item_id).first()
    if item is None:
        raise Refused(_("This clip isn't part of your exam. Reload the page to go on."))
    second = first_answers(sitting).filter(item=item).exists()
    if sitting.handed_in_at is not None:
        raise Refused(_("You have handed in your exam."))
    refuse_bad_grade(sitting.exam.collection, grade, played)
    work = _work(sitting, item, said)
    if second:
        work["taken_back_at"] = timezone.now()
    return ExamAnswer.objects.create(sitting=sitting, item=item, grade=grade, key=key, played=played, **work)


def answer_before(answer: ExamAnswer) -> ExamAnswer | None:
    """The answer to the same item that stands, and stood when this one was given."""
    same = first_answers(answer.sitting).filter(item=answer.item_id, pk__lt=answer.pk)
    return same.select_related("item").first()


@transaction.atomic
def take_back_answer(*, sitting: ExamSitting, key: uuid.UUID | None = None) -> ExamAnswer:
    """Take back the last answer, of a second one to an item the first, until the exam is handed in: it is kept, and its
    item comes again.

    Args: key: that of the answer meant; another one than the last is refused. The same again changes nothing.
    Raises: Refused.
    """
    sitting = _lock(sitting)
    first = first_answers(sitting).filter(item=OuterRef("item"), pk__lt=OuterRef("pk"))
    given = sitting.answers.filter(turn=1).select_related("item").order_by("-given_at", "-pk")
    last = given.filter(Q(taken_back_at=None) | Exists(first)).first()
    if key is not None and (last is None or last.key != key):
        gone = given.filter(key=key, taken_back_at__isnull=False).first()
        if gone is not None and answer_before(gone) is None:
            return gone
        last = None
    if sitting.handed_in_at is not None:
        raise Refused(_("You have handed in your exam: its grades stand."))
    if last is None:
        raise Refused(_("There is nothing to take back."))
    last = answer_before(last) or last
    last.taken_back_at = timezone.now()
    last.save(update_fields=["taken_back_at"])
    return last


@transaction.atomic
def hand_in(*, sitting: ExamSitting) -> None:
    """Hand in the exam: its grades are final. Repeating it changes nothing.

    Raises: Refused while items are left.
    """
    sitting = _lock(sitting)
    left = len(items_left(sitting))
    if left:
        sentence = ngettext(
            "%(count)s clip is still to be judged before you can hand in.",
            "%(count)s clips are still to be judged before you can hand in.",
            left,
        )
        raise Refused(sentence % {"count": left})
    if sitting.handed_in_at is None:
        sitting.handed_in_at = timezone.now()
        sitting.save(update_fields=["handed_in_at"])
        if sitting.exam.frozen_at is not None:
            _screen([sitting])


@transaction.atomic
def close_cohort(*, exam: Exam, expected: int | None = None) -> int:
    """Freeze each item's truth: the median over all applicants who have handed in. Returns their number.

    Who hasn't handed in holds up nobody: they are compared with the truth later. Repeating it changes nothing.

    Args: expected: how many had handed in when the lead said yes to it, where a person was asked.
    Raises: Refused if fewer than two have handed in, or others than expected.
    """
    exam = Exam.objects.select_for_update().get(pk=exam.pk)
    if exam.frozen_at is not None:
        return exam.sittings.filter(cohort=True).count()
    # Locked, so that nobody hands in between this look and the freezing.
    sittings = exam.sittings.select_for_update().filter(set_aside_at=None).order_by("pk")
    done = [sitting for sitting in sittings if sitting.handed_in_at]
    if len(done) < FEWEST:
        raise Refused(
            _("%(count)s of at least %(fewest)s have handed in: the truth needs the grades of more than one person.")
            % {"count": len(done), "fewest": FEWEST}
        )
    if expected is not None and len(done) != expected:
        sentence = _("%(count)s have handed in by now, not %(expected)s. Look again before you close it.")
        raise Refused(sentence % {"count": len(done), "expected": expected})
    grades: dict[int, list[int]] = {}
    answers = ExamAnswer.objects.filter(sitting__in=done, turn=1, taken_back_at__isnull=True)
    for item_id, grade in answers.values_list("item_id", "grade"):
        grades.setdefault(item_id, []).append(grade)
    items = list(exam.items.all())
    for item in items:
        item.truth = median(grades[item.pk], exam.collection.top_grade)
    ExamItem.objects.bulk_update(items, ["truth"])
    ExamSitting.objects.filter(pk__in=[sitting.pk for sitting in done]).update(cohort=True)
    exam.frozen_at = timezone.now()
    exam.save(update_fields=["frozen_at"])
    exam_compared(exam)
    _screen(done)
    return len(done)


def _screen(sittings: Sequence[ExamSitting]) -> None:
    """Decide about those whose recruitment says how many of their first grades may be out."""
    live = RecruitSession.objects.filter(ended_at=None, recruitment__most_out__isnull=False)
    by_person = {sitting.applicant_id: sitting for sitting in sittings}
    for session in live.filter(recruit__member__in=by_person).select_related(
        "recruitment", "recruit__member__collection"
    ):
        member, most = session.recruit.member, session.recruitment.most_out or 0
        if member.status == Membership.Status.APPLICANT:
            answers = first_answers(by_person[member.pk]).values_list("grade", "item__truth")
            graded = [(grade, truth) for grade, truth in answers if truth is not None]
            out = share_out(graded, unit_of(member.collection.top_grade))
            decide_applicant(member=member, admit=100 * (out or 0.0) <= most)


@dataclass(frozen=True, slots=True)
class ItemFeedback:
    """An item with a person's first and newest grade; `first` and `now` compare them with the truth."""

    item: ExamItem
    clip: str | None
    first: Feedback
    now: Feedback


def exam_feedback(sitting: ExamSitting) -> list[ItemFeedback]:
    """An applicant's feedback: items that are out first, then those that were out. Empty before the truth is frozen.

    There is none before the exam is handed in and the truth frozen.
    """
    if sitting.handed_in_at is None or sitting.exam.frozen_at is None:
        return []
    first: dict[int, int] = {}
    newest: dict[int, int] = {}
    answers = sitting.answers.filter(taken_back_at__isnull=True).order_by("turn")
    for item_id, turn, grade in answers.values_list("item_id", "turn", "grade"):
        newest[item_id] = grade
        if turn == 1:
            first[item_id] = grade
    rows, unit = [], unit_of(sitting.exam.collection.top_grade)
    for item in _own_order(sitting):
        assert item.truth is not None
        rows.append(
            ItemFeedback(
                item,
                item.moment.clip_name,
                Feedback(first[item.pk], item.truth, item.why, unit),
                Feedback(newest[item.pk], item.truth, item.why, unit),
            )
        )
    return sorted(rows, key=lambda row: (not row.now.out, not row.first.out))


@transaction.atomic
def judge_again(
    *,
    sitting: ExamSitting,
    item_id: uuid.UUID,
    grade: int,
    key: uuid.UUID,
    played: float | None,
    said: SaidTime | None = None,
) -> Feedback:
    """Grade an item again that was out; it stays out until a grade is within 1 of the truth. `said` as in the exam.

    Raises: Refused before there is feedback, or if the item is in consensus already.
    """
    sitting = _lock(sitting)
    row = next((row for row in exam_feedback(sitting) if row.item.public_id == item_id), None)
    if row is None:
        raise Refused(_("There is no feedback on that clip."))
    if sitting.answers.filter(key=key).exists():
        return row.now
    if not row.now.out:
        raise Refused(_("Your grade of that clip is in consensus already."))
    refuse_bad_grade(sitting.exam.collection, grade, played)
    turns = sitting.answers.filter(item=row.item).count() + 1
    work = _work(sitting, row.item, said)
    ExamAnswer.objects.create(sitting=sitting, item=row.item, turn=turns, grade=grade, key=key, played=played, **work)
    return Feedback(grade, row.now.truth, row.item.why, row.now.unit)


def _lock(sitting: ExamSitting) -> ExamSitting:
    sittings = ExamSitting.objects.select_for_update(of=("self",)).select_related(
        "exam__collection", "applicant__collection"
    )
    return sittings.get(pk=sitting.pk)


def _work(sitting: ExamSitting, item: ExamItem, said: SaidTime | None) -> dict[str, Any]:
    return work_on(member=sitting.applicant, moment_id=item.moment_id, said=said)


@transaction.atomic
def decide_applicant(*, member: Membership, admit: bool) -> None:
    """Admit an applicant to judging, or decline; either can be reversed later.

    Raises: Refused for somebody who is neither an applicant nor was decided about.
    """
    decided = Membership.Status.ADMITTED if admit else Membership.Status.DECLINED
    decidable = Q(status__in=[Membership.Status.APPLICANT, Membership.Status.DECLINED, decided])
    people = Membership.objects.filter(decidable, pk=member.pk, role=Membership.Role.ANNOTATOR)
    changed = people.exclude(status=decided).update(status=decided)
    if not changed and not people.exists():
        sentence = _("%(worker)s is %(status)s, not waiting for your decision.")
        raise Refused(sentence % {"worker": member.worker, "status": member.get_status_display()})
    carry_to_studies(member)
    if not admit:
        ended = {"ended_at": Now(), "outcome": RecruitSession.Outcome.SCREENED}
        RecruitSession.objects.filter(recruit__member=member, ended_at=None).update(**ended)
    if changed:
        place_changed(member)
