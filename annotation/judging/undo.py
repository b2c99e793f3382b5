"""Undo what an annotator did last: a judgment, a hidden repeat's answer, a flag or a question."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.assignment.seat_sql import lock_member
from annotation.assignment.slipped_in import (
    newest_answer,
    reopen_task,
    slipped_in_as,
    slipped_in_spoken_of,
    take_back_answer,
)
from annotation.batches.missing_clips import UNDECIDED
from annotation.judging.judgments import newest_judgment, reopen_seat, take_back_last
from annotation.models import Batch, Flag, Pair, Question
from foundation.models import Membership
from foundation.refused import Refused


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What was taken back, a question counting as a flag, and the public id under which its task comes again."""

    what: Literal["grade", "flag"]
    pair: uuid.UUID


@transaction.atomic
def take_back_newest(
    *, member: Membership, key: uuid.UUID | None = None, flagged: uuid.UUID | None = None
) -> TakenBack:
    """Take back what was done last; only the grade with `key`; or only what was said of the task `flagged`.

    A page that doesn't know whether its undo arrived may send the last two again.

    Raises: Refused, saying why it stands.
    """
    now = lock_member(member)
    judgment = answer = raised = None
    if key is None:
        raised = _newest_flag(member, flagged)
    if flagged is None:
        answer = newest_answer(member, key)
    if key is None and flagged is None:
        judgment = newest_judgment(member)
    graded_at = max((given.given_at for given in (judgment, answer) if given is not None), default=None)
    if raised is not None and (graded_at is None or graded_at < _said_at(raised)):
        return TakenBack("flag", _take_back_flag(raised, member, now))
    if flagged is not None:
        return TakenBack("flag", flagged)
    if answer is not None and (judgment is None or judgment.given_at <= answer.given_at):
        return TakenBack("grade", take_back_answer(answer=answer, member=member, now=now))
    return TakenBack("grade", take_back_last(member=member, key=key).pair.public_id)


def _newest_flag(member: Membership, flagged: uuid.UUID | None) -> Flag | Question | None:
    """The newest flag or question of an annotator, or of those about one task; answered ones too, which stand."""
    about: dict[str, Any] = {}
    if flagged is not None:
        repeat = slipped_in_as(member, flagged)
        about = {"pair__public_id": flagged} if repeat is None else {"pair": repeat.pair_id}
    flag = member.flags.exclude(answered_by=member).filter(**about).order_by("-raised_at").first()
    question = member.questions.filter(**about).order_by("-asked_at").first()
    return max((raised for raised in (flag, question) if raised is not None), key=_said_at, default=None)


def _said_at(raised: Flag | Question) -> datetime:
    return raised.raised_at if isinstance(raised, Flag) else raised.asked_at


def _take_back_flag(raised: Flag | Question, member: Membership, now: datetime) -> uuid.UUID:
    """Drop what the lead hasn't answered; its task comes again. Returns the task's public id. The member is locked."""
    Batch.objects.select_for_update(no_key=True).get(pairs=raised.pair_id)
    pair = Pair.objects.get(pk=raised.pair_id)
    if not type(raised)._default_manager.filter(pk=raised.pk, answered_at=None).delete()[0]:
        raise Refused(_("That stands: the lead has answered it."))
    repeat = slipped_in_spoken_of(member, pair.pk, _said_at(raised))
    if repeat is not None:
        reopen_task(repeat=repeat, member=member)
        return repeat.public_id
    if pair.status in UNDECIDED:
        reopen_seat(member, pair, now)
    return pair.public_id
