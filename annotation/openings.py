"""Where an annotator could sit down: the batches with a place left, in the policy's order.

Looked up by partial indexes in the order in which the policy wants them, a few at a time, so that it costs the same
in a collection of a thousand pairs and of a million.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db import connection

from annotation.models import Assignment, Batch
from annotation.routing import Asker, OpenBatch, order_batches
from corpus.models import Membership

PAGES = (30, 300, 3000, None)
"""Batches looked at in each category: more only where all before were taken by somebody else meanwhile."""
SEATS_REMEMBERED = 300
"""The last seats by which partners count as met."""

# With a place left in all likelihood; the certain answer needs the batch's lock.
_OPENINGS = """
SELECT b.id
  FROM annotation_batch b
 WHERE b.collection_id = %(collection)s AND {category}
   AND NOT EXISTS (SELECT FROM annotation_seat s
                    WHERE s.batch_id = b.id AND s.annotator_id = %(member)s AND s.ended_at IS NULL)
   AND (SELECT count(*) FROM annotation_seat s
         WHERE s.batch_id = b.id AND s.ended_at IS NULL AND s.expires_at > %(now)s) < %({people})s
   AND NOT EXISTS (SELECT FROM annotation_assignment a
                    WHERE a.query_id = b.query_id AND a.annotator_id = %(member)s AND a.rule = 'barred')
   AND (NOT EXISTS (SELECT FROM annotation_assignment a WHERE a.query_id = b.query_id AND a.rule = 'reserved')
        OR EXISTS (SELECT FROM annotation_assignment a
                    WHERE a.query_id = b.query_id AND a.annotator_id = %(member)s AND a.rule = 'reserved'))
   AND EXISTS (SELECT FROM annotation_pair p
                 JOIN queries_candidate k ON k.id = p.candidate_id
                 LEFT JOIN corpus_clip c ON c.moment_id = k.moment_id
                WHERE p.batch_id = b.id AND p.status = '{pairs}'
                  AND (NOT %(has_clips)s OR c.video_file > '')
                  AND NOT EXISTS (SELECT FROM annotation_judgment j
                                   WHERE j.pair_id = p.id AND j.annotator_id = %(member)s AND j.counted)
                  AND NOT EXISTS (SELECT FROM annotation_flag f WHERE f.pair_id = p.id AND f.answered_at IS NULL))
 ORDER BY b.priority DESC, b.id
 LIMIT %(limit)s OFFSET %(offset)s"""

_CATEGORIES = (
    _OPENINGS.format(category="b.status = 'second'", pairs="disputed", people="second_round"),
    _OPENINGS.format(category="b.status = 'first' AND b.begun_at IS NOT NULL", pairs="open", people="first_round"),
    _OPENINGS.format(category="b.status = 'first' AND b.begun_at IS NULL", pairs="open", people="first_round"),
)


def openings(member: Membership, now: datetime) -> Iterator[int]:
    """Batches at which the annotator could sit down, best first (`routing.order_batches`)."""
    asked = {
        "collection": member.collection_id,
        "member": member.pk,
        "now": now,
        "has_clips": member.collection.has_clips,
        "first_round": member.collection.first_round_people,
        "second_round": member.collection.second_round_people,
    }
    asker = Asker(member.pk, frozenset(member.languages), _met(member))
    offset = 0
    for limit in PAGES:
        found = [pk for category in _CATEGORIES for pk in _page(category, asked, limit, offset)]
        if not found:
            return
        for batch in order_batches(asker, _as_policy_sees(found)):
            yield batch.pk
        offset += limit or 0


def _page(statement: str, asked: dict[str, Any], limit: int | None, offset: int) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(statement, {**asked, "limit": limit, "offset": offset})
        return [pk for (pk,) in cursor.fetchall()]


def _met(member: Membership) -> dict[int, int]:
    """With whom the annotator shared how many of the last batches."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT o.annotator_id, count(DISTINCT o.batch_id)
              FROM (SELECT DISTINCT batch_id FROM (
                      SELECT batch_id FROM annotation_seat WHERE annotator_id = %(member)s
                       ORDER BY id DESC LIMIT %(last)s
                    ) AS newest) AS mine
              JOIN annotation_seat o ON o.batch_id = mine.batch_id AND o.annotator_id <> %(member)s
             GROUP BY o.annotator_id""",
            {"member": member.pk, "last": SEATS_REMEMBERED},
        )
        return dict(cursor.fetchall())


def _as_policy_sees(batch_ids: list[int]) -> list[OpenBatch]:
    assigned: dict[int, list[Assignment]] = {}
    batches = list(Batch.objects.filter(pk__in=batch_ids).prefetch_related("seats"))
    for one in Assignment.objects.filter(query__in=[batch.query_id for batch in batches]):
        assigned.setdefault(one.query_id, []).append(one)
    return [
        OpenBatch(
            pk=batch.pk,
            second_round=batch.status == Batch.Status.SECOND_ROUND,
            begun=batch.begun_at is not None,
            priority=batch.priority,
            people=frozenset(seat.annotator_id for seat in batch.seats.all()),
            reserved=_people(assigned.get(batch.query_id, []), Assignment.Rule.RESERVED),
            barred=_people(assigned.get(batch.query_id, []), Assignment.Rule.BARRED),
        )
        for batch in batches
    ]


def _people(assignments: list[Assignment], rule: str) -> frozenset[int]:
    return frozenset(one.annotator_id for one in assignments if one.rule == rule)
