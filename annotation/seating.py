"""What `seats.py` locks and writes, in statements that PostgreSQL prepares once a connection. It decides nothing."""

from collections.abc import Collection
from datetime import datetime

from annotation.facts import Sitting
from annotation.routing import PairFacts
from corpus.models import Membership
from corpus.statements import rows_of

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
    """Lock a batch, and say how many pairs it has; 0, at once, if somebody else has it."""
    rows = rows_of(_HOLD_FREE, {"batch": batch_id})
    return int(rows[0][0]) if rows else 0


def sit_down(
    member: Membership, batch_id: int, pairs: Collection[PairFacts], *, now: datetime, until: datetime
) -> None:
    """A new seat at these pairs of a batch that is locked; the first one there begins it."""
    chosen = [pair.pk for pair in pairs]
    rows_of(_SIT_DOWN, {"member": member.pk, "batch": batch_id, "pairs": chosen, "now": now, "until": until})


def renew_seat(sitting: Sitting, *, until: datetime) -> bool:
    """Keep a seat for as long again, unless its round has ended since it was read."""
    return bool(rows_of(_RENEW, {"seat": sitting.seat, "until": until}))


def end_seat(sitting: Sitting, *, now: datetime) -> None:
    rows_of(_END, {"seat": sitting.seat, "now": now})
