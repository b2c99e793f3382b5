"""What tests of judging say over and over: sit down, judge, let the seats run out."""

import uuid
from datetime import timedelta
from typing import Any

from django.utils import timezone

from annotation.assignment.next_tasks import next_tasks
from annotation.judging.judgments import JudgmentResult, give_judgment
from annotation.judging.requests import NewJudgment
from annotation.models import Pair, Seat
from foundation.models import Membership


def sit(*people: Membership) -> None:
    """Each asks for work."""
    for member in people:
        next_tasks(member=member)


def graded(pair: uuid.UUID | str, grade: int, **more: Any) -> NewJudgment:
    """A judgment as it is sent, with a key of its own or with the one given."""
    return NewJudgment.model_validate({"pair": pair, "grade": grade, "key": uuid.uuid4(), **more})


def judge(member: Membership, pair: Pair, grade: int, **more: Any) -> JudgmentResult:
    """A judgment given."""
    return give_judgment(member=member, sent=graded(pair.public_id, grade, **more))


def let_seats_expire(**which: object) -> None:
    """The silence is over the limit, for all seats or some."""
    Seat.objects.filter(**which).update(expires_at=timezone.now() - timedelta(seconds=1))
