"""Batches with free places, in the order of the assignment policy.

Looked up by partial indexes in the order in which the policy wants them, a few at a time, so that it costs the same
in a collection of a thousand pairs and of a million.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from annotation.assignment.assignment_policy import Asker, OpenBatch, Staffing, order_batches
from annotation.assignment.seat_sql import NOT_ENDED
from annotation.assignment.suited_sql import SUITED, suiting
from foundation.infra.prepared_sql import rows_of
from foundation.models import Membership

CATEGORIES = ("second", "begun", "next", "new")
PAGES = ((20, 60, 15, 15), (100, 300, 50, 50), (1000, 3000, 500, 500), (None, None, None, None))
"""Batches looked at of those in their second round, of those begun, of those that follow another, and of those new:
more only where all before were taken by somebody else meanwhile."""
SEATS_REMEMBERED = 100
"""Partners count as met by so many of the annotator's last seats."""
SIZES_REMEMBERED = 60
"""Portions of first rounds have the sizes of so many last second rounds."""
PATIENCE = timedelta(days=2)
"""How long a batch waits for the annotators whose turn it is, before anybody can have it."""

# With a place left in all likelihood; the certain answer needs the batch's lock.
_CATEGORY = """
(SELECT b.id, {second} AS second_round, b.begun_at IS NOT NULL AS begun, b.priority,
        (SELECT coalesce(d.language, q.language)
           FROM queries_query q LEFT JOIN corpus_description d ON d.id = q.description_id
          WHERE q.id = b.query_id) AS language,
        ARRAY(SELECT s.annotator_id FROM annotation_seat s WHERE s.batch_id = b.id) AS people,
        ARRAY(SELECT a.annotator_id FROM annotation_assignment a
               WHERE a.query_id = b.query_id AND a.rule = 'reserved') AS reserved,
        ARRAY(SELECT a.annotator_id FROM annotation_assignment a
               WHERE a.query_id = b.query_id AND a.rule = 'barred') AS barred,
        b.query_id, b.number,
        (SELECT count(*) FROM annotation_seat s JOIN annotation_batch o ON o.id = s.batch_id
          WHERE o.query_id = b.query_id AND s.annotator_id = %(member)s) AS visits,
        coalesce(CASE WHEN b.number > 1 THEN b.opened_at ELSE b.begun_at END < %(impatient)s, false) AS waited
   FROM annotation_batch b
  WHERE b.collection_id = %(collection)s AND {condition}
    AND NOT EXISTS (SELECT FROM annotation_seat s
                     WHERE s.batch_id = b.id AND s.annotator_id = %(member)s AND s.ended_at IS NULL)
    -- No EXISTS: as a join it would look at all batches, where the first few are enough. Nor for what is asked of a
    -- pair: as a join it would read all judgments of the annotator.
    AND (SELECT true FROM annotation_pair p
          CROSS JOIN LATERAL (
              SELECT ARRAY(SELECT j.annotator_id FROM annotation_judgment j
                            WHERE j.pair_id = p.id AND j.counted) AS judges OFFSET 0) AS given
                  JOIN queries_candidate k ON k.id = p.candidate_id
                  LEFT JOIN corpus_clip c ON c.moment_id = k.moment_id
                 WHERE p.batch_id = b.id AND p.status = '{pairs}'
                   AND %(member)s <> ALL (given.judges)
                   AND cardinality(given.judges) < %({people})s
                   AND cardinality(given.judges) + (
                       SELECT count(*) FROM annotation_seat s
                        WHERE s.batch_id = b.id AND {not_ended} AND s.expires_at > %(now)s
                          AND p.id = ANY (s.pairs) AND s.annotator_id <> ALL (given.judges)) < %({people})s
                   AND (NOT %(has_clips)s OR c.video_file > '') AND {suited}
                   AND NOT EXISTS (SELECT FROM annotation_flag f WHERE f.pair_id = p.id AND f.answered_at IS NULL)
                 LIMIT 1)
  ORDER BY b.priority DESC, b.id
  LIMIT %({category}_limit)s OFFSET %({category}_offset)s)"""

