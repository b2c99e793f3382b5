"""What judging reads at every key that is pressed, in statements that PostgreSQL prepares once a connection.

Written in SQL and sent through one pipeline, since this is the one place where each millisecond is paid hundreds
of thousands of times (`benchmarks/judging.py`). Locks, reads and one write: what follows is decided in
`judging.py`, by the pure rules.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg
from django.db import connection

from annotation.consensus import needed_in
from annotation.models import Judgment
from annotation.routing import PairFacts
from annotation.states import rule_of
from corpus.models import Membership

# One request at a time for each person, until the transaction ends: so a key looked up and not found stays free,
# and two tabs can't open two seats. Always the first lock taken; a batch's row is the second.
_LOCK_MEMBER = "SELECT pg_advisory_xact_lock(%(member)s)"

_LOCK_BATCH = """
SELECT b.id
  FROM annotation_batch b
 WHERE b.id = (SELECT batch_id FROM annotation_pair WHERE public_id = %(pair)s)
   AND b.collection_id = %(collection)s
   FOR NO KEY UPDATE"""

_TARGET = """
SELECT p.id, p.status, b.id, b.status,
       ARRAY(SELECT j.grade FROM annotation_judgment j WHERE j.pair_id = p.id AND j.counted ORDER BY j.id),
       ARRAY(SELECT j.annotator_id FROM annotation_judgment j WHERE j.pair_id = p.id AND j.counted),
       EXISTS (SELECT FROM annotation_seat s WHERE s.batch_id = b.id AND s.annotator_id = %(member)s),
       EXISTS (SELECT FROM annotation_pair o WHERE o.batch_id = b.id AND o.status = p.status AND o.id <> p.id),
       (SELECT c.duration FROM queries_candidate k JOIN corpus_clip c ON c.moment_id = k.moment_id
         WHERE k.id = p.candidate_id),
       (SELECT j.decided_at FROM annotation_judgment j WHERE j.annotator_id = %(member)s
         ORDER BY j.given_at DESC LIMIT 1)
  FROM annotation_pair p
  JOIN annotation_batch b ON b.id = p.batch_id
 WHERE p.public_id = %(pair)s AND b.collection_id = %(collection)s"""

_EARLIER = """
SELECT p.public_id FROM annotation_judgment j JOIN annotation_pair p ON p.id = j.pair_id
 WHERE j.annotator_id = %(member)s AND j.key = %(key)s"""

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
SELECT sitting.*, p.id, p.public_id,
       ARRAY(SELECT j.annotator_id FROM annotation_judgment j WHERE j.pair_id = p.id AND j.counted),
       (NOT %(has_clips)s OR c.video_file > '')
       AND NOT EXISTS (SELECT FROM annotation_flag f WHERE f.pair_id = p.id AND f.answered_at IS NULL),
       CASE WHEN c.video_file > '' THEN c.public_name END
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
class Target:
    """The pair that a judgment is about, with its batch locked."""

    pair: int
    status: str
    batch: int
    batch_status: str
    grades: list[int]
    judges: list[int]
    sat_there: bool
    others_left: bool
    """Whether other pairs of its batch are in the same state."""
    clip_seconds: float | None
    previous: datetime | None
    """When the annotator's last judgment was decided."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """An annotator at a batch: what is undecided there, and who goes first. `seat` is 0 before it was taken."""

    seat: int
    live: bool
    batch: int
    query: str
    others: list[int]
    pairs: list[PairFacts]


@dataclass(frozen=True, slots=True)
class Before:
    """Everything that a judgment meets: the pair, the pair that its key was used for before, the annotator's seats."""

    target: Target | None
    earlier: uuid.UUID | None
    sittings: list[Sitting]


def lock_member(member: Membership) -> None:
    """One request at a time for each person, until the transaction ends."""
    _prepared().execute(_LOCK_MEMBER, {"member": member.pk}, prepare=True)


