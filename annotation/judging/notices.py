"""Notices from a lead to annotators, and annotators' questions about a pair."""

import uuid
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from annotation.assignment.seat_sql import lock_member
from annotation.assignment.slipped_in import slipped_in_as
from annotation.judging.mails import ANSWER, NOTICE
from annotation.models import Notice, NoticeRead, Pair, Question, Seat
from annotation.shown_pair import ShownPair
from foundation.mail.outbox import tell
from foundation.models import Collection, Membership
from foundation.refused import Refused

LONGEST = 2000


class NoticeRefused(Refused):
    """The notice or question is refused; the message says why, and nothing was changed."""


@transaction.atomic
def post_notice(*, lead: Membership, text: str, annotator_id: int | None = None) -> Notice:
    """Post a notice to one annotator or all, shown on their pages until dismissed.

    Raises: NoticeRefused for no text, more than LONGEST characters, or nobody of that number who judges here.
    """
    text = _text(text)
    annotator = None
    if annotator_id is not None:
        annotator = _annotators(lead.collection).filter(pk=annotator_id).first()
        if annotator is None:
            raise NoticeRefused(_("There is no annotator of that number in this collection."))
    notice = Notice.objects.create(collection=lead.collection, annotator=annotator, text=text, made_by=lead)
    people = reachable(lead.collection) if annotator is None else [annotator]
    tell(NOTICE, [person.account_id for person in people], collection=lead.collection, notice=notice.pk)
    return notice


def withdraw_notice(*, lead: Membership, notice_id: int) -> None:
    """Withdraw a notice, so that it is no longer shown. Repeating it changes nothing."""
    lead.collection.notices.filter(pk=notice_id, withdrawn_at__isnull=True).update(withdrawn_at=timezone.now())


def read_notice(*, member: Membership, notice_id: int) -> None:
    """Mark a notice as read by the annotator. Repeating it changes nothing, nor does another's notice."""
    if _for(member).filter(pk=notice_id).exists():
        NoticeRead.objects.get_or_create(notice_id=notice_id, annotator=member)


@transaction.atomic
def ask_question(*, member: Membership, pair_id: uuid.UUID, text: str) -> Question:
    """Ask the lead about a pair of one of the annotator's seats. The pair may be judged meanwhile.

    A second question about the same pair takes the place of the open one.

    Raises: Refused if the pair isn't the annotator's; NoticeRefused for no text or too much.
    """
    text = _text(text)
    # A hidden repeat or gold is asked about as any other pair: a refusal would tell it.
    repeat = slipped_in_as(member, pair_id)
    pair = repeat.pair if repeat is not None else Pair.objects.filter(public_id=pair_id).first()
    sat = repeat is not None or Seat.objects.filter(batch__pairs=pair, annotator=member).exists()
    if pair is None or not sat:
        raise Refused(_("This clip isn't yours to ask about. Reload the page to go on."))
    asked, _created = Question.objects.update_or_create(
        pair=pair, annotator=member, answered_at=None, defaults={"text": text, "asked_at": lock_member(member)}
    )
    return asked


@transaction.atomic
def answer_question(*, lead: Membership, question_id: int, answer: str) -> Question:
    """Answer a question; only the person who asked sees the answer.

    Raises: NoticeRefused for no answer, one that is too long, or a question that was answered otherwise already.
    """
    answer = _text(answer)
    questions = Question.objects.select_for_update(of=("self",))
    question = questions.filter(pk=question_id, annotator__collection=lead.collection).first()
    if question is None:
        raise NoticeRefused(_("There is no such question in this collection."))
    if question.answered_at is not None:
        if question.answer == answer:
            return question
        raise NoticeRefused(_("This question was answered already; send a notice to add more."))
    question.answer, question.answered_by, question.answered_at = answer, lead, timezone.now()
    question.save(update_fields=["answer", "answered_by", "answered_at"])
    tell(ANSWER, [question.annotator.account_id], collection=lead.collection, question=question.pk)
    return question


def read_answer(*, member: Membership, question_id: int) -> None:
    """Mark the answer to the annotator's question as read."""
    member.questions.filter(pk=question_id, answered_at__isnull=False, read_at__isnull=True).update(
        read_at=timezone.now()
    )


def unread_notices(member: Membership) -> list[dict[str, Any]]:
    """Undismissed notices and answers: `id` (notice-N or question-N), `text`, `address` to dismiss it. Two SQL queries.

    Nothing of anybody else: notices to this person or to all, and answers to their own questions.
    """
    read = NoticeRead.objects.filter(notice=OuterRef("pk"), annotator=member)
    notices = _for(member).filter(~Exists(read)).order_by("pk").values_list("pk", "text")
    answers = member.questions.filter(answered_at__isnull=False, read_at__isnull=True).order_by("pk")
    name = member.collection.name
    return [
        {"id": f"notice-{pk}", "text": text, "address": reverse("notice-read", args=[name, pk])} for pk, text in notices
    ] + [
        {
            "id": f"question-{question.pk}",
            "text": _("You asked: “%(question)s” The lead: %(answer)s")
            % {"question": _short(question.text), "answer": question.answer},
            "address": reverse("question-read", args=[name, question.pk]),
        }
        for question in answers
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPair(ShownPair):
    """A question with what the lead needs to answer it."""

    question: Question
    caption: str | None


def questions_of(collection: Collection, *, answered: bool) -> list[AskedPair]:
    """Open questions, oldest first; or the last 50 answered, newest first. One SQL query."""
    rows = Question.objects.filter(annotator__collection=collection, answered_at__isnull=not answered).select_related(
        *("annotator", "answered_by", "pair__batch__query"),
        *("pair__candidate__moment__clip", "pair__candidate__moment__video"),
    )
    return [
        AskedPair.of(question.pair, question=question, caption=question.pair.candidate.caption_text or None)
        for question in (rows.order_by("-answered_at", "-pk")[:50] if answered else rows.order_by("pk"))
    ]


def notices_of(collection: Collection) -> QuerySet[Notice]:
    """The last 100 notices, current ones first, newest first; `read_by`: how many dismissed it."""
    return (
        collection.notices.select_related("annotator", "made_by")
        .prefetch_related("reads__annotator")
        .annotate(read_by=Count("reads"))
        .order_by("-withdrawn_at", "-pk")[:100]
    )


def reachable(collection: Collection) -> QuerySet[Membership]:
    """Annotators who can get a notice, with their accounts, by worker id. One SQL query."""
    people = _annotators(collection).exclude(status__in=["barred", "declined"])
    return people.select_related("account").order_by("worker")


def _annotators(collection: Collection) -> QuerySet[Membership]:
    return collection.memberships.filter(role=Membership.Role.ANNOTATOR, account__isnull=False)


def _for(member: Membership) -> QuerySet[Notice]:
    mine = Q(annotator=member) | Q(annotator__isnull=True)
    return Notice.objects.filter(mine, collection_id=member.collection_id, withdrawn_at__isnull=True)


def _short(text: str) -> str:
    return text if len(text) <= 120 else text[:119] + "…"


def _text(text: str) -> str:
    text = " ".join(text.split())
    if not text or len(text) > LONGEST or "\x00" in text:
        lengths = {
            "found": number_format(len(text), force_grouping=True),
            "most": number_format(LONGEST, force_grouping=True),
        }
        raise NoticeRefused(_("Found %(found)s characters, expected 1 to %(most)s.") % lengths)
    return text
