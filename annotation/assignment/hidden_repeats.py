"""Hidden repeats: a small part of what somebody judged comes again after days, and tells how far they agree with
themselves. How they are given and answered: `slipped_in.py`."""

from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Min

from annotation.assignment.slipped_in_rule import dice, due_in
from annotation.assignment.suited_sql import SUITED, suiting
from annotation.models import Judgment, Repeat
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


def due_repeats(*, member: Membership, batch_id: int, pairs: int, now: datetime) -> list[Repeat]:
    """The repeats, not stored yet, that go with `pairs` pairs of a batch at which an annotator takes a seat."""
    collection = member.collection
    due = due_in(collection.repeat_share, pairs, dice(member.pk, batch_id, "due"))
    chosen = _draw(member, batch_id, due, now - timedelta(days=collection.repeat_days)) if due else []
    return [
        Repeat(pair_id=pair, annotator=member, first_id=judgment, before_batch_id=batch_id, slipped_in_at=now)
        for judgment, pair in chosen
    ]


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
