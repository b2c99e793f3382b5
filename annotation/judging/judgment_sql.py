"""SQL for the judging hot path, prepared once per connection.

Written in SQL, since this is the one place where each millisecond is paid hundreds of thousands of times
(`benchmarks/judging.py`). One read without a lock and one write that holds only if nothing has changed since: what is
written is decided in `judgments.py`, by the pure rules.
"""

import uuid
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import psycopg
from django.db import connection, transaction

from annotation.assignment.seat_sql import PAIRS_AHEAD, Sitting, read_sittings, seat_expiry
from annotation.assignment.suited_sql import suiting
from annotation.consensus import Rule
from annotation.judging.paid_time import Booking, ClockState
from annotation.judging.requests import NewJudgment
from annotation.models import WorkClock
from annotation.span_consensus import Span
from foundation.infra.prepared_sql import rows_of
from foundation.models import Membership

_TARGET = """
SELECT p.id AS pair_id, p.version, p.status, b.id AS batch,
       ARRAY(SELECT j.grade FROM annotation_judgment j WHERE j.pair_id = p.id AND j.counted ORDER BY j.id) AS grades,
       ARRAY(SELECT j.annotator_id FROM annotation_judgment j
              WHERE j.pair_id = p.id AND j.uncounted_because IN ('', 'set-aside')) AS judges,
       (SELECT coalesce(max(s.taken_at) FILTER (WHERE p.id = ANY (s.pairs)), max(s.taken_at)) FROM annotation_seat s
         WHERE s.batch_id = b.id AND s.annotator_id = %(member)s) AS served_at,
       EXISTS (SELECT FROM annotation_pair o
                WHERE o.batch_id = b.id AND o.status = p.status AND o.id <> p.id) AS others_left,
       (SELECT c.duration FROM queries_candidate k JOIN corpus_clip c ON c.moment_id = k.moment_id
         WHERE k.id = p.candidate_id) AS clip_seconds
  FROM annotation_pair p
  JOIN annotation_batch b ON b.id = p.batch_id
 WHERE p.public_id = %(pair)s AND b.collection_id = %(collection)s"""

_EARLIER = """
SELECT p.public_id FROM annotation_judgment j JOIN annotation_pair p ON p.id = j.pair_id
 WHERE j.annotator_id = %(member)s AND j.key = %(key)s"""

# A request that waited says too late when its key was pressed, which would leave the next one too little time. What was
# worked on it began no sooner than the one before was decided and its pair was served: with these its key was pressed.
# Who says less work than was done is held by `is_too_soon` there, so that the average stays what a clip needs.
_PREVIOUS = """
SELECT least(last.decided_at, make_interval(secs => last.active_seconds) + greatest(
           (SELECT j.decided_at FROM annotation_judgment j
             WHERE j.annotator_id = %(member)s AND j.uncounted_because <> 'taken-back'
             ORDER BY j.given_at DESC OFFSET 1 LIMIT 1),
           (SELECT max(s.taken_at) FROM annotation_pair p JOIN annotation_seat s ON s.batch_id = p.batch_id
             WHERE p.id = last.pair_id AND s.annotator_id = %(member)s)))
  FROM annotation_judgment last
 WHERE last.annotator_id = %(member)s AND last.uncounted_because <> 'taken-back' ORDER BY last.given_at DESC LIMIT 1"""


# In one statement, and so as of one moment by one clock, the database's; as JSON, since its parts have nothing in
# common.
_BEFORE = f"""
SELECT statement_timestamp(), clock.until, clock.seconds,
       (SELECT row_to_json(target) FROM ({_TARGET}) AS target), ({_EARLIER}), ({_PREVIOUS}),
       (SELECT json_agg(json_build_array(
                   seat, live, batch, status, text, narrative, medium, over, pair, public_id, judges, holders, ready,
                   clip, content))
          FROM ({{}}) AS pairs)
  FROM (SELECT) AS one LEFT JOIN annotation_workclock clock ON clock.account_id = %(account)s"""
