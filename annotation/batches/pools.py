"""Make and extend pools by a recipe of runs: what comes next follows from the grades so far."""

from collections.abc import Callable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.models import Batch, Pair
from foundation.counted import counted
from foundation.models import Collection
from foundation.refused import Refused
from queries.models import Candidate, PoolPlan, PoolRun, Query, QueryPool
from queries.pooling.run_plans import run_plan
from queries.runs.plans import is_adaptive, needs_similarity
from queries.runs.pool_query import Pooled, pool_query


@dataclass(frozen=True, slots=True)
class MadePool:
    """What making the pool did. `candidates` are those of these queries that aren't open for judging yet; `cut_short`
    queries have as many pairs as there may be, and the recipe would choose more."""

    queries: int = 0
    candidates: int = 0
    before: int = 0
    cut_short: int = 0

    def in_words(self) -> str:
        """In sentences."""
        if not self.queries:
            before = counted(self.before, "query was", "queries were")
            return f"The pool is up to date: {before} pooled before, and nothing has changed."
        sentence = f"{counted(self.queries, 'query was', 'queries were')} pooled: "
        waiting = counted(self.candidates, "pair of theirs isn't", "pairs of theirs aren't")
        sentence += f"{waiting} open for judging yet."
        sentence += f" {counted(self.before, 'was', 'were')} up to date." if self.before else ""
        if self.cut_short:
            many = counted(self.cut_short, "has", "have")
            sentence += f" {many} as many pairs as a query may have: the setting most batches allows more."
        return sentence


def grades_of(query: Query) -> dict[int, float | None]:
    """Moment -> grade, of the query's pairs; None where there is none (yet)."""
    pairs = Pair.objects.filter(batch__query=query)
    return dict(pairs.values_list("candidate__moment_id", "grade"))


def queries_to_pool(collection: Collection) -> QuerySet[Query]:
    """Queries whose pool isn't what runs and recipe say now, in the order of the draw."""
    current = QueryPool.objects.filter(query=OuterRef("pk"), stale=False)
    return Query.objects.filter(~Exists(current), collection=collection).order_by("split", "position")


@dataclass(frozen=True, slots=True)
class PoolCounts:
    """How far a pool by a recipe of runs is. `stale`: queries whose pool isn't what runs and recipe say now; `chosen`
    candidates that aren't open; of the pairs `open` and `judged`."""

    queries: int = 0
    stale: int = 0
    chosen: int = 0
    open: int = 0
    judged: int = 0


def pool_counts(collection: Collection) -> PoolCounts:
    """Count. Four SQL queries, none where the paper's recipe holds but the one that says so."""
    if run_plan(collection) is None:
        return PoolCounts()
    pairs = Pair.objects.filter(batch__collection=collection).aggregate(
        judged=Count("pk", filter=Q(status__in=[Pair.Status.CONSENSUS, Pair.Status.DISCARDED])), all=Count("pk")
    )
    return PoolCounts(
        queries=collection.queries.count(),
        stale=queries_to_pool(collection).count(),
        chosen=unopened(collection).count(),
        open=pairs["all"] - pairs["judged"],
        judged=pairs["judged"],
    )


def make_pool(*, collection: Collection, progress: Callable[[int], object] = lambda queries: None) -> MadePool:
    """Choose candidates by the collection's recipe for every query whose pool isn't up to date, a query a transaction.

    Broken off, it goes on with the queries that are left. What is open for judging or judged stays; no pair comes
    twice. A recipe that hears grades adds to a query once all that was opened of it is decided.

    Args: progress: called with the number of queries pooled since the last call.
    Raises: Refused.
    """
    plan = _plan_of(collection)
    pending = list(queries_to_pool(collection).values_list("pk", flat=True))
    before = collection.queries.count() - len(pending)
    adaptive = is_adaptive(plan)
    candidates = cut_short = 0
    for pk in pending:
        pooled = _pool_one(pk, plan.pk)
        candidates += pooled.added
        # A recipe that knows its pool beforehand has chosen all that there was room for.
        cut_short += pooled.left > 0 and not adaptive
        progress(1)
    return MadePool(len(pending), candidates, before, cut_short)


def _plan_of(collection: Collection) -> PoolPlan:
    plan = run_plan(collection)
    if plan is None:
        raise Refused("the paper's recipe needs no runs: fetch candidates, or set another recipe")
    if not collection.queries.exists():
        raise Refused("there are no queries yet: draw or import them first")
    if not PoolRun.objects.filter(collection=collection).exists():
        raise Refused("there are no runs yet: add one first")
    if needs_similarity(plan.recipe):
        ranked = Q(similarity_ranking__isnull=False) | Q(candidates__similarity__isnull=False)
        if not collection.queries.filter(ranked).exists():
            raise Refused(f"the recipe {plan.recipe} needs the similarity of captions: fetch candidates first")
    return plan


@transaction.atomic
def _pool_one(query_id: int, plan_id: int) -> Pooled:
    query = _hold(query_id)
    plan = PoolPlan.objects.select_related("collection").get(pk=plan_id)
    newest = Batch.objects.filter(query=query).order_by("-number").first()
    adds = newest is None or newest.status == Batch.Status.FINISHED or not is_adaptive(plan)
    return pool_query(query=query, plan=plan, grades=grades_of(query), adds=adds)


def _hold(query_id: int) -> Query:
    """Lock the query's row until the transaction ends: nobody else opens a batch of it, or chooses for it."""
    held = Query.objects.select_for_update(of=("self",), no_key=True).select_related("collection")
    return held.get(pk=query_id)


def choose_next(query: Query) -> None:
    """Choose a query's next batch from the grades of now. The caller has locked the query's row."""
    plan = run_plan(query.collection_id)
    if plan is not None:
        pool_query(query=query, plan=plan, grades=grades_of(query))


def goes_on(collection: Collection) -> bool:
    """Whether the next batch follows by itself once one is decided, by the recipe's own rule. At most one SQL query."""
    plan = run_plan(collection)
    return plan is not None and plan.by_itself


def unopened(collection: Collection) -> QuerySet[Candidate]:
    """Candidates that the recipe has chosen and that aren't open for judging. None under the paper's recipe."""
    return Candidate.objects.filter(query__collection=collection, source__isnull=False, pair__isnull=True)
