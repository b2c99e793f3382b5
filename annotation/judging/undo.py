"""Undo an annotator's last answer: a judgment or a hidden repeat."""

import uuid
from datetime import datetime

from django.db import transaction

from annotation.assignment.hidden_repeats import newest_answer, take_back_repeat
from annotation.assignment.seat_sql import lock_member
from annotation.judging.judgments import take_back_last
from corpus.models import Membership


@transaction.atomic
def take_back_newest(*, member: Membership, key: uuid.UUID | None = None) -> uuid.UUID:
    """Take back the newest answer, or only the one with `key`. Returns the public id under which the task comes again.

    Raises: JudgmentRefused, saying why it stands.
    """
    now = lock_member(member)
    answer = newest_answer(member, key)
    if answer is not None and (key is not None or _is_newest(member, answer.given_at)):
        return take_back_repeat(answer=answer, member=member, now=now)
    return take_back_last(member=member, key=key).pair.public_id


def _is_newest(member: Membership, given_at: datetime) -> bool:
    return not member.judgments.filter(counted=True, given_at__gt=given_at).exists()
