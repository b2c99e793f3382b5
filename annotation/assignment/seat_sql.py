"""SQL for seats: which ones an annotator holds, and taking, renewing and ending them. It decides nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.assignment.routing import PairFacts
from annotation.batches.transitions import rule_of
from annotation.consensus import needed_in
from corpus.infra.prepared_sql import rows_of
from corpus.models import Membership

_LOCK_MEMBER = "SELECT pg_advisory_xact_lock(%(member)s)"


_OTHERS = """
ARRAY(SELECT o.annotator_id FROM annotation_seat o
       WHERE o.batch_id = b.id AND o.ended_at IS NULL AND o.expires_at > %(now)s AND o.annotator_id <> %(member)s{})"""


# An expired seat has lost its turn: everybody who sits there now goes first.
_MY_SEATS = f"""
SELECT s.id AS seat, s.expires_at > %(now)s AS live, b.id AS batch, b.status, q.text,
       {_OTHERS.format(" AND (o.id < s.id OR s.expires_at <= %(now)s)")} AS others
  FROM annotation_seat s
  JOIN annotation_batch b ON b.id = s.batch_id
  JOIN queries_query q ON q.id = b.query_id
 WHERE s.annotator_id = %(member)s AND s.ended_at IS NULL"""


_NO_SEAT_YET = f"""
SELECT 0::bigint AS seat, true AS live, b.id AS batch, b.status, q.text, {_OTHERS.format("")} AS others
  FROM annotation_batch b
  JOIN queries_query q ON q.id = b.query_id
 WHERE b.id = %(batch)s"""


_PAIRS = """
WITH sitting AS MATERIALIZED ({})
SELECT sitting.*, p.id AS pair, p.public_id,
       ARRAY(SELECT j.annotator_id FROM annotation_judgment j WHERE j.pair_id = p.id AND j.counted) AS judges,
       (NOT %(has_clips)s OR c.video_file > '')
       AND NOT EXISTS (SELECT FROM annotation_flag f WHERE f.pair_id = p.id AND f.answered_at IS NULL) AS ready,
       CASE WHEN c.video_file > '' THEN c.public_name END AS clip
  FROM sitting
  LEFT JOIN annotation_pair p
    ON p.batch_id = sitting.batch
   AND p.status = CASE sitting.status WHEN 'first' THEN 'open' WHEN 'second' THEN 'disputed' END
  LEFT JOIN queries_candidate k ON k.id = p.candidate_id
  LEFT JOIN corpus_clip c ON c.moment_id = k.moment_id
 ORDER BY sitting.seat, p.id"""


_AT_MY_SEATS = _PAIRS.format(_MY_SEATS)


_AT_A_BATCH = _PAIRS.format(_NO_SEAT_YET)


@dataclass(frozen=True, slots=True)
class Sitting:
    """An annotator at a batch: what is undecided there, and who goes first. `seat` is 0 before it was taken."""

    seat: int
    live: bool
    batch: int
    query: str
    others: list[int]
    pairs: list[PairFacts]


def lock_member(member: Membership) -> None:
    """One request at a time for each person, until the transaction ends, so that two tabs can't open two seats.

    Always the first lock taken; a batch's row is the second.
    """
    rows_of(_LOCK_MEMBER, {"member": member.pk})


def sittings_of(member: Membership, now: datetime) -> list[Sitting]:
    """The annotator's seats that haven't ended, in the order in which they were taken. One statement."""
    asked = {"member": member.pk, "now": now, "has_clips": member.collection.has_clips}
    return _sittings(member, rows_of(_AT_MY_SEATS, asked))


def sitting_at(member: Membership, batch_id: int, now: datetime) -> Sitting:
    """What an annotator would find who sat down there now. Call it with the batch locked."""
    asked = {"member": member.pk, "now": now, "has_clips": member.collection.has_clips, "batch": batch_id}
    (sitting,) = _sittings(member, rows_of(_AT_A_BATCH, asked))
    return sitting


def _sittings(member: Membership, rows: Sequence[Sequence[Any]]) -> list[Sitting]:
    rule = rule_of(member.collection)
    found: dict[int, Sitting] = {}
    for seat, live, batch, status, query, others, pk, public_id, judges, ready, clip in rows:
        sitting = found.setdefault(batch, Sitting(seat, live, batch, query, others, []))
        if pk is not None:
            needed = needed_in("open" if status == "first" else "disputed", rule)
            sitting.pairs.append(PairFacts(pk, str(public_id), needed, frozenset(judges), bool(ready), clip))
    return list(found.values())


# All at once and in one order, so that people with several seats can't wait for each other in a circle.
_HOLD_MINE = """
SELECT b.id FROM annotation_batch b
 WHERE b.id IN (SELECT s.batch_id FROM annotation_seat s WHERE s.annotator_id = %(member)s AND s.ended_at IS NULL)
 ORDER BY b.id FOR NO KEY UPDATE"""

# Somebody who is just sitting down there holds the lock: nobody waits for that.
_HOLD_FREE = "SELECT b.id FROM annotation_batch b WHERE b.id = %(batch)s FOR NO KEY UPDATE SKIP LOCKED"

_SIT_DOWN = """
WITH begun AS (
    UPDATE annotation_batch SET begun_at = %(now)s WHERE id = %(batch)s AND begun_at IS NULL)
INSERT INTO annotation_seat (batch_id, annotator_id, taken_at, expires_at)
VALUES (%(batch)s, %(member)s, %(now)s, %(until)s)"""

_RENEW = "UPDATE annotation_seat SET expires_at = %(until)s WHERE id = %(seat)s AND ended_at IS NULL RETURNING id"
_END = "UPDATE annotation_seat SET ended_at = %(now)s WHERE id = %(seat)s AND ended_at IS NULL"


def hold_my_batches(member: Membership) -> None:
    """Lock every batch at which the member has a seat that didn't end, until the transaction ends."""
    rows_of(_HOLD_MINE, {"member": member.pk})


def hold_if_free(batch_id: int) -> bool:
    """Lock a batch, or say at once that somebody else has."""
    return bool(rows_of(_HOLD_FREE, {"batch": batch_id}))


def sit_down(member: Membership, batch_id: int, *, now: datetime, until: datetime) -> None:
    """A new seat at a batch that is locked; the first one there begins it."""
    rows_of(_SIT_DOWN, {"member": member.pk, "batch": batch_id, "now": now, "until": until})


def renew_seat(sitting: Sitting, *, until: datetime) -> bool:
    """Keep a seat for as long again, unless its round has ended since it was read."""
    return bool(rows_of(_RENEW, {"seat": sitting.seat, "until": until}))


def end_seat(sitting: Sitting, *, now: datetime) -> None:
    rows_of(_END, {"seat": sitting.seat, "now": now})
