"""Hidden repeats: a small part of what somebody judged comes again after days, and tells how far they agree with
themselves.

They are stored apart from judgments and so enter neither consensus nor exports nor any constraint. To the annotator
one is like any other pair. They are slipped in when a seat is taken, the one step of judging that may take its time;
while one waits, `Membership.repeat_waits` leads the next requests the same way, and the fast one stays as it is.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import Exists, Min, OuterRef, Q

from annotation.assignment.hidden_repeat_rule import dice, repeats_due
from annotation.assignment.seat_sql import lock_member
from annotation.assignment.suited_sql import SUITED, suiting
from annotation.models import Judgment, Repeat, RepeatAnswer
from foundation.models import Membership

LOOKED_AT = 40
"""Judgments among which repeats are chosen: so many before and after a moment drawn by lot, so that it costs the same
after a hundred judgments and after a hundred thousand."""

_REPEATABLE = f"""
SELECT j.id, p.id, p.public_id
  FROM ((SELECT id, pair_id FROM annotation_judgment
          WHERE annotator_id = %(member)s AND counted AND given_at <= %(drawn)s
          ORDER BY given_at DESC LIMIT %(looked_at)s)
        UNION ALL
        (SELECT id, pair_id FROM annotation_judgment
          WHERE annotator_id = %(member)s AND counted AND given_at > %(drawn)s AND given_at <= %(before)s
          ORDER BY given_at LIMIT %(looked_at)s)) AS j
  JOIN annotation_pair p ON p.id = j.pair_id AND p.status IN ('consensus', 'discarded')
  JOIN queries_candidate k ON k.id = p.candidate_id
  LEFT JOIN corpus_clip c ON c.moment_id = k.moment_id
 WHERE (NOT %(has_clips)s OR c.video_file > '') AND {SUITED}
   AND p.batch_id <> %(batch)s
   AND NOT EXISTS (SELECT FROM annotation_repeat r WHERE r.pair_id = p.id AND r.annotator_id = %(member)s)
   AND NOT EXISTS (SELECT FROM annotation_flag f WHERE f.pair_id = p.id AND f.answered_at IS NULL)"""


@dataclass(frozen=True, slots=True)
class WaitingRepeat:
    """A repeat to be judged: `pair` is its own public id; it comes before the pairs of `before_batch`."""

    pair: str
    query: str
    narrative: str
    medium: str | None
    clip: str | None
    content: list[str]
    before_batch: int | None


def slip_in_repeats(*, member: Membership, batch_id: int, pairs: int, now: datetime) -> int:
    """Give an annotator who takes a seat at a batch of `pairs` pairs the repeats that are due. Returns how many.

    None while one waits still. The member is locked by whoever gives the seat.
    """
    collection = member.collection
    due = repeats_due(collection.repeat_share, pairs, dice(member.pk, batch_id, "due"))
    waiting = Repeat.objects.filter(annotator=member, closed_at=None).exists()
    chosen = [] if waiting or not due else _draw(member, batch_id, due, now - timedelta(days=collection.repeat_days))
    Repeat.objects.bulk_create(
        Repeat(pair_id=pair, annotator=member, first_id=judgment, before_batch_id=batch_id, slipped_in_at=now)
        for judgment, pair in chosen
    )
    _note(member, waiting or bool(chosen))
    return len(chosen)


def _draw(member: Membership, batch_id: int, due: int, before: datetime) -> list[tuple[int, int]]:
    """(judgment, pair) of decided pairs that the member judged long enough ago, drawn by a reproducible lot."""
    given = Judgment.objects.filter(annotator=member, counted=True)
    first = given.aggregate(first=Min("given_at"))["first"]
    if first is None or first > before:
        return []
    asked = {
        "member": member.pk,
        "drawn": first + (before - first) * dice(member.pk, batch_id, "when"),
        "before": before,
        "looked_at": LOOKED_AT,
        "has_clips": member.collection.has_clips,
        **suiting(member),
        "batch": batch_id,
    }
    with connection.cursor() as cursor:
        cursor.execute(_REPEATABLE, asked)
        repeatable = cursor.fetchall()
    repeatable.sort(key=lambda row: dice(batch_id, row[2]))
    return [(judgment, pair) for judgment, pair, _ in repeatable[:due]]


def waiting_repeats(member: Membership) -> list[WaitingRepeat]:
    """The annotator's waiting repeats, oldest first. One SQL query; none unless there can be any."""
    if not (member.repeat_waits or member.collection.repeat_share):
        return []
    repeats = (
        Repeat.objects.filter(annotator=member, closed_at=None)
        .exclude(pair__candidate__moment__video__content__overlap=member.avoids)
        .select_related("pair__batch__query__medium", "pair__candidate__moment__clip", "pair__candidate__moment__video")
        .order_by("pk")
    )
    waiting = [
        WaitingRepeat(
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


def repeat_of(member: Membership, public_id: uuid.UUID) -> Repeat | None:
    """The annotator's own repeat of this id, answered or not."""
    return Repeat.objects.filter(annotator=member, public_id=public_id).first()


@transaction.atomic
def keep_repeat(
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


def repeat_spoken_of(member: Membership, pair_id: int, at: datetime) -> Repeat | None:
    """The annotator's repeat of a pair, where what was said of the pair `at` that time was said of the repeat."""
    return Repeat.objects.filter(annotator=member, pair=pair_id, slipped_in_at__lte=at).first()


def newest_answer(member: Membership, key: uuid.UUID | None) -> RepeatAnswer | None:
    """The answer with this key, taken back or not; without a key the newest that stands or is second to one."""
    answers = RepeatAnswer.objects.filter(annotator=member).select_related("repeat")
    if key is not None:
        return answers.filter(key=key).first()
    first = RepeatAnswer.objects.filter(repeat=OuterRef("repeat"), taken_back_at=None, pk__lt=OuterRef("pk"))
    return answers.filter(Q(taken_back_at=None) | Exists(first)).order_by("-given_at", "-pk").first()


def take_back_repeat(*, answer: RepeatAnswer, member: Membership, now: datetime) -> uuid.UUID:
    """Take back a repeat's answer, of a second one that which stands: it is kept, the repeat comes again.

    Returns: the repeat's public id. The member is locked.
    """
    stands = standing_before(answer) or answer
    if RepeatAnswer.objects.filter(pk=stands.pk, taken_back_at=None).update(taken_back_at=now):
        reopen_repeat(repeat=answer.repeat, member=member)
    return answer.repeat.public_id


def reopen_repeat(*, repeat: Repeat, member: Membership) -> None:
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
