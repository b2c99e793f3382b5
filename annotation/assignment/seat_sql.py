"""SQL for seats: read, take, renew and end them. Decisions are made elsewhere."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from annotation.assignment.assignment_policy import PairFacts
from annotation.assignment.suited_sql import CONTENT, SUITED, suiting
from annotation.batches.transitions import rule_of
from annotation.consensus import Rule, needed_in
from foundation.infra.prepared_sql import rows_of
from foundation.models import Membership

_LOCK_MEMBER = "SELECT pg_advisory_xact_lock(%(member)s), clock_timestamp()"

NOT_ENDED = "coalesce({seat}.ended_at, 'infinity') = 'infinity'"
"""`ended_at IS NULL` for the few seats of one batch, written so that no partial index answers it.

The number of live seats changes within a minute. A plan made while there were hardly any would read the whole index
of live seats for each pair: hundreds of rows.
"""

_QUERY = """CASE WHEN m.alone THEN '' ELSE q.text END AS text, q.narrative,
       m.kind||'/'||m.public_name||'.'||m.suffix AS medium"""
"""What is shown of a query: a label of one without words isn't."""
_ITS_QUERY = "JOIN queries_query q ON q.id = b.query_id LEFT JOIN queries_querymedium m ON m.query_id = q.id"

# A round is over when none of its pairs is left, which its batch's status says a moment later.
_MY_SEATS = f"""
SELECT s.id AS seat, s.expires_at > statement_timestamp() AS live, s.pairs, b.id AS batch, b.status, {_QUERY},
       NOT EXISTS (SELECT FROM annotation_pair o WHERE o.batch_id = b.id AND o.status =
                   CASE b.status WHEN 'first' THEN 'open' WHEN 'second' THEN 'disputed' END) AS over
  FROM annotation_seat s
  JOIN annotation_batch b ON b.id = s.batch_id
  {_ITS_QUERY}
 WHERE s.annotator_id = %(member)s AND s.ended_at IS NULL"""

_NO_SEAT_YET = f"""
SELECT 0::bigint AS seat, false AS live, NULL::bigint[] AS pairs, b.id AS batch, b.status, {_QUERY}, false AS over
  FROM annotation_batch b
  {_ITS_QUERY}
 WHERE b.id = ANY (%(batches)s)"""

# Of the round that its batch is in.
_PAIR_OF_ROUND = "p.status = CASE t.status WHEN 'first' THEN 'open' WHEN 'second' THEN 'disputed' END"

# An expired seat has lost its turn: everybody who sits there now goes first. Where videos are marked, what doesn't suit
# the annotator isn't ready: elsewhere the hot path doesn't ask.
_FACTS = f"""
SELECT l.seat, l.live, l.batch, l.status, l.text, l.narrative, l.medium, l.over,
       l.pair, l.public_id,
       ARRAY(SELECT j.annotator_id FROM annotation_judgment j WHERE j.pair_id = l.pair AND j.counted) AS judges,
       ARRAY(SELECT o.annotator_id FROM annotation_seat o
              WHERE o.batch_id = l.batch AND {NOT_ENDED.format(seat="o")} AND o.expires_at > statement_timestamp()
                AND o.annotator_id <> %(member)s AND l.pair = ANY (o.pairs)
                AND (o.id < l.seat OR NOT l.live)) AS holders,
       (NOT %(has_clips)s OR c.video_file > '') AND {{suited}}
       AND NOT EXISTS (SELECT FROM annotation_flag f WHERE f.pair_id = l.pair AND f.answered_at IS NULL) AS ready,
       CASE WHEN c.video_file > '' THEN c.public_name END AS clip, {{content}} AS content
  FROM l
  LEFT JOIN queries_candidate k ON k.id = l.candidate_id
  LEFT JOIN corpus_clip c ON c.moment_id = k.moment_id"""

_BY_MARKS = {
    marked: _FACTS.format(suited=SUITED if marked else "true", content=CONTENT if marked else "NULL")
    for marked in (False, True)
}

