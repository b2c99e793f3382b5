"""Sessions as the lead sees them and approves them: the platform's ids, time, work, exam, alerts, what is due."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from annotation.assignment.session_targets import with_work
from annotation.models import ExamAnswer, Recruitment, RecruitSession
from annotation.people.gold_answers import gold_errors
from annotation.people.people_figures import NAME, alerts_by_person
from annotation.precomputed import computed_or_ask
from annotation.qualification.exam_rule import share_out
from annotation.recruiting.approval import SessionRow, amount_due, suggested
from evaluation.judgments.grade_classes import unit_of
from foundation.infra.list_pages import Order
from foundation.models import Collection, Membership

NEWEST = Order(("-pk",))
Outcome = RecruitSession.Outcome


def sessions_of(collection: Collection, recruitment: Recruitment) -> QuerySet[Any]:
    """A recruitment's sessions, as `with_work` tells them."""
    return with_work(RecruitSession.objects.filter(recruitment=recruitment, recruitment__collection=collection))


def session_rows(collection: Collection, sessions: Sequence[RecruitSession]) -> list[SessionRow]:
    """What is told of sessions that come from `sessions_of`. A few SQL queries, however many they are."""
    alerts = alerts_by_person(collection, computed_or_ask(collection=collection, name=NAME).value)
    members = [session.recruit.member_id for session in sessions]
    out, gold = _shares_out(members, unit_of(collection.top_grade)), gold_errors(members)
    near = collection.largest_difference
    return [_row(session, alerts, out, _errors_during(session, gold), near) for session in sessions]


def _shares_out(members: list[int], unit: int) -> dict[int, float | None]:
    """The part of each person's first exam grades that was out, where the exam's truth is known."""
    grades: dict[int, list[tuple[int, float]]] = {}
    answers = ExamAnswer.objects.filter(
        sitting__applicant__in=members,
        sitting__set_aside_at=None,
        sitting__handed_in_at__isnull=False,
        turn=1,
        taken_back_at=None,
        item__truth__isnull=False,
    )
    for member, grade, truth in answers.values_list("sitting__applicant", "grade", "item__truth"):
        grades.setdefault(member, []).append((grade, truth or 0.0))
    return {member: share_out(pairs, unit) for member, pairs in grades.items()}


def _errors_during(session: Any, gold: dict[int, list[tuple[datetime, int]]]) -> list[int]:
    until = session.ended_at or timezone.now()
    return [error for at, error in gold.get(session.recruit.member_id, []) if session.entered_at <= at <= until]


def _row(
    session: Any,
    alerts: dict[int, list[Any]],
    out: dict[int, float | None],
    errors: list[int],
    near: int,
) -> SessionRow:
    asked, member = session.recruitment, session.recruit.member
    told = tuple(str(alert.name) for alert in alerts.get(member.pk, []))
    complete = session.outcome in (Outcome.COMPLETE, Outcome.SHORT)
    due = max(asked.reward, earned(asked, session)) if complete else None
    return SessionRow(
        recruitment=asked.name,
        platform=asked.platform,
        person=session.recruit.person,
        session=session.session,
        study=session.study,
        worker=member.worker,
        entered=_moment(session.entered_at),
        ended=_moment(session.ended_at),
        outcome=session.outcome,
        minutes=session.minutes,
        paid_minutes=session.worked / 60,
        judgments=session.judged,
        exam_out=out.get(member.pk),
        gold=len(errors),
        gold_within=sum(abs(error) <= near for error in errors),
        alerts=told,
        code=code_of(session),
        suggestion=suggested(
            session.outcome,
            alerts=[*told, *(["nothing judged"] if session.outcome == Outcome.SHORT and not session.judged else [])],
            barred=member.status == Membership.Status.BARRED,
        ),
        due=due,
        reward=asked.reward if complete else None,
        bonus=None if due is None else due - asked.reward,
        currency=asked.currency,
    )


def earned(asked: Recruitment, session: Any) -> Decimal:
    """What the session's work comes to by the recruitment's rate."""
    return amount_due(asked.paid_by, asked.rate, judgments=session.judged, minutes=session.minutes)


def _moment(moment: Any) -> str:
    return "" if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def code_of(session: RecruitSession) -> str:
    """The code that the session's end shows; "" for none."""
    if session.outcome in (Outcome.COMPLETE, Outcome.SHORT):
        return session.recruitment.code
    return session.recruitment.screened_code if session.outcome == Outcome.SCREENED else ""