_OPENINGS = "UNION ALL".join(
    _CATEGORY.format(
        category=category,
        second=second,
        condition=condition,
        pairs=pairs,
        people=people,
        not_ended=NOT_ENDED.format(seat="s"),
        suited=SUITED,
    )
    for category, second, condition, pairs, people in (
        ("second", "true", "b.status = 'second'", "disputed", "both_rounds"),
        ("begun", "false", "b.status = 'first' AND b.begun_at IS NOT NULL", "open", "first_round"),
        ("next", "false", "b.status = 'first' AND b.begun_at IS NULL AND b.number > 1", "open", "first_round"),
        ("new", "false", "b.status = 'first' AND b.begun_at IS NULL AND b.number = 1", "open", "first_round"),
    )
)

_MET = """
SELECT o.annotator_id, count(DISTINCT o.batch_id)
  FROM (SELECT DISTINCT batch_id FROM (
          SELECT batch_id FROM annotation_seat WHERE annotator_id = %(member)s ORDER BY id DESC LIMIT %(last)s
        ) AS newest) AS mine
  JOIN annotation_seat o ON o.batch_id = mine.batch_id AND o.annotator_id <> %(member)s
 GROUP BY o.annotator_id"""


_SITUATION = """
SELECT count(*), count(*) FILTER (WHERE m.id < %(member)s),
       ARRAY(SELECT b.disputed FROM annotation_batch b
              WHERE b.collection_id = %(collection)s AND b.disputed > 0 ORDER BY b.id DESC LIMIT %(sizes)s)
  FROM foundation_membership m
 WHERE m.collection_id = %(collection)s AND m.role = 'annotator' AND m.status = 'admitted'
   AND (NOT m.recruited OR EXISTS (SELECT FROM annotation_recruit r JOIN annotation_recruitsession s
                                    ON s.recruit_id = r.id AND s.ended_at IS NULL WHERE r.member_id = m.id))"""


@dataclass(frozen=True, slots=True)
class Situation:
    """Input of the assignment policy besides the batches: the team, and the sizes of the last second rounds."""

    team: Staffing
    sizes: list[int]


def situation_of(member: Membership) -> Situation:
    """The present situation, for an admitted annotator. One SQL query."""
    asked = {"member": member.pk, "collection": member.collection_id, "sizes": SIZES_REMEMBERED}
    ((size, place, sizes),) = rows_of(_SITUATION, asked)
    return Situation(Staffing(size, place, member.collection.max_batches), sizes)


def openings(member: Membership, situation: Situation, now: datetime) -> Iterator[int]:
    """Batches at which the annotator could take a seat, best first (`assignment_policy.order_batches`)."""
    asked = {
        "collection": member.collection_id,
        "member": member.pk,
        "now": now,
        "has_clips": member.collection.has_clips,
        **suiting(member),
        "first_round": member.collection.first_round_people,
        "both_rounds": member.collection.first_round_people + member.collection.second_round_people,
        "impatient": now - PATIENCE,
    }
    asker = Asker(member.pk, frozenset(member.languages), _met(member), situation.team)
    offsets: tuple[int, ...] = (0, 0, 0, 0)
    for limits in PAGES:
        page = {
            f"{category}_{what}": number
            for what, numbers in (("limit", limits), ("offset", offsets))
            for category, number in zip(CATEGORIES, numbers, strict=True)
        }
        batches = [
            OpenBatch(
                pk, second, begun, priority, language, frozenset(people), frozenset(reserved), frozenset(barred), *own
            )
            for pk, second, begun, priority, language, people, reserved, barred, *own in rows_of(
                _OPENINGS, asked | page
            )
        ]
        if not batches:
            return
        for batch in order_batches(asker, batches):
            yield batch.pk
        offsets = tuple(offset + (limit or 0) for offset, limit in zip(offsets, limits, strict=True))


def _met(member: Membership) -> dict[int, int]:
    """How many of the last batches the annotator shared with each partner."""
    return dict(rows_of(_MET, {"member": member.pk, "last": SEATS_REMEMBERED}))
