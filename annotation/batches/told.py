"""What webhooks are told of batches and pairs. For leads: it says what is decided, and no grade."""

from annotation.models import Batch, Pair
from corpus.webhooks.kinds import BATCH_DECIDED, PAIR_DISCARDED, QUERY_FINISHED
from corpus.webhooks.outbox import note


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
