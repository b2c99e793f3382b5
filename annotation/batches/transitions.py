"""State transitions of pairs and batches, as `states.md` lists them."""

import logging
import time
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, QuerySet

from annotation.batches.webhook_events import SettledBatch, note_decided, note_discarded, note_finished, note_many
from annotation.consensus import Kind, Rounding, Rule, state_of
from annotation.models import Batch, Judgment, Pair, SamplingDesign
from foundation.infra.prepared_sql import rows_of
from foundation.infra.task_queue import QueueAway, send
from foundation.models import Collection
from queries.models import Candidate, Query, QueryPool

log = logging.getLogger(__name__)

POLICY_SECONDS = 130
"""Delay of the automatic review after a batch was decided: a little more than its grace."""

# This runs between two key presses, so its statements are prepared. The standing is read by a statement of its own once
# the lock is held: one that has waited for a lock doesn't see what was committed meanwhile.
_HOLD_BATCH = "SELECT b.id FROM annotation_batch b WHERE b.id = %(batch)s FOR NO KEY UPDATE"

_STANDING = """
SELECT b.status,
       EXISTS (SELECT FROM annotation_pair p WHERE p.batch_id = b.id AND p.status = 'open'),
       EXISTS (SELECT FROM annotation_pair p WHERE p.batch_id = b.id AND p.status = 'disputed'),
       EXISTS (SELECT FROM annotation_batch n WHERE n.query_id = b.query_id AND n.number > b.number),
       b.number >= c.max_batches
       OR EXISTS (SELECT FROM annotation_samplingdesign d WHERE d.collection_id = c.id AND d.unit = 'pair')
       OR NOT EXISTS (SELECT FROM queries_candidate k
                       WHERE k.query_id = b.query_id AND k.rank > b.number * c.batch_size)
          AND NOT EXISTS (SELECT FROM queries_querypool q WHERE q.query_id = b.query_id AND q."left" > 0),
       CASE WHEN c.auto_extend_from IS NOT NULL OR c.auto_finish_to IS NOT NULL
                 OR EXISTS (SELECT FROM queries_poolplan o
                             WHERE o.collection_id = c.id AND o.current AND o.by_itself AND o.recipe <> 'paper')
            THEN c.id END
  FROM annotation_batch b JOIN foundation_collection c ON c.id = b.collection_id
 WHERE b.id = %(batch)s"""

_SETTLE = """
WITH ended AS (
    UPDATE annotation_seat SET ended_at = statement_timestamp() WHERE batch_id = %(batch)s AND ended_at IS NULL)
UPDATE annotation_batch SET status = %(status)s::text,
       disputed = CASE WHEN %(status)s::text = 'second' THEN coalesce(disputed, (
           SELECT count(*) FROM annotation_pair p WHERE p.batch_id = %(batch)s AND p.status = 'disputed'))
                  ELSE disputed END
 WHERE id = %(batch)s"""


_SET_STATES = """
UPDATE annotation_pair p SET status = said.status, grade = said.grade, version = p.version + 1
  FROM unnest(%s::bigint[], %s::text[], %s::int[]) AS said (id, status, grade) WHERE p.id = said.id"""


def rule_of(collection: Collection) -> Rule:
    """The numbers of a collection's consensus rule."""
    return Rule(
        top_grade=collection.top_grade,
        first_round=collection.first_round_people,
        second_round=collection.second_round_people,
        largest_difference=collection.largest_difference,
        rounding=cast(Rounding, collection.rounding),
        step=collection.grade_step,
        kind=cast(Kind, collection.consensus_rule),
        trimmed=collection.trimmed_grades,
    )


def settle_pair(pair: Pair, rule: Rule) -> None:
    """Set a pair's state from its counted judgments, and its batch's from its pairs. The batch must be locked."""
    for changed, status in _decide([pair], rule):
        if status == "discarded":
            note_discarded(changed.pk)
        settle_batch(changed.batch_id)


def _decide(pairs: Sequence[Pair], rule: Rule) -> list[tuple[Pair, str]]:
    """Set pairs' states from their counted grades, in two statements. Returns those that changed, with the new one."""
    grades: dict[int, list[int]] = {pair.pk: [] for pair in pairs if pair.status != Pair.Status.WITHDRAWN}
    counted = Judgment.objects.filter(pair__in=grades, counted=True).order_by("pk")
    for pair_id, grade in counted.values_list("pair", "grade"):
        grades[pair_id].append(grade)
    said = {pk: state_of(given, rule) for pk, given in grades.items()}
    # Also when only its judgments changed: whoever has read them to add another must look again.
    columns = [list(said), *map(list, zip(*said.values(), strict=True))] if said else [[], [], []]
    with connection.cursor() as cursor:
        cursor.execute(_SET_STATES, columns)
    known = [pair for pair in pairs if pair.pk in said]
    return [(pair, said[pair.pk][0]) for pair in known if said[pair.pk] != (pair.status, pair.grade)]


def recount(collection: Collection, judgments: Sequence[int], *, because: str) -> None:
    """Take judgments out of consensus, or with `because` "" let them count again, and settle what they are about:
    pairs, then batches. Seats there end with the state they were taken for."""
    given = Judgment.objects.filter(pk__in=judgments)
    batches = hold_batches(given.values("pair__batch"))
    pairs = Pair.objects.select_for_update(no_key=True).filter(pk__in=given.values("pair")).order_by("batch", "pk")
    locked = list(pairs)
    given.update(counted=not because, uncounted_because=because)
    changed = _decide(locked, rule_of(collection))
    settled = [(batch, _settle(batch.pk)) for batch in batches]
    if any(done.policy_of for _, done in settled):
        _ask_policy(collection.pk)
    decided = [SettledBatch(batch.query_id, batch.number, done.status) for batch, done in settled if done.decided]
    of = {batch.pk: {"query": batch.query_id, "batch": batch.number} for batch in batches}
    discarded = [{**of[pair.batch_id], "pair": pair.pk} for pair, status in changed if status == "discarded"]
    note_many(collection, decided, discarded)


