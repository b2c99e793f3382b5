"""What came of the plan that a collection goes by: what its leaderboards' runs really show, by people alone."""

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np

from annotation.people.time_taken import days_worked, hours_and_pay
from annotation.precomputed import Result, computed_or_ask
from datasets.leaderboard.scoring import standing_runs, values_of
from datasets.models import Board, Plan, Release
from evaluation.guarantees.assisted_mean import assisted_means
from evaluation.guarantees.critical_values import of_all
from evaluation.guarantees.plans import HARDEST
from foundation.models import Collection

NAME = "plan-came"
DRAWS = 1000
AT_ONCE_BELOW = 2000
"""Up to so many descriptions and judgments the page computes it."""
FEWEST_QUERIES = 2


def chosen_plan(collection: Collection) -> Plan | None:
    """The plan that the collection goes by."""
    return Plan.objects.filter(collection=collection, chosen__isnull=False).first()


def row_facts(plan: Plan, place: int) -> dict[str, Any]:
    """A row of the plan's result for a page. Args: place: one that it has."""
    row = (plan.result or {})["rows"][place]
    return {**row, "place": place, "all": row["share"] == HARDEST, "chosen": plan.chosen == place}


def promised_and_came(collection: Collection, releases: Iterable[Release]) -> dict[str, Any] | None:
    """What the chosen plan promised, and what each leaderboard of these releases has; None without a chosen plan."""
    plan = chosen_plan(collection)
    if plan is None or plan.chosen is None:
        return None
    promised = row_facts(plan, plan.chosen)
    boards = [
        {"release": board.release, "split": board.split, "came": result.value, "problem": result.problem}
        for board, result in _came(plan, releases)
    ]
    return {"plan": plan, "promised": promised, "boards": boards}


def _came(plan: Plan, releases: Iterable[Release]) -> list[tuple[Board, Result]]:
    boards = Board.objects.filter(release__in=releases).select_related("release").order_by("-release", "split")
    name = f"{NAME}:{plan.pk}-"
    return [(board, computed_or_ask(collection=plan.collection, name=f"{name}{board.pk}")) for board in boards]


def compute_came(collection: Collection, which: str) -> dict[str, Any]:
    """What a board of the collection shows beside a plan, both named by `which`: PLAN-BOARD.

    Returns: queries, systems, orders, settled; half_width, widest: of the differences' intervals that hold at once,
    their median and the widest, None below two systems; hours and pay of the whole collection.
    Raises: DoesNotExist.
    """
    plan, board = (int(number) for number in which.split("-"))
    asked = Plan.objects.get(pk=plan, collection=collection).asked
    on = Board.objects.get(pk=board, release__collection=collection)
    hours, pay = hours_and_pay(days_worked(collection))
    facts: dict[str, Any] = {
        "queries": on.queries.count(),
        "hours": float(hours),
        "pay": float(pay) if hours and pay is not None else None,
    }
    runs = standing_runs(on)
    none = {"orders": 0, "settled": 0, "half_width": None, "widest": None}
    if asked["measure"] not in on.measures:
        return {**facts, "systems": len(runs), **none, "without_measure": True}
    place = on.measures.index(asked["measure"])
    if len(runs) < 2 or facts["queries"] < FEWEST_QUERIES:
        return {**facts, "systems": len(runs), **none}
    values = np.nan_to_num(np.stack([values_of(run, len(on.measures))[:, place] for run in runs]))
    first, second = np.array(list(combinations(range(len(runs)), 2))).T
    apart = values[first] - values[second]
    queries = apart.shape[1]
    found = assisted_means(
        apart,
        None,
        np.arange(queries),
        queries=max(queries, asked["queries"] or 0),
        level=asked["level"],
        target="these" if asked["queries"] else "such",
    )
    critical = of_all(apart - apart.mean(axis=1, keepdims=True), level=asked["level"], draws=DRAWS)
    half = np.maximum(critical * found.error, found.half_width)
    return {
        **facts,
        "systems": len(runs),
        "orders": len(half),
        "settled": int((np.abs(found.estimate) > half).sum()),
        "half_width": float(np.median(half)),
        "widest": float(half.max()),
    }
