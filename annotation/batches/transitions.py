"""State transitions of pairs and batches, as `states.md` lists them."""

import logging
import time
from collections.abc import Sequence
from functools import partial
from typing import cast

from django.db import transaction
from django.db.models import Exists, F, OuterRef

from annotation.batches.webhook_events import note_decided, note_discarded, note_finished
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
    if pair.status == Pair.Status.WITHDRAWN:
        return
    grades = list(pair.judgments.filter(counted=True).order_by("pk").values_list("grade", flat=True))
    if _decide(pair, grades, rule):
        settle_batch(pair.batch_id)


def _decide(pair: Pair, grades: Sequence[int], rule: Rule) -> bool:
    """Set a pair's state from its counted grades. Returns whether it is another."""
    status, grade = state_of(grades, rule)
    # Also when only its judgments changed: whoever has read them to add another must look again.
    Pair.objects.filter(pk=pair.pk).update(status=status, grade=grade, version=F("version") + 1)
    if (status, grade) == (pair.status, pair.grade):
        return False
    if status == "discarded":
        note_discarded(pair.pk)
    return True


def recount(batch_id: int, judgments: Sequence[int], rule: Rule, *, because: str) -> None:
    """Take judgments of a batch out of consensus, or with `because` "" let them count again, and settle what they are
    about: pairs, then the batch. Seats there end with the state they were taken for."""
    hold_batch(batch_id)
    given = Judgment.objects.filter(pk__in=judgments, pair__batch=batch_id)
    pairs = list(Pair.objects.select_for_update(no_key=True).filter(judgments__in=given.values("pk")).order_by("pk"))
    given.update(counted=not because, uncounted_because=because)
    grades: dict[int, list[int]] = {pair.pk: [] for pair in pairs}
    for pair_id, grade in (
        Judgment.objects.filter(pair__in=grades, counted=True).order_by("pk").values_list("pair", "grade")
    ):
        grades[pair_id].append(grade)
    for pair in pairs:
        if pair.status != Pair.Status.WITHDRAWN:
            _decide(pair, grades[pair.pk], rule)
    settle_batch(batch_id)


def hold_batch(batch_id: int) -> None:
    """Lock a batch until the transaction ends: always before any of its pairs, or two would wait for each other."""
    rows_of(_HOLD_BATCH, {"batch": batch_id})


def settle_batch(batch_id: int) -> str:
    """Set a batch's status from its pairs, and return it. A decided batch that is the last is finished."""
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
        if before in (Batch.Status.FIRST_ROUND, Batch.Status.SECOND_ROUND) and not (some_open or some_disputed):
            note_decided(batch_id, status=status.value)
        if status == Batch.Status.FINISHED:
            note_finished(batch_id)
        if status == Batch.Status.DECIDED and policy_of is not None:
            _ask_policy(policy_of)
    return status.value


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