def hold_batch(batch_id: int) -> None:
    """Lock a batch until the transaction ends: always before any of its pairs, or two would wait for each other."""
    rows_of(_HOLD_BATCH, {"batch": batch_id})


def hold_batches(which: Iterable[int] | QuerySet[Any]) -> list[Batch]:
    """Lock batches in one order, so that two who do so can't wait for each other in a circle."""
    return list(Batch.objects.select_for_update(no_key=True).filter(pk__in=which).order_by("pk"))


def settle_batch(batch_id: int) -> str:
    """Set a batch's status from its pairs, and return it. A decided batch that is the last is finished."""
    done = _settle(batch_id)
    if done.decided:
        note_decided(batch_id, status=done.status)
    if done.before != done.status == Batch.Status.FINISHED:
        note_finished(batch_id)
    if done.policy_of is not None:
        _ask_policy(done.policy_of)
    return done.status


class _Settled(NamedTuple):
    """A batch's status before and now; `policy_of` is its collection where a policy is to be asked."""

    before: str
    status: str
    policy_of: int | None

    @property
    def decided(self) -> bool:
        rounds = (Batch.Status.FIRST_ROUND, Batch.Status.SECOND_ROUND)
        return self.before in rounds and self.status not in rounds


def _settle(batch_id: int) -> _Settled:
    hold_batch(batch_id)
    ((before, some_open, some_disputed, next_exists, last, policy_of),) = rows_of(_STANDING, {"batch": batch_id})
    if some_open:
        status = Batch.Status.FIRST_ROUND
    elif some_disputed:
        status = Batch.Status.SECOND_ROUND
    elif next_exists:
        # Imported judgments went on to the next batch, and no review says so.
        status = Batch.Status.EXTENDED
    elif last:
        status = Batch.Status.FINISHED
    else:
        status = Batch.Status.DECIDED
    if status != before:
        # What the seats there were taken for is over; nobody has to come back for them to be free.
        rows_of(_SETTLE, {"batch": batch_id, "status": status.value})
    asks = status != before and status == Batch.Status.DECIDED
    return _Settled(before, status.value, policy_of if asks else None)


# Not EXISTS: planned as a join, it would read all pairs, and few batches are being judged.
_ROUNDS_OVER = """
SELECT b.id FROM annotation_batch b JOIN foundation_collection c ON c.id = b.collection_id AND c.archived_at IS NULL
 WHERE b.status = 'second'
   AND (SELECT true FROM annotation_pair p WHERE p.batch_id = b.id AND p.status = 'disputed' LIMIT 1) IS NULL
UNION ALL
SELECT b.id FROM annotation_batch b JOIN foundation_collection c ON c.id = b.collection_id AND c.archived_at IS NULL
 WHERE b.status = 'first' AND b.begun_at IS NOT NULL
   AND (SELECT true FROM annotation_pair p WHERE p.batch_id = b.id AND p.status = 'open' LIMIT 1) IS NULL"""


def settle_rounds_over() -> int:
    """Settle batches whose round ended without that being noticed; called by the sweep. Returns how many.

    The last two pairs of a round may be judged at the same moment, when neither judgment sees itself as the last one.
    Who sits there settles it with the next request for work; but both may have left, and nobody else is sent there.
    """
    over = [batch for (batch,) in rows_of(_ROUNDS_OVER, {})]
    for batch in over:
        with transaction.atomic():
            settle_batch(batch)
    return len(over)


def _ask_policy(collection_id: int) -> None:
    """Queue the automatic review of a decided batch, due once its last judgment can't be taken back any more."""
    transaction.on_commit(partial(_queue_policy, collection_id))


def _queue_policy(collection_id: int) -> None:
    try:
        due = time.time() + POLICY_SECONDS
        send("annotation.tasks.apply_review_policy", collection_id, due, countdown=POLICY_SECONDS)
    except QueueAway as fault:
        # It costs nobody a judgment, and a sweep asks for it once the queue is back.
        log.warning("collection %s: its review policy could not be queued (%s)", collection_id, fault.why)


def design_of(collection: Collection) -> SamplingDesign | None:
    """The collection's sampling design, if it has one. One SQL query."""
    return SamplingDesign.objects.filter(collection=collection).first()


def draws_pairs(collection: Collection) -> bool:
    """Whether a sampling design says which pairs of each query are judged: then no review adds any. One SQL query."""
    return SamplingDesign.objects.filter(collection=collection, unit=SamplingDesign.Unit.PAIR).exists()


def is_last(batch: Batch) -> bool:
    """Whether no batch can follow: the collection's maximum is reached, a design draws pairs, or the query has no more
    candidates and its recipe nothing left to choose. At most one SQL query."""
    collection = batch.query.collection
    if batch.number >= collection.max_batches:
        return True
    below = Candidate.objects.filter(query=OuterRef("pk"), rank__gt=batch.number * collection.batch_size)
    to_choose = QueryPool.objects.filter(query=OuterRef("pk"), left__gt=0)
    of_pairs = SamplingDesign.objects.filter(collection=OuterRef("collection"), unit=SamplingDesign.Unit.PAIR)
    more = Query.objects.filter(Exists(below) | Exists(to_choose), ~Exists(of_pairs), pk=batch.query_id)
    return not more.exists()
