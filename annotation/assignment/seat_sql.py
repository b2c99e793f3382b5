"""SQL for seats: read, take, renew and end them. Decisions are made elsewhere."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.assignment.assignment_policy import PairFacts
from annotation.batches.transitions import rule_of
from annotation.consensus import Rule, needed_in
from corpus.infra.prepared_sql import rows_of
from corpus.models import Membership

_LOCK_MEMBER = "SELECT pg_advisory_xact_lock(%(member)s), clock_timestamp()"

_MY_SEATS = """
SELECT s.id AS seat, s.expires_at > statement_timestamp() AS live, s.pairs, b.id AS batch, b.status, q.text
  FROM annotation_seat s
  JOIN annotation_batch b ON b.id = s.batch_id
  JOIN queries_query q ON q.id = b.query_id
 WHERE s.annotator_id = %(member)s AND s.ended_at IS NULL"""

_NO_SEAT_YET = """
SELECT 0::bigint AS seat, false AS live, NULL::bigint[] AS pairs, b.id AS batch, b.status, q.text
  FROM annotation_batch b
  JOIN queries_query q ON q.id = b.query_id
 WHERE b.id = %(batch)s"""

# An expired seat has lost its turn: everybody who sits there now goes first.
_PAIRS = """
WITH sitting AS MATERIALIZED ({})
SELECT sitting.seat, sitting.live, sitting.batch, sitting.status, sitting.text, p.id AS pair, p.public_id,
       ARRAY(SELECT j.annotator_id FROM annotation_judgment j WHERE j.pair_id = p.id AND j.counted) AS judges,
       ARRAY(SELECT o.annotator_id FROM annotation_seat o
              WHERE o.batch_id = sitting.batch AND o.ended_at IS NULL AND o.expires_at > statement_timestamp()
                AND o.annotator_id <> %(member)s AND p.id = ANY (o.pairs)
                AND (o.id < sitting.seat OR NOT sitting.live)) AS holders,
       (NOT %(has_clips)s OR c.video_file > '')
       AND NOT EXISTS (SELECT FROM annotation_flag f WHERE f.pair_id = p.id AND f.answered_at IS NULL) AS ready,
       CASE WHEN c.video_file > '' THEN c.public_name END AS clip
  FROM sitting
  LEFT JOIN annotation_pair p
    ON p.batch_id = sitting.batch AND (sitting.pairs IS NULL OR p.id = ANY (sitting.pairs))
   AND p.status = CASE sitting.status WHEN 'first' THEN 'open' WHEN 'second' THEN 'disputed' END
  LEFT JOIN queries_candidate k ON k.id = p.candidate_id
  LEFT JOIN corpus_clip c ON c.moment_id = k.moment_id
 ORDER BY sitting.seat, p.id"""

AT_MY_SEATS = _PAIRS.format(_MY_SEATS)
_AT_A_BATCH = _PAIRS.format(_NO_SEAT_YET)


@dataclass(frozen=True, slots=True)
class Sitting:
    """An annotator at a batch: what is undecided of the seat's pairs. `seat` is 0 before it was taken; the pairs are
    then all of the batch's round. `status` is the batch's; `portioned` says, of a new one, whether it is at some of the
    batch's pairs only."""

    seat: int
    live: bool
    batch: int
    status: str
    query: str
    pairs: list[PairFacts]
    portioned: bool = False


def lock_member(member: Membership) -> datetime:
    """Lock a member until the transaction ends, so that two tabs can't take two seats.

    Always the first lock taken; a batch's row is the second. Returns the time by the database's clock.
    """
    ((_, now),) = rows_of(_LOCK_MEMBER, {"member": member.pk})
    return now  # type: ignore[no-any-return]


def sittings_of(member: Membership) -> list[Sitting]:
    """The annotator's seats that haven't ended, in the order in which they were taken. One SQL query."""
    asked = {"member": member.pk, "has_clips": member.collection.has_clips}
    return read_sittings(rule_of(member.collection), rows_of(AT_MY_SEATS, asked))


def sitting_at(member: Membership, batch_id: int) -> Sitting:
    """The sitting that an annotator would get at a batch now. Call it with the batch locked."""
    asked = {"member": member.pk, "has_clips": member.collection.has_clips, "batch": batch_id}
    (sitting,) = read_sittings(rule_of(member.collection), rows_of(_AT_A_BATCH, asked))
    return sitting


def read_sittings(rule: Rule, rows: Sequence[Sequence[Any]]) -> list[Sitting]:
    """Sittings from rows of `AT_MY_SEATS`."""
    found: dict[int, Sitting] = {}
    for seat, live, batch, status, query, pk, public_id, judges, holders, ready, clip in rows:
        sitting = found.setdefault(batch, Sitting(seat, live, batch, status, query, []))
        if pk is not None:
            needed = needed_in("open" if status == "first" else "disputed", rule)
            facts = PairFacts(pk, str(public_id), needed, frozenset(judges), bool(ready), clip, frozenset(holders))
            sitting.pairs.append(facts)
    return list(found.values())


# All at once and in one order, so that people with several seats can't wait for each other in a circle.
_HOLD_MINE = """
SELECT b.id FROM annotation_batch b
 WHERE b.id IN (SELECT s.batch_id FROM annotation_seat s WHERE s.annotator_id = %(member)s AND s.ended_at IS NULL)
 ORDER BY b.id FOR NO KEY UPDATE"""

# Somebody who is just sitting down there holds the lock: nobody waits for that.
_HOLD_FREE = """
SELECT (SELECT count(*) FROM annotation_pair p WHERE p.batch_id = b.id)
  FROM annotation_batch b WHERE b.id = %(batch)s FOR NO KEY UPDATE SKIP LOCKED"""

_SIT_DOWN = """
WITH begun AS (
    UPDATE annotation_batch SET begun_at = %(now)s WHERE id = %(batch)s AND begun_at IS NULL)
INSERT INTO annotation_seat (batch_id, annotator_id, pairs, taken_at, expires_at)
VALUES (%(batch)s, %(member)s, %(pairs)s::bigint[], %(now)s, %(until)s)"""

_RENEW = "UPDATE annotation_seat SET expires_at = %(until)s WHERE id = %(seat)s AND ended_at IS NULL RETURNING id"
_END = "UPDATE annotation_seat SET ended_at = %(now)s WHERE id = %(seat)s AND ended_at IS NULL"


def hold_my_batches(member: Membership) -> None:
    """Lock every batch at which the member has a seat that didn't end, until the transaction ends."""
    rows_of(_HOLD_MINE, {"member": member.pk})


def hold_if_free(batch_id: int) -> int:
    """Lock a batch and return its number of pairs; 0 without waiting if it is locked already."""
    rows = rows_of(_HOLD_FREE, {"batch": batch_id})
    return int(rows[0][0]) if rows else 0


def sit_down(
    member: Membership, batch_id: int, pairs: Collection[PairFacts], *, now: datetime, until: datetime
) -> None:
    """Create a seat at these pairs of a locked batch; the first seat begins the batch."""
    chosen = [pair.pk for pair in pairs]
    rows_of(_SIT_DOWN, {"member": member.pk, "batch": batch_id, "pairs": chosen, "now": now, "until": until})


def renew_seat(sitting: Sitting, *, until: datetime) -> bool:
    """Extend a seat's expiry, unless its round has ended since it was read."""
    return bool(rows_of(_RENEW, {"seat": sitting.seat, "until": until}))


def end_seat(sitting: Sitting, *, now: datetime) -> None:
    rows_of(_END, {"seat": sitting.seat, "now": now})