_ALL_PAIRS = f"""
WITH t AS MATERIALIZED ({{}}), l AS MATERIALIZED (
    SELECT t.*, p.id AS pair, p.public_id, p.candidate_id
      FROM t
      LEFT JOIN annotation_pair p
        ON p.batch_id = t.batch AND (t.pairs IS NULL OR p.id = ANY (t.pairs)) AND {_PAIR_OF_ROUND})
{{}}
 ORDER BY l.seat, l.pair"""

_AT_MY_SEATS = {marked: _ALL_PAIRS.format(_MY_SEATS, facts) for marked, facts in _BY_MARKS.items()}
_AT_BATCHES = {marked: _ALL_PAIRS.format(_NO_SEAT_YET, facts) for marked, facts in _BY_MARKS.items()}

_AHEAD = """
WITH t AS MATERIALIZED ({my_seats}), l AS MATERIALIZED (
    SELECT t.*, p.id AS pair, p.public_id, p.candidate_id, {lot} AS lot
      FROM t JOIN annotation_pair p ON p.id = ANY (t.pairs) AND {of_round}
     WHERE p.public_id <> %(pair)s AND (SELECT bool_and(t.live) FROM t)
       AND (SELECT true FROM annotation_judgment j
             WHERE j.pair_id = p.id AND j.annotator_id = %(member)s AND j.counted) IS NULL
     ORDER BY t.seat, {lot} LIMIT %(ahead)s)
{facts}
 ORDER BY l.seat, l.lot""".format(
    my_seats=_MY_SEATS,
    # As `pairs_for` puts them in order.
    lot="sha256(convert_to(concat(%(member)s::bigint, ':', p.public_id), 'UTF8'))",
    # Behind IS TRUE it asks for no index: with one, all pairs of a state were read for each seat.
    of_round=f"({_PAIR_OF_ROUND}) IS TRUE",
    facts="{}",
)
PAIRS_AHEAD = {marked: _AHEAD.format(facts) for marked, facts in _BY_MARKS.items()}
"""By whether videos are marked: the first `ahead` unjudged pairs at the annotator's seats, without `pair`; none if one
of the seats has expired."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """An annotator at a batch: what is undecided of the seat's pairs. `seat` is 0 before it was taken; the pairs are
    then all of the batch's round. `status` is the batch's; its round is `over` if none of its pairs is undecided."""

    seat: int
    live: bool
    batch: int
    status: str
    query: str
    narrative: str
    medium: str | None
    over: bool
    pairs: list[PairFacts]


def seat_expiry(member: Membership, now: Any) -> Any:
    """When a seat that this annotator takes or renews now expires. Args: now: a time, or the database's Now()."""
    return now + timedelta(minutes=member.collection.seat_minutes)


def lock_member(member: Membership) -> datetime:
    """Lock a member until the transaction ends, so that two tabs can't take two seats.

    Always the first lock taken; a batch's row is the second. Returns the time by the database's clock.
    """
    locked: list[tuple[None, datetime]] = rows_of(_LOCK_MEMBER, {"member": member.pk})
    return locked[0][1]


def sittings_of(member: Membership) -> list[Sitting]:
    """The annotator's seats that haven't ended, in the order in which they were taken. One SQL query."""
    asked = {"member": member.pk, "has_clips": member.collection.has_clips} | suiting(member)
    statement = _AT_MY_SEATS[member.collection.marks_content]
    return read_sittings(rule_of(member.collection), rows_of(statement, asked))


def sittings_at(member: Membership, batches: Collection[int]) -> dict[int, Sitting]:
    """What an annotator would find who sat down at one of these batches now. Call it with the batches locked."""
    if not batches:
        return {}
    asked = {"member": member.pk, "has_clips": member.collection.has_clips, "batches": list(batches)}
    asked |= suiting(member)
    statement = _AT_BATCHES[member.collection.marks_content]
    return {sitting.batch: sitting for sitting in read_sittings(rule_of(member.collection), rows_of(statement, asked))}


