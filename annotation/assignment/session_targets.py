"""How far somebody whom a platform sent is in their session, and whether it is complete: then they get no more work."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, FloatField, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce, Now

from annotation.models import (
    ExamAnswer,
    ExamSitting,
    Judgment,
    PracticeAnswer,
    Recruitment,
    RecruitSession,
    RepeatAnswer,
)
from foundation.models import Membership

Until = Recruitment.Until
JUDGED = ((Judgment, Judgment.TOLD), (RepeatAnswer, Q(taken_back_at=None)))
"""What counts as judged. Hidden repeats do: a figure that stood still would tell them."""
WORK = (
    (Judgment, "annotator"),
    (RepeatAnswer, "annotator"),
    (PracticeAnswer, "annotator"),
    (ExamAnswer, "sitting__applicant"),
)
DURING = {"given_at__gte": OuterRef("entered_at"), "given_at__lte": Coalesce(OuterRef("ended_at"), Now())}


@dataclass(frozen=True, slots=True)
class Standing:
    """What is done of what completes a session, in its unit: judgments, whole minutes, or exams (of one)."""

    until: str
    done: int
    wanted: int

    @property
    def left(self) -> int:
        return max(0, self.wanted - self.done)

    @property
    def complete(self) -> bool:
        return not self.left


def with_work(sessions: QuerySet[RecruitSession]) -> QuerySet[Any]:
    """Sessions, each with `judged` and `worked`, clips and seconds (with training) saved during it, and `ever`, clips
    that the person has judged at all; with recruitment and person. One SQL query."""
    told = sessions.select_related("recruitment", "recruit__member").defer("recruitment__known")
    return told.annotate(
        judged=sum((_figure(kind, shown & Q(**DURING), Count("pk")) for kind, shown in JUDGED), start=Value(0)),
        ever=sum((_figure(kind, shown, Count("pk")) for kind, shown in JUDGED), start=Value(0)),
        worked=sum(
            (_figure(kind, Q(**DURING), Sum("active_seconds"), person) for kind, person in WORK),
            start=Value(0.0, FloatField()),
        ),
    )


def _figure(kind: Any, shown: Q, figure: Count | Sum, person: str = "annotator") -> Any:
    """A subquery's figure of what a session's person saved, 0 for none."""
    number: IntegerField[Any, Any] | FloatField[Any, Any]
    number = IntegerField() if isinstance(figure, Count) else FloatField()
    rows = kind.objects.filter(shown, **{person: OuterRef("recruit__member")}).order_by()
    grouped = rows.values(whose=F(person)).annotate(figure=figure).values("figure")
    return Coalesce(Subquery(grouped, output_field=number), Value(0, output_field=number))


def live_session(member: Membership) -> Any:
    """The session that goes on, as `with_work` tells it; None for none."""
    return with_work(RecruitSession.objects.filter(recruit__member=member, ended_at=None)).first()


def standing_of(session: Any) -> Standing:
    """How far the person is in a live session, which comes from `live_session`."""
    asked = session.recruitment
    if asked.until == Until.SCREENING:
        exams = ExamSitting.objects.filter(applicant=session.recruit.member_id, set_aside_at=None)
        return Standing(asked.until, int(exams.filter(handed_in_at__isnull=False).exists()), 1)
    done = session.judged if asked.until == Until.JUDGMENTS else int(session.worked // 60)
    if asked.most_judgments is None:
        return Standing(asked.until, done, asked.amount)
    # What one person may judge at all completes a session as well.
    room = max(0, asked.most_judgments - session.ever + session.judged)
    if asked.until == Until.JUDGMENTS:
        return Standing(asked.until, done, min(asked.amount, room))
    return Standing(asked.until, done, asked.amount if session.judged < room else min(asked.amount, done))


def has_no_more_work(member: Membership) -> bool:
    """Whether somebody whom a platform sent is done for now: without a session, or with a complete one."""
    session = live_session(member)
    return session is None or standing_of(session).complete
