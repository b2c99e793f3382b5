"""`pool.csv`: why each judged pair is in its query's pool. Of pools by a recipe of runs alone."""

from collections import defaultdict
from pathlib import Path
from typing import Any

from annotation.models import Pair
from datasets.content.splits import DECIDED, ROWS_AT_ONCE, SPLITS, Splits, public_query_id
from datasets.formats.material import create_csv, to_json
from foundation.models import Collection
from queries.models import CandidateSource, PoolPlan, PoolRun, PoolRunAnswer
from queries.pooling.query_columns import query_source_id

POOL_FILE = "pool.csv"
COLUMNS = ("pair_id", "query_id", "recipe", "recipe_version", "team", "system", "ranker", "rank", "returned_by")


def write_pool(splits: Splits, folder: Path) -> None:
    """Write a row for every decided pair, in the order of raw_annotations.csv.

    `recipe` and its version chose it from `rank` of a team's system, or of a ranker (name@fingerprint) where no run
    did; a pair without a version was ranked by similarity alone, as the paper's recipe has it. `returned_by` is a JSON
    list of [team, system, rank]: all runs that returned the moment within what is kept of them, by team and system.
    """
    runs = {run.pk: (run.team, run.system) for run in PoolRun.objects.filter(collection=splits.collection)}
    with create_csv(folder / POOL_FILE, COLUMNS) as writer:
        for split in SPLITS:
            pairs = Pair.objects.filter(
                batch__query__collection=splits.collection, batch__query__split=split, status__in=DECIDED
            ).order_by("batch__query__position", "candidate__rank")
            rows = pairs.values_list(
                *("pk", "batch__query_id", query_source_id("batch__query__"), "batch__query__ranked_by"),
                *("candidate__moment_id", "candidate__rank", "candidate__source__plan__recipe"),
                *("candidate__source__plan__version", "candidate__source__run_id", "candidate__source__ranker"),
                "candidate__source__rank",
            )
            last, returned = None, {}
            for pair, query, source_id, ranked_by, moment, place, recipe, version, run, ranker, rank in rows.iterator(
                ROWS_AT_ONCE
            ):
                if query != last:
                    last, returned = query, _returned(query, runs)
                if recipe is None:
                    recipe, ranker, rank = "paper", ranked_by, place
                team, system = runs[run] if run is not None else ("", "")
                writer.writerow(
                    (
                        *(pair, public_query_id(source_id), recipe, "" if version is None else version),
                        *(team, system, ranker, rank, to_json(returned.get(moment, []))),
                    )
                )


def _returned(query: int, runs: dict[int, tuple[str, str]]) -> dict[int, list[list[Any]]]:
    """Moment -> [team, system, rank] of every run that returned it, by team and system."""
    by_moment: dict[int, list[list[Any]]] = defaultdict(list)
    answers = PoolRunAnswer.objects.filter(query=query).values_list("run_id", "moments")
    for run, moments in sorted(answers, key=lambda answer: runs[answer[0]]):
        for moment in dict.fromkeys(moment for moment in moments if moment is not None):
            by_moment[moment].append([*runs[run], moments.index(moment) + 1])
    return by_moment


def describe_pool(collection: Collection) -> dict[str, Any] | None:
    """The manifest's `pool`: the file, the versions of the recipe that chose a pair, and the runs; None without any."""
    chosen = CandidateSource.objects.filter(candidate__query__collection=collection)
    if not chosen.filter(candidate__pair__isnull=False).exists():
        return None
    plans = PoolPlan.objects.filter(collection=collection, sources__candidate__pair__isnull=False).distinct()
    runs = PoolRun.objects.filter(collection=collection).order_by("team", "system")
    return {
        "file": POOL_FILE,
        "recipes": list(plans.order_by("version").values("version", "recipe", "iou", "least_grade", "by_itself")),
        "other_pairs": Pair.objects.filter(batch__collection=collection, candidate__source=None).count(),
        "runs": list(runs.values("team", "system", "sha256", "queries", "predictions", "kept")),
    }
