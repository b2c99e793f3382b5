"""Open batches of candidates for judging (rule 4's ranks 1-20, 21-40).

A pool by a recipe of runs is opened whole: all batches that it has candidates for, the later ones of a query too. One
whose recipe hears grades has candidates for the next batch alone. Of a sampling design what is drawn is opened; pairs
that one draws of a query are a batch of their own at each stage.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from annotation.batches.missing_clips import ask_for_missing_clips
from annotation.batches.pools import choose_next, unopened
from annotation.batches.transitions import design_of, draws_pairs, settle_batch
from annotation.models import Batch, Pair, SampledUnit, SamplingDesign
from foundation.infra.set_based_sql import copy_rows
from foundation.models import Collection
from queries.models import Candidate, Query
from queries.pooling.run_plans import hold_pool, run_plan


@dataclass(frozen=True, slots=True)
class Opened:
    """What `open_annotation` opened now, and how many queries had their first batch already or have no candidates;
    `clips_missing`: moments to be judged, now or from before, whose clip a worker has to cut first."""

    batches: int
    pairs: int
    open_before: int
    without_candidates: int
    clips_missing: int = 0


AT_ONCE = 200
"""Queries whose first batches are opened in one transaction: enough for speed, few enough to hold locks briefly."""


def open_annotation(*, collection: Collection, progress: Callable[[int], object] = lambda queries: None) -> Opened:
    """Open what `to_open` says: a block of queries a transaction. Repeating it opens only what is new.

    Args: progress: called with the number of queries looked at since the last call.
    """
    before = collection.queries.filter(batches__number=1).count()
    pending = list(queries_to_open(collection).values_list("pk", flat=True))
    opened = pairs = without = 0
    for first in range(0, len(pending), AT_ONCE):
        block = pending[first : first + AT_ONCE]
        batches, own, bare = _open_block(collection, block)
        opened, pairs, without = opened + batches, pairs + own, without + bare
        progress(len(block))
    return Opened(opened, pairs, before, without, ask_for_missing_clips(collection=collection))


def to_open(collection: Collection) -> QuerySet[Candidate]:
    """The candidates that opening would open now.

    Of a query without a batch the first of its candidates; by a recipe of runs, all that was chosen and isn't open. Of
    a design that draws queries, of drawn ones alone; of one that draws pairs, the drawn pairs that aren't open.
    """
    design = design_of(collection)
    drawn = SampledUnit.objects.filter(design=design, drawn_at__isnull=False)
    if design is not None and design.unit == SamplingDesign.Unit.PAIR:
        return Candidate.objects.filter(pk__in=drawn.values("candidate"), pair__isnull=True)
    if run_plan(collection) is not None:
        candidates = unopened(collection)
    else:
        candidates = Candidate.objects.filter(query__collection=collection, query__batches__isnull=True)
        if collection.study_of_id is None:
            # A study judges all its candidates as one batch: those at random have ranks far beyond its size.
            candidates = candidates.filter(rank__lte=collection.batch_size)
    return candidates if design is None else candidates.filter(query__in=drawn.values("query"))


def queries_to_judge(collection: Collection) -> QuerySet[Query]:
    """The collection's queries; of a design that draws queries, those drawn; of one that draws pairs, its frame's."""
    design = design_of(collection)
    if design is None:
        return Query.objects.filter(collection=collection)
    return Query.objects.filter(pk__in=design.units.filter(drawn_at__isnull=False).values("query"))


def queries_to_open(collection: Collection) -> QuerySet[Query]:
    """The queries to judge that have no batch, and those with candidates to open, in the order in which they are
    judged."""
    chosen = to_open(collection).filter(query=OuterRef("pk"))
    pending = queries_to_judge(collection).filter(Q(batches__isnull=True) | Exists(chosen))
    return pending.order_by("split", "position")


def _hold(queries: list[int]) -> None:
    # In one order, so that two who open the same wait for each other and don't deadlock.
    rows = Query.objects.select_for_update(of=("self",), no_key=True).filter(pk__in=queries).order_by("pk")
    list(rows.values_list("pk"))


@transaction.atomic
def _open_block(collection: Collection, queries: list[int]) -> tuple[int, int, int]:
    """Returns: how many batches and pairs were opened, and how many of these queries have no batch even so."""
    _hold(queries)
    by_rank = run_plan(collection) is not None and not draws_pairs(collection)
    if by_rank:
        hold_pool(collection.pk)
    last = dict(Batch.objects.filter(query__in=queries).order_by().values_list("query").annotate(last=Max("number")))
    of_batch: dict[tuple[int, int], list[int]] = defaultdict(list)
    rows = to_open(collection).filter(query__in=queries).order_by("query", "rank")
    for query, rank, candidate in rows.values_list("query_id", "rank", "pk"):
        number = (rank - 1) // collection.batch_size if by_rank else last.get(query, 0)
        of_batch[query, number + 1].append(candidate)
    batches = Batch.objects.bulk_create(
        Batch(collection=collection, query_id=query, number=number) for query, number in of_batch
    )
    pairs = copy_rows(
        Pair(batch=batch, candidate_id=candidate)
        for batch in batches
        for candidate in of_batch[batch.query_id, batch.number]
    )
    opened = {query for query, _ in of_batch}
    # What was finished, or waited for a review, goes on.
    over = Batch.objects.filter(query__in=opened, status__in=[Batch.Status.FINISHED, Batch.Status.DECIDED])
    for batch in over.order_by("pk"):
        settle_batch(batch.pk)
    ask_for_missing_clips(collection=collection, batches=[batch.pk for batch in batches])
    bare = Query.objects.filter(pk__in=queries, batches__isnull=True).count()
    return len(batches), pairs, bare


@transaction.atomic
def open_batch(*, query: Query, number: int) -> int:
    """Open a query's batch and its pairs, by a recipe of runs those that it chooses now.

    Returns: how many pairs; 0 if there are no candidates, or it was open.
    """
    Query.objects.select_for_update(of=("self",), no_key=True).get(pk=query.pk)
    choose_next(query)
    size = query.collection.batch_size
    candidates = list(
        Candidate.objects.filter(query=query, rank__gt=(number - 1) * size, rank__lte=number * size).order_by("rank")
    )
    if not candidates or Batch.objects.filter(query=query, number=number).exists():
        return 0
    batch = Batch.objects.create(collection_id=query.collection_id, query=query, number=number)
    Pair.objects.bulk_create(Pair(batch=batch, candidate=candidate) for candidate in candidates)
    ask_for_missing_clips(collection=query.collection, batches=[batch.pk])
    return len(candidates)