def read_sittings(rule: Rule, rows: Sequence[Sequence[Any]]) -> list[Sitting]:
    """The sittings that rows of `PAIRS_AHEAD`, or of all pairs, tell of."""
    sittings: dict[int, Sitting] = {}
    for seat, live, batch, status, query, narrative, medium, over, *pair in rows:
        sitting = sittings.setdefault(batch, Sitting(seat, live, batch, status, query, narrative, medium, over, []))
        pk, public_id, judges, holders, ready, clip, content = pair
        if pk is not None:
            needed = needed_in("open" if status == "first" else "disputed", rule)
            shown = (bool(ready), clip, tuple(content or ()))
            sitting.pairs.append(PairFacts(pk, str(public_id), needed, frozenset(judges), *shown, frozenset(holders)))
    return list(sittings.values())


# All at once and in one order, so that people with several seats can't wait for each other in a circle.
_HOLD_MINE = """
SELECT b.id FROM annotation_batch b
 WHERE b.id IN (SELECT s.batch_id FROM annotation_seat s WHERE s.annotator_id = %(member)s AND s.ended_at IS NULL)
 ORDER BY b.id FOR NO KEY UPDATE"""

# Somebody who is just sitting down there holds the lock: nobody waits for that.
_HOLD_FREE = """
SELECT b.id, (SELECT count(*) FROM annotation_pair p WHERE p.batch_id = b.id)
  FROM annotation_batch b WHERE b.id = ANY (%(batches)s) FOR NO KEY UPDATE SKIP LOCKED"""

_SIT_DOWN = """
WITH begun AS (
    UPDATE annotation_batch SET begun_at = %(now)s WHERE id = ANY (%(batches)s) AND begun_at IS NULL)
INSERT INTO annotation_seat (batch_id, annotator_id, pairs, taken_at, expires_at)
SELECT seat.batch, %(member)s, seat.pairs::bigint[], %(now)s, %(until)s
  FROM unnest(%(batches)s::bigint[], %(pairs)s::text[]) WITH ORDINALITY AS seat (batch, pairs, place)
 ORDER BY seat.place"""

_RENEW = """
UPDATE annotation_seat SET expires_at = %(until)s WHERE id = ANY (%(seats)s) AND ended_at IS NULL RETURNING id"""
_END = "UPDATE annotation_seat SET ended_at = %(now)s WHERE id = ANY (%(seats)s) AND ended_at IS NULL"


def hold_my_batches(member: Membership) -> None:
    """Lock every batch at which the member has a seat that didn't end, until the transaction ends."""
    rows_of(_HOLD_MINE, {"member": member.pk})


def hold_free(batches: Collection[int]) -> dict[int, int]:
    """Lock those of the batches that nobody has locked. Returns: how many pairs each of them has."""
    return dict(rows_of(_HOLD_FREE, {"batches": list(batches)}))


def sit_down(member: Membership, sittings: Collection[Sitting], *, now: datetime, until: datetime) -> None:
    """New seats, in this order, at these pairs of batches that are locked; the first seat at a batch begins it."""
    if not sittings:
        return
    pairs = [f"{{{','.join(str(pair.pk) for pair in sitting.pairs)}}}" for sitting in sittings]
    batches = [sitting.batch for sitting in sittings]
    rows_of(_SIT_DOWN, {"member": member.pk, "batches": batches, "pairs": pairs, "now": now, "until": until})


def renew_seats(sittings: Collection[Sitting], *, until: datetime) -> set[int]:
    """Keep seats for as long again. Returns: those whose round hasn't ended since they were read."""
    seats = [sitting.seat for sitting in sittings]
    return {seat for (seat,) in rows_of(_RENEW, {"seats": seats, "until": until})} if seats else set()


def end_seats(sittings: Collection[Sitting], *, now: datetime) -> None:
    """End seats; their places are free."""
    if sittings:
        rows_of(_END, {"seats": [sitting.seat for sitting in sittings], "now": now})
