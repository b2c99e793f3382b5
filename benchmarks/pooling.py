"""How fast runs become pools, beside a union by pandas, and what recipes find in a collection of the paper's size.

    .venv/bin/python benchmarks/pooling.py

The pool: 100 made-up runs x 3,281 queries x 100 predictions, which are moments of a corpus of 19,614 videos. The peer
concatenates all predictions in one data frame and drops those that are there already; ours links every prediction to
its moment, by blocks of queries. At IoU 1 both find the same pools, which is checked query by query; at IoU 0.5 ours
alone merges spans that overlap. Each turn is a process of its own, so that its peak memory is known; that of the runs
themselves, which all have, is told beside it. Medians of three turns count.

The recipes: 3,281 queries with 29 judged moments (grades 0-4) each, and six made-up systems of rising quality that
return them among 300 others; how many judgments each recipe takes for a share of the relevant moments.

The last line is one JSON object; ``ratios`` is our time / the peer's time.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.measuring import OURS, Turns, figure, parser, peak_memory, processor_seconds, report, say
from benchmarks.harness.parts import alone
from evaluation import GroundTruth, JudgedMoment, Prediction, Run
from evaluation.pooling.lists import pool_lists
from evaluation.pooling.recipes import recipe_named
from evaluation.pooling.replay import replay

PEER = "pandas_union"
MERGED = "ours_iou_0.5"
RECIPES = ("depth", "rrf", "move-to-front", "max-mean")
GRADES = (0.25, 0.3, 0.2, 0.15, 0.1)
"""Shares of the grades 0-4 among judged moments."""
QUALITIES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.4)
"""By how much a grade raises a system's score, in standard deviations of its noise."""


@dataclass(frozen=True, slots=True)
class Size:
    runs: int = 100
    queries: int = 3_281
    predictions: int = 100
    videos: int = 19_614
    rounds: int = 3
    judged: int = 29
    others: int = 300


SMALL = Size(runs=5, queries=30, predictions=20, videos=50, rounds=1, judged=8, others=20)


def made_up_runs(size: Size) -> list[Run]:
    """Runs that agree in part: each query has 4 predictions' worth of moments that systems choose from."""
    rng = np.random.default_rng(1)
    choice = 4 * size.predictions
    video = rng.integers(0, size.videos, (size.queries, choice))
    start = rng.integers(0, 30, (size.queries, choice)) * 2.0
    length = rng.integers(2, 10, (size.queries, choice)) * 2.0
    row = np.arange(size.queries)[:, None]
    names = tuple(f"v{number}" for number in range(size.videos))
    query_ids = tuple(str(query) for query in range(size.queries))
    offset = np.arange(size.queries + 1, dtype=np.int64) * size.predictions
    runs = []
    for number in range(size.runs):
        order = np.argsort(rng.exponential(1 + np.arange(choice), (size.queries, choice)), axis=1)[
            :, : size.predictions
        ]
        begin = start[row, order].ravel().astype(np.float64)
        end = (begin + length[row, order].ravel()).astype(np.float64)
        score = np.tile(np.arange(size.predictions, 0, -1, dtype=np.float64), size.queries)
        runs.append(Run(f"r{number}", query_ids, names, offset, video[row, order].ravel(), begin, end, score))
    return runs


def ours(size: Size, runs: list[Run], iou: float) -> list[int]:
    """How many moments each query's pool has."""
    nothing = GroundTruth.of((str(query), []) for query in range(size.queries))
    counts: list[int] = []
    for block in pool_lists(nothing, runs, iou=iou, depth=size.predictions):
        counts += np.bincount(block.moment_query, minlength=block.queries).tolist()
    return counts