# psycopg parses a statement of more than 4,096 characters anew each time, a tenth of a millisecond for this one: where
# videos are marked it is as long.
_BEFORE_BY_MARKS = {marked: " ".join(_BEFORE.format(pairs).split()) for marked, pairs in PAIRS_AHEAD.items()}


RENEWED_EVERY = timedelta(minutes=1)
"""A seat that lasts two minutes or more is renewed so often while its annotator judges, a shorter one sooner."""
AHEAD = 6
"""Pairs that are read with a judgment: those of the answer, and some that have to wait for their clip or for others."""


@dataclass(frozen=True)
class TargetPair:
    """The pair that a judgment is about. Its `version` tells whether anything about it has changed since."""

    pair_id: int
    version: int
    status: str
    batch: int
    grades: list[int]
    judges: list[int]
    served_at: datetime | None
    """When the annotator was given it; None: never."""
    others_left: bool
    """Whether other pairs of its batch are in the same state."""
    clip_seconds: float | None


@dataclass(frozen=True, slots=True)
class JudgmentContext:
    """State needed to record a judgment.

    `now` is the database's time; `clock` up to where the annotator's time is accounted for, None before there is any;
    `target` is the pair; `earlier` the public id of the pair that its key was used for before; `previous` the
    earliest that the annotator's last judgment can have been decided; `sittings` the annotator's seats, with the first
    pairs that wait there.
    """

    now: datetime
    clock: ClockState | None
    target: TargetPair | None
    earlier: uuid.UUID | None
    previous: datetime | None
    sittings: list[Sitting]


@dataclass(frozen=True, slots=True)
class Beside:
    """What goes with a judgment in rows of its own: the span that was marked, and answers to factors by their ids."""

    span: Span | None = None
    factors: Mapping[int, int | None] = field(default_factory=dict)

    @property
    def values(self) -> dict[str, Any]:
        """As the statement takes them."""
        start, end = (None, None) if self.span is None else (self.span.start, self.span.end)
        ids, answers = list(self.factors), list(self.factors.values())
        return {"span_start": start, "span_end": end, "factor_ids": ids, "factor_values": answers}


NOTHING = Beside()


def judgment_context(member: Membership, rule: Rule, pair_id: uuid.UUID, key: uuid.UUID) -> JudgmentContext:
    """Read what a judgment needs, in one statement and without a lock: `keep_judgment` tells if it was overtaken."""
    asked = {
        "member": member.pk,
        "account": member.account_id,
        "collection": member.collection_id,
        "pair": pair_id,
        "key": key,
        "has_clips": member.collection.has_clips,
        **suiting(member),
        "ahead": AHEAD,
    }
    ((now, until, seconds, target, earlier, previous, pairs),) = rows_of(
        _BEFORE_BY_MARKS[member.collection.marks_content], asked
    )
    return JudgmentContext(
        now=now,
        clock=None if until is None else ClockState(until, seconds),
        target=_target(target) if target else None,
        earlier=earlier,
        previous=previous,
        sittings=read_sittings(rule, pairs or ()),
    )


def _target(read: dict[str, Any]) -> TargetPair:
    served = read.pop("served_at")
    return TargetPair(**read, served_at=None if served is None else datetime.fromisoformat(served))


def begin_clock(member: Membership, at: datetime) -> None:
    """Account for the time of somebody who has no clock yet from `at` on. Who has one keeps it."""
    assert member.account_id is not None, "whoever sends a judgment has an account"
    WorkClock.objects.get_or_create(account_id=member.account_id, defaults={"until": at})


# Kept only if neither the pair nor its annotator's clock changed since they were read: a row count of none means that
# somebody was faster. The pair is locked before the clock is written, and written after it, so that none is written
# alone.
_UPDATED = """
WITH unchanged AS (
    SELECT p.id FROM annotation_pair p WHERE p.id = %(pair_id)s AND p.version = %(version)s FOR NO KEY UPDATE),
moved AS (
    UPDATE annotation_workclock c SET until = %(decided_at)s, seconds = %(seconds)s
      FROM unchanged WHERE c.account_id = %(account)s AND c.until = %(read_until)s
    RETURNING unchanged.id),
settled AS (
    UPDATE annotation_pair p
       SET version = version + 1,
           status = CASE WHEN %(changed)s THEN %(new_status)s ELSE status END,
           grade = CASE WHEN %(changed)s THEN %(new_grade)s::smallint ELSE grade END
      FROM moved WHERE p.id = moved.id
    RETURNING p.id),
renewed AS (
    -- Not at every key: a row that is written each time would be vacuumed for ever.
    UPDATE annotation_seat SET expires_at = %(until)s
     WHERE batch_id = %(batch)s AND annotator_id = %(member)s AND ended_at IS NULL
       AND expires_at > %(given_at)s AND expires_at < %(renewed_below)s)"""
