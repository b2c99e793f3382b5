"""A collection's runs and its recipe's versions, as their pages show them."""

from django.db.models import Count, QuerySet

from foundation.models import Collection
from queries.models import Candidate, PoolPlan, PoolRun
from queries.pooling.candidates import in_use


def runs_of(collection: Collection) -> list[PoolRun]:
    """The collection's runs by team and system; each has how many pairs it put into the pool as `in_pool`, and as
    `open` how many of these are open for judging or judged. Three SQL queries."""
    candidates = Candidate.objects.filter(query__collection=collection, source__run__isnull=False)
    chosen, opened = (
        dict(pairs.order_by().values_list("source__run").annotate(number=Count("pk")))
        for pairs in (candidates, in_use(candidates))
    )
    runs = list(PoolRun.objects.filter(collection=collection).select_related("member").order_by("team", "system"))
    for run in runs:
        run.in_pool, run.open = chosen.get(run.pk, 0), opened.get(run.pk, 0)  # type: ignore[attr-defined]
    return runs


def plans_of(collection: Collection) -> QuerySet[PoolPlan]:
    """The versions of the collection's recipe, newest first; each has how many candidates it chose as `chosen`."""
    plans = PoolPlan.objects.filter(collection=collection).select_related("member")
    return plans.annotate(chosen=Count("sources")).order_by("-version")
