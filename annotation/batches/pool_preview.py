"""How many pairs each recipe would give, query by query, and how many of these are judged already."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from annotation.batches.pools import grades_of
from annotation.precomputed import Result, computed_or_ask
from foundation.models import Collection
from queries.models import PoolPlan, PoolRunAnswer, Query
from queries.pooling.query_columns import query_source_id
from queries.runs.choosing import reach
from queries.runs.plans import CheckedRecipe, current_plan, needs_similarity, recipe_of
from queries.runs.pool_query import lists_of, taken_of

NAME = "pool-preview"
RECIPES = ("depth@5", "depth@10", "depth@20", "rrf", "depth")
"""What is compared besides the collection's own."""
AT_ONCE_BELOW = 50
"""Queries, up to which the page computes it itself."""


def is_small(collection: Collection) -> bool:
    """Whether a page computes the preview in its request."""
    return _answered(collection).order_by()[:AT_ONCE_BELOW].count() < AT_ONCE_BELOW


def preview(collection: Collection) -> Result:
    """The newest preview (`compute_preview`); computed anew where runs or recipe have changed since."""
    if is_small(collection):
        return Result(NAME, compute_preview(collection), timezone.now(), None, running=False, problem="")
    result = computed_or_ask(collection=collection, name=NAME, paged="queries")
    changes = [
        *collection.pool_runs.order_by("-added_at").values_list("added_at", flat=True)[:1],
        *collection.pool_plans.order_by("-made_at").values_list("made_at", flat=True)[:1],
    ]
    if result.as_of is not None and not result.running and any(at > result.as_of for at in changes):
        result = computed_or_ask(collection=collection, name=NAME, anew=True, paged="queries")
    return result


def _answered(collection: Collection) -> QuerySet[Query]:
    """The queries for which a run returned something."""
    return collection.queries.filter(Exists(PoolRunAnswer.objects.filter(query=OuterRef("pk"))))


def compute_preview(collection: Collection) -> dict[str, Any]:
    """What recipes would have judged, at most, with the runs of now, of the queries that some run answers.

    Returns: {"recipes": [{"recipe", "current", "queries", "pairs", "judged"}], "queries": [{"query_id", "query",
    "split", "returned": different moments in all runs, "pooled", "counts": [[pairs, judged] by recipe]}]}.
    A bounded number of SQL queries a query.
    """
    plan = current_plan(collection)
    own = plan.recipe if plan is not None else ""
    names = list(dict.fromkeys([*([own] if own and own != "paper" else []), *RECIPES]))
    iou = plan.iou if plan is not None else CheckedRecipe("").iou
    similar = plan is not None and needs_similarity(plan.recipe)
    rows = []
    for query in _answered(collection).annotate(source_id=query_source_id()).order_by("split", "position"):
        query.collection = collection
        taken, grades = taken_of(query), grades_of(query)
        of_runs = lists_of(query, CheckedRecipe("depth", iou), taken).lists
        mixed = lists_of(query, plan, taken).lists if plan is not None and similar else of_runs
        counts = [
            _count(plan, collection, mixed, grades, taken)
            if plan is not None and name == own
            else _count(CheckedRecipe(name, iou), collection, of_runs, grades, taken)
            for name in names
        ]
        rows.append(
            {
                "query_id": query.source_id,
                "query": query.text,
                "split": query.split,
                "returned": len({moment for moments in of_runs for moment in moments}),
                "pooled": len(taken),
                "counts": counts,
            }
        )
    totals = [
        {
            "recipe": name,
            "current": name == own,
            "queries": sum(row["counts"][place][0] > 0 for row in rows),
            "pairs": sum(row["counts"][place][0] for row in rows),
            "judged": sum(row["counts"][place][1] for row in rows),
        }
        for place, name in enumerate(names)
    ]
    return {"recipes": totals, "queries": rows}


def _count(
    plan: PoolPlan | CheckedRecipe,
    collection: Collection,
    lists: list[list[int]],
    grades: Mapping[int, float | None],
    taken: Mapping[int, int],
) -> list[int]:
    """[pairs that the recipe goes through at most, those of them with a grade]."""
    reached = reach(recipe_of(plan, collection), lists, grades, taken)[: collection.depth]
    return [len(reached), sum(grades.get(moment) is not None for moment in reached)]