def union(size: Size, runs: list[Run]) -> list[int]:
    """The same by pandas, of equal spans alone."""
    import pandas

    frames = [
        pandas.DataFrame(
            {
                "query": np.repeat(np.arange(size.queries), size.predictions),
                "video": run.video,
                "start": run.start,
                "end": run.end,
            }
        )
        for run in runs
    ]
    pool = pandas.concat(frames, ignore_index=True).drop_duplicates(["query", "video", "start", "end"])
    counts: list[int] = pool.groupby("query").size().tolist()
    return counts


def measure_pools(size: Size) -> tuple[Turns, dict[str, float]]:
    """The three in turns; pools are compared. Returns: what they spent, and each one's peak memory in MiB."""
    import pandas as pandas  # before the processes part, so that nobody's turn has its import

    runs = made_up_runs(size)
    turns, memory = Turns(), {"runs_alone": peak_memory()}
    for _ in range(size.rounds):
        pools = {}
        for name, work in (
            (OURS, lambda: ours(size, runs, 1.0)),
            (PEER, lambda: union(size, runs)),
            (MERGED, lambda: ours(size, runs, 0.5)),
        ):
            done = alone(work)
            pools[name] = done.result
            turns.add(name, done.wall, done.processor)
            memory[name] = max(done.peak, memory.get(name, 0.0))
        assert pools[OURS] == pools[PEER], "the pools differ"
        say(f"a round: {sum(pools[OURS]):,} moments, {sum(pools[MERGED]):,} at IoU 0.5")
    return turns, memory


def judged_collection(size: Size) -> tuple[GroundTruth, list[Run]]:
    """Graded moments, and systems of rising quality that rank them among others."""
    rng = np.random.default_rng(2)
    grades = rng.choice(5, (size.queries, size.judged), p=GRADES)
    truth = GroundTruth.of(
        (str(query), [JudgedMoment(f"v{place}", 0.0, 10.0, float(grade)) for place, grade in enumerate(row)])
        for query, row in enumerate(grades.tolist())
    )
    whole = np.concatenate([grades, np.zeros((size.queries, size.others), dtype=np.int64)], axis=1)
    runs = []
    for number, quality in enumerate(QUALITIES):
        score = quality * whole + rng.normal(0, 1, whole.shape)
        best = np.argsort(-score, axis=1)[:, : size.predictions]
        runs.append(
            Run.of(
                f"s{number}",
                (
                    (str(query), [Prediction(f"v{place}", 0.0, 10.0, float(score[query, place])) for place in row])
                    for query, row in enumerate(best.tolist())
                ),
            )
        )
    return truth, runs


def main() -> None:
    """Measure, print."""
    size = SMALL if parser(__doc__).parse_args().small else Size()
    turns, memory = measure_pools(size)
    say(
        f"{size.runs} runs x {size.queries:,} queries x {size.predictions}: {turns.wall(OURS):.1f} s, "
        f"{memory[OURS]:,.0f} MiB; pandas {turns.wall(PEER):.1f} s, {memory[PEER]:,.0f} MiB; merged from IoU 0.5 on "
        f"{turns.wall(MERGED):.1f} s; the runs alone {memory['runs_alone']:,.0f} MiB"
    )
    truth, runs = judged_collection(size)
    used = processor_seconds()
    study = replay(truth, runs, [recipe_named(name) for name in RECIPES], measure="NDCG@20,IoU>=0.5")
    used = processor_seconds() - used
    for row in study.replays:
        shares = {f"{share:.0%}": n and f"{n / study.pool:.0%}" for share, n in row.judgments_for.items()}
        say(f"{row.recipe}: of {study.pool:,} judgments, for a share of {study.reachable:,} relevant moments: {shares}")
    report(
        {
            **turns.figures(peers=[PEER]),
            "peak_mib": {name: figure(value) for name, value in memory.items()},
            "replay_processor_seconds": figure(used),
            "judgments_for": {
                row.recipe: {f"{share:g}": n and figure(n / study.pool) for share, n in row.judgments_for.items()}
                for row in study.replays
            },
        }
    )


if __name__ == "__main__":
    main()
