"""How far somebody whom a platform sent is in their session, and whether it is complete: then they get no more work."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Q, Sum

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


def live_session(member: Membership) -> RecruitSession | None:
    """The session that goes on."""
    return RecruitSession.objects.select_related("recruitment").filter(recruit__member=member, ended_at=None).first()


def standing_of(member: Membership, session: RecruitSession) -> Standing:
    """How far the member is in their live session. Hidden repeats count: a figure that stood still would tell them."""
    asked = session.recruitment
    if asked.until == Until.SCREENING:
        handed_in = ExamSitting.objects.filter(applicant=member, set_aside_at=None, handed_in_at__isnull=False)
        return Standing(asked.until, int(handed_in.exists()), 1)
    amount = asked.amount or 0
    if asked.until == Until.MINUTES:
        done = int(seconds_worked(member, session.entered_at) // 60)
    else:
        done = judged(member, session.entered_at)
    if asked.most_judgments is None:
        return Standing(asked.until, done, amount)
    # What one person may judge at all completes a session as well.
    room = asked.most_judgments - judged(member, None, session.entered_at)
    if asked.until == Until.JUDGMENTS:
        return Standing(asked.until, done, min(amount, max(0, room)))
    return Standing(asked.until, done, amount if judged(member, session.entered_at) < room else done)


def has_no_more_work(member: Membership) -> bool:
    """Whether somebody whom a platform sent is done for now: without a session, or with a complete one."""
    session = live_session(member)
    return session is None or standing_of(member, session).complete


def judged(member: Membership, since: datetime | None, until: datetime | None = None) -> int:
    """Judgments saved from one moment to another, hidden repeats included, without what was taken back."""
    saved = _between("given_at", since, until)
    kinds = ((Judgment, Judgment.TOLD), (RepeatAnswer, Q(taken_back_at=None)))
    return sum(
        kind._default_manager.filter(shown, saved, annotator=member).aggregate(number=Count("pk"))["number"]
        for kind, shown in kinds
    )


def seconds_worked(member: Membership, since: datetime | None, until: datetime | None = None) -> float:
    """Seconds at work from one moment to another, training and exam included."""
    saved = _between("given_at", since, until)
    kinds: tuple[tuple[Any, str], ...] = (
        (Judgment, "annotator"),
        (RepeatAnswer, "annotator"),
        (PracticeAnswer, "annotator"),
        (ExamAnswer, "sitting__applicant"),
    )
    return sum(
        kind.objects.filter(saved, **{person: member}).aggregate(worked=Sum("active_seconds"))["worked"] or 0.0
        for kind, person in kinds
    )


def _between(moment: str, since: datetime | None, until: datetime | None) -> Q:
    begins = Q() if since is None else Q(**{f"{moment}__gte": since})
    return begins if until is None else begins & Q(**{f"{moment}__lte": until})
