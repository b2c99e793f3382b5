"""Pairs slipped in among somebody's work, whose answers never count: repeats (`hidden_repeats.py`), gold (`gold.py`).

They are stored apart from judgments and so enter neither consensus nor exports nor any constraint. To the annotator
one is like any other pair. They are slipped in when a seat is taken, the one step of judging that may take its time;
while one waits, `Membership.repeat_waits` leads the next requests the same way, and the fast one stays as it is.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.assignment.gold import due_gold
from annotation.assignment.hidden_repeats import due_repeats
from annotation.assignment.seat_sql import lock_member
from annotation.models import Repeat, RepeatAnswer
from foundation.models import Collection, Membership
from foundation.refused import Refused


@dataclass(frozen=True, slots=True)
class SlippedIn:
    """A repeat or gold to be judged: `pair` is its own public id; it comes before the pairs of `before_batch`."""

    pair: str
    query: str
    narrative: str
    medium: str | None
    clip: str | None
    content: list[str]
    before_batch: int | None


def slip_in(*, member: Membership, taken: Sequence[tuple[int, int]], now: datetime) -> None:
    """Slip in what is due among the pairs of an annotator who takes seats; nothing while something waits still.

    Args: taken: (batch, pairs there) of each seat. The member is locked by whoever gives the seats.
    """
    if not gives_any(member.collection) or _waiting(member).exists():
        return
    for batch, pairs in taken:
        for due in (due_repeats, due_gold):
            Repeat.objects.bulk_create(due(member=member, batch_id=batch, pairs=pairs, now=now))


def gives_any(collection: Collection) -> bool:
    """Whether anything is slipped in among the collection's work."""
    return collection.repeat_share > 0 or collection.gold_share > 0


def waiting_tasks(member: Membership) -> list[SlippedIn]:
    """What is slipped in and waits for the annotator, oldest first. One SQL query; none unless there can be any."""
    if not (member.repeat_waits or gives_any(member.collection)):
        return []
    shown = ("pair__batch__query__medium", "pair__candidate__moment__clip", "pair__candidate__moment__video")
    repeats = _waiting(member).select_related(*shown).order_by("pk")
    waiting = [
        SlippedIn(
            pair=str(repeat.public_id),
            query=repeat.pair.batch.query.words,
            narrative=repeat.pair.batch.query.narrative,
            medium=repeat.pair.batch.query.shown_medium,
            clip=repeat.pair.candidate.moment.clip_name,
            content=repeat.pair.candidate.moment.video.content,
            before_batch=repeat.before_batch_id,
        )
        for repeat in repeats
    ]
    _note(member, bool(waiting))
    return waiting


def _waiting(member: Membership) -> QuerySet[Repeat]:
    """What waits for them, but for videos that they avoid: these keep nothing else from being slipped in."""
    return Repeat.objects.filter(
        annotator=member, closed_at=None, pair__candidate__moment__video__minimum_age__lte=member.age
    ).exclude(pair__candidate__moment__video__content__overlap=member.avoids)


def slipped_in_as(member: Membership, public_id: uuid.UUID) -> Repeat | None:
    """The annotator's own repeat of this id, answered or not."""
    repeats = Repeat.objects.filter(annotator=member, public_id=public_id)
    return repeats.select_related("pair__candidate", "pair__batch").first()


def was_used_elsewhere(member: Membership, key: uuid.UUID, public_id: uuid.UUID) -> bool:
    """Whether the annotator's key belongs to the answer to something else that was slipped in."""
    return RepeatAnswer.objects.filter(annotator=member, key=key).exclude(repeat__public_id=public_id).exists()


@transaction.atomic
def keep_answer(
    *,
    repeat: Repeat,
    member: Membership,
    grade: int,
    key: uuid.UUID,
    played: float | None,
    factors: Mapping[str, int | None] | None,
    active_seconds: float | None,
    used: list[str] | None,
    decided_at: datetime,
    now: datetime,
) -> RepeatAnswer | None:
    """Keep the grade given the second time; where one stands already, as taken back. None: the key was used."""
    lock_member(member)
    repeat = Repeat.objects.select_for_update().get(pk=repeat.pk)
    if RepeatAnswer.objects.filter(annotator=member, key=key).exists():
        return None
    answer = RepeatAnswer.objects.create(
        repeat=repeat,
        annotator=member,
        grade=grade,
        key=key,
        played=played,
        factors=factors,
        active_seconds=active_seconds,
        used=used,
        decided_at=decided_at,
        given_at=now,
        taken_back_at=now if repeat.answers.filter(taken_back_at=None).exists() else None,
    )
    _close(repeat, member, now)
    return answer


def standing_before(answer: RepeatAnswer) -> RepeatAnswer | None:
    """The answer that stands, and stood when this one was given."""
    return RepeatAnswer.objects.filter(repeat=answer.repeat_id, taken_back_at=None, pk__lt=answer.pk).first()


def close_flagged(*, repeat: Repeat, member: Membership, now: datetime) -> None:
    """Close a repeat that the annotator flagged: it doesn't come again."""
    if repeat.closed_at is None:
        _close(repeat, member, now)


def slipped_in_spoken_of(member: Membership, pair_id: int, at: datetime) -> Repeat | None:
    """The annotator's repeat of a pair, where what was said of the pair `at` that time was said of the repeat."""
    return Repeat.objects.filter(annotator=member, pair=pair_id, slipped_in_at__lte=at).first()


def newest_answer(member: Membership, key: uuid.UUID | None) -> RepeatAnswer | None:
    """The answer with this key, taken back or not; without a key the newest that stands or is second to one."""
    answers = RepeatAnswer.objects.filter(annotator=member).select_related("repeat")
    if key is not None:
        return answers.filter(key=key).first()
    first = RepeatAnswer.objects.filter(repeat=OuterRef("repeat"), taken_back_at=None, pk__lt=OuterRef("pk"))
    return answers.filter(Q(taken_back_at=None) | Exists(first)).order_by("-given_at", "-pk").first()


def take_back_answer(*, answer: RepeatAnswer, member: Membership, now: datetime) -> uuid.UUID:
    """Take back a repeat's answer, of a second one that which stands: it is kept, the repeat comes again.

    Returns: the repeat's public id. The member is locked.
    """
    stands = standing_before(answer) or answer
    if stands.told_at is not None:
        raise Refused(_("Your last grade stands: you were told the known one."))
    if RepeatAnswer.objects.filter(pk=stands.pk, taken_back_at=None).update(taken_back_at=now):
        reopen_task(repeat=answer.repeat, member=member)
    return answer.repeat.public_id


def reopen_task(*, repeat: Repeat, member: Membership) -> None:
    """Have a repeat that no answer stands for come again, first of all. The member is locked."""
    if repeat.answers.filter(taken_back_at=None).exists():
        return
    Repeat.objects.filter(pk=repeat.pk).update(closed_at=None, before_batch=None)
    _note(member, True)


def _close(repeat: Repeat, member: Membership, now: datetime) -> None:
    Repeat.objects.filter(pk=repeat.pk).update(closed_at=now)
    _note(member, Repeat.objects.filter(annotator=member, closed_at=None).exists())


def _note(member: Membership, waits: bool) -> None:
    if member.repeat_waits != waits:
        Membership.objects.filter(pk=member.pk).update(repeat_waits=waits)
        member.repeat_waits = waits