_GIVEN = """
INSERT INTO annotation_judgment
       (pair_id, annotator_id, grade, round, counted, uncounted_because, key, played, active_seconds, too_soon,
        used, guideline, decided_at, given_at)
SELECT id, %(member)s, %(grade)s::smallint, %(round)s::smallint, %(because)s::text = '', %(because)s::text,
       %(key)s::uuid, %(played)s::float8, %(active_seconds)s::float8, %(too_soon)s::boolean, %(used)s::text[],
       %(guideline)s::int, %(decided_at)s::timestamptz, %(given_at)s::timestamptz
  FROM settled
RETURNING id"""
_KEEP = _UPDATED + _GIVEN


_KEEP_WITH_ROWS = f"""{_UPDATED},
given AS ({_GIVEN}),
marked AS (
    INSERT INTO annotation_judgedspan (judgment_id, start, "end")
    SELECT id, %(span_start)s::float8, %(span_end)s::float8 FROM given WHERE %(span_start)s::float8 IS NOT NULL),
answered AS (
    INSERT INTO annotation_judgedfactor (judgment_id, factor_id, value)
    SELECT given.id, one.factor, one.value
      FROM given, unnest(%(factor_ids)s::bigint[], %(factor_values)s::smallint[]) AS one (factor, value))
SELECT id FROM given"""

_MOVE_CLOCK = """
UPDATE annotation_workclock SET until = %(until)s, seconds = %(seconds)s
 WHERE account_id = %(account)s AND until = %(read_until)s RETURNING until"""


def move_clock(member: Membership, read: ClockState, new: ClockState) -> bool:
    """Move an annotator's clock to the new state; False if it was moved since it was read."""
    values = {"account": member.account_id, "read_until": read.until, "until": new.until, "seconds": new.seconds}
    return bool(rows_of(_MOVE_CLOCK, values))


def keep_judgment(
    sent: NewJudgment,
    target: TargetPair,
    booking: Booking,
    *,
    member: Membership,
    read: ClockState,
    now: datetime,
    round: int,
    because: str,
    too_soon: bool,
    new_state: tuple[str, int | None] | None,
    beside: Beside,
    used: list[str] | None,
) -> bool:
    """Write a judgment, its pair's new state if there is one, its annotator's clock, the seat's new expiry and what
    goes with it, in one statement, which takes the judgment's fields as they were sent, by name.

    Args:
        because: why it isn't counted; "" where it is.

    Returns: False, and nothing was written, if pair or clock changed since they were read, or the key was used.
    """
    new_status, new_grade = new_state or ("", None)
    seat_until = seat_expiry(member, now)
    values = {
        **vars(sent),
        **vars(target),
        **vars(booking),
        "member": member.pk,
        "account": member.account_id,
        "guideline": member.guideline_confirmed,
        "read_until": read.until,
        "seconds": booking.clock.seconds,
        "given_at": now,
        "round": round,
        "because": because,
        "used": used,
        "too_soon": too_soon,
        "changed": new_state is not None,
        "new_status": new_status,
        "new_grade": new_grade,
        "until": seat_until,
        "renewed_below": seat_until - min(RENEWED_EVERY, (seat_until - now) / 2),
    }
    try:
        with transaction.atomic() if connection.in_atomic_block else nullcontext():
            if beside == NOTHING:
                return bool(rows_of(_KEEP, values))
            return bool(rows_of(_KEEP_WITH_ROWS, {**values, **beside.values}))
    except psycopg.errors.UniqueViolation:
        return False