def before_judgment(member: Membership, pair_id: uuid.UUID, key: uuid.UUID, now: datetime) -> Before:
    """Lock the member and the pair's batch, then read what a judgment needs. One round trip, in a transaction."""
    asked = {
        "member": member.pk,
        "collection": member.collection_id,
        "pair": pair_id,
        "key": key,
        "now": now,
        "has_clips": member.collection.has_clips,
    }
    cursors = []
    connection.ensure_connection()
    # Each statement sees what was committed when its turn came: the reads come after the locks were granted.
    with connection.connection.pipeline():
        for statement in (_LOCK_MEMBER, _LOCK_BATCH, _TARGET, _EARLIER, _AT_MY_SEATS):
            cursor = _prepared()
            cursor.execute(statement, asked, prepare=True)
            cursors.append(cursor)
    *_, target, earlier, seats = cursors
    row, key_row = target.fetchone(), earlier.fetchone()
    return Before(Target(*row) if row else None, key_row[0] if key_row else None, _sittings(member, seats.fetchall()))


def sittings_of(member: Membership, now: datetime) -> list[Sitting]:
    """The annotator's seats that haven't ended, in the order in which they were taken. One statement."""
    asked = {"member": member.pk, "now": now, "has_clips": member.collection.has_clips}
    return _sittings(member, _prepared().execute(_AT_MY_SEATS, asked, prepare=True).fetchall())


def sitting_at(member: Membership, batch_id: int, now: datetime) -> Sitting:
    """What an annotator would find who sat down there now. Call it with the batch locked."""
    asked = {"member": member.pk, "now": now, "has_clips": member.collection.has_clips, "batch": batch_id}
    (sitting,) = _sittings(member, _prepared().execute(_AT_A_BATCH, asked, prepare=True).fetchall())
    return sitting


def _sittings(member: Membership, rows: Sequence[tuple[Any, ...]]) -> list[Sitting]:
    rule = rule_of(member.collection)
    found: dict[int, Sitting] = {}
    for seat, live, batch, status, query, others, pk, public_id, judges, ready, clip in rows:
        sitting = found.setdefault(batch, Sitting(seat, live, batch, query, others, []))
        if pk is not None:
            needed = needed_in("open" if status == "first" else "disputed", rule)
            sitting.pairs.append(PairFacts(pk, str(public_id), needed, frozenset(judges), bool(ready), clip))
    return list(found.values())


def _prepared() -> psycopg.Cursor[Any]:
    """A cursor that binds on the server: what it executes with `prepare` is planned once a connection."""
    connection.ensure_connection()
    return psycopg.Cursor(connection.connection)


_KEEP = """
WITH settled AS (
    UPDATE annotation_pair SET status = %(state)s, grade = %(new_grade)s WHERE id = %(pair)s AND %(changed)s),
renewed AS (
    -- Not at every key: a row that is written each time would be vacuumed for ever.
    UPDATE annotation_seat SET expires_at = %(until)s
     WHERE batch_id = %(batch)s AND annotator_id = %(annotator)s AND ended_at IS NULL
       AND expires_at > %(given_at)s AND expires_at < %(until)s - interval '1 minute')
INSERT INTO annotation_judgment
       (pair_id, annotator_id, grade, round, counted, uncounted_because, key, played, active_seconds, too_soon,
        guideline, decided_at, given_at)
VALUES (%(pair)s, %(annotator)s, %(grade)s, %(round)s, %(counted)s, %(because)s, %(key)s, %(played)s, %(active)s,
        %(too_soon)s, %(guideline)s, %(decided_at)s, %(given_at)s)"""


def keep_judgment(
    judgment: Judgment, *, batch: int, new_state: tuple[str, int | None] | None, seat_until: datetime
) -> None:
    """Write a judgment, its pair's new state if there is one, and the seat's new expiry. One statement."""
    state, grade = new_state or ("", None)
    row = {
        "pair": judgment.pair_id,
        "annotator": judgment.annotator_id,
        "grade": judgment.grade,
        "round": judgment.round,
        "counted": judgment.counted,
        "because": judgment.uncounted_because,
        "key": judgment.key,
        "played": judgment.played,
        "active": judgment.active_seconds,
        "too_soon": judgment.too_soon,
        "guideline": judgment.guideline,
        "decided_at": judgment.decided_at,
        "given_at": judgment.given_at,
        "batch": batch,
        "changed": new_state is not None,
        "state": state,
        "new_grade": grade,
        "until": seat_until,
    }
    _prepared().execute(_KEEP, row, prepare=True)
