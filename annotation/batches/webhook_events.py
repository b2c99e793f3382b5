"""What webhooks are told of batches and pairs. For leads: it says what is decided, and no grade."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from annotation.models import Batch, Pair
from foundation.models import Collection
from foundation.webhooks.kinds import BATCH_DECIDED, PAIR_DISCARDED, QUERY_FINISHED
from foundation.webhooks.outbox import note

AT_ONCE = 500
"""Batches or pairs settled by an import that one event tells of."""


class SettledBatch(NamedTuple):
    """A batch all of whose pairs are decided: its query, number and new status."""

    query: int
    batch: int
    status: str


def note_decided(batch_id: int, *, status: str) -> None:
    """All pairs of a batch are decided. Part of the caller's transaction."""
    batch = Batch.objects.select_related("collection").get(pk=batch_id)
    data = {"query": batch.query_id, "batch": batch.number, "status": status}
    note(BATCH_DECIDED, collection=batch.collection, data=data)


def note_finished(batch_id: int) -> None:
    """A batch is the last one of its query, which so is finished. Part of the caller's transaction."""
    batch = Batch.objects.select_related("collection").get(pk=batch_id)
    note(QUERY_FINISHED, collection=batch.collection, data={"query": batch.query_id, "batches": batch.number})


def note_discarded(pair_id: int) -> None:
    """Annotators couldn't agree on a pair, not even in the second round. Part of the caller's transaction."""
    pair = Pair.objects.select_related("batch__collection").get(pk=pair_id)
    data = {"query": pair.batch.query_id, "batch": pair.batch.number, "pair": pair.pk}
    note(PAIR_DISCARDED, collection=pair.batch.collection, data=data)


def note_many(collection: Collection, settled: Sequence[SettledBatch], discarded: Sequence[Mapping[str, Any]]) -> None:
    """What an import has settled, many to an event: `data` has "many", each as an event of its own would say it.

    Part of the caller's transaction.
    """
    finished = [batch for batch in settled if batch.status == Batch.Status.FINISHED]
    for kind, rows in (
        (PAIR_DISCARDED, discarded),
        (BATCH_DECIDED, [batch._asdict() for batch in settled]),
        (QUERY_FINISHED, [{"query": batch.query, "batches": batch.batch} for batch in finished]),
    ):
        for start in range(0, len(rows), AT_ONCE):
            note(kind, collection=collection, data={"many": list(rows[start : start + AT_ONCE])})
