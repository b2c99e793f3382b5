"""How near estimates from a sample come to the scores of everything judged, and how often their intervals hold.

    .venv/bin/python benchmarks/sampled.py [--seeds 200]

A drawn truth of 100 queries with twenty moments each, all grades known, and a system. For each seed people judge some
pairs of each query, by two bands of a pool's ranks, or some queries whole; what is estimated is compared with the score
by all grades. Beside it stands what one would say without probabilities: NDCG of what is judged as if there were
nothing else, and infAP, which takes the judged for a random part of the pool. The last line is one JSON object.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.guarantees import POOL, known
from benchmarks.harness.measuring import figure, parser, peak_memory, report, say
from evaluation.arrays import IntArray
from evaluation.guarantees.sampled import Frame, SampledScore, scores
from evaluation.moments.ground_truth import GroundTruth, JudgedMoment, PooledMoment
from evaluation.moments.run import Run
from evaluation.reading.sampling import Sampling, Stratum
from evaluation.scores.scoring import evaluate

FIRST = 5
"""Ranks of the first band."""
TAKEN = ((3, 4), (5, 6), (5, 10))
MEASURES = ("DCG@10", "P@10", "recall@10", "NDCG@10", "xinfAP")
PLAIN = ("NDCG@10,IoU>=0.5", "infAP,IoU>=0.5")


class World:
    """The truth, the system that is scored, and each query's pairs in the order of the pool."""

    def __init__(self, queries: int) -> None:
        truth = known(queries)
        self.people, self.run, ranker = truth.people, truth.runs[0], truth.runs[3]
        self.moments: list[list[JudgedMoment]] = []
        for query_id, moments in self.people.records().items():
            by_video = {own.video_name: own for own in moments}
            self.moments.append([by_video[own.video_name] for own in ranker.of_query(query_id)])

    def sample(self, taken: tuple[int, int], rng: np.random.Generator) -> tuple[GroundTruth, Sampling]:
        """So many pairs of each band; the others are in the ground truth without a grade."""
        first, rest = Stratum("first", FIRST, taken[0]), Stratum("rest", POOL - FIRST, taken[1])
        rows, pairs = [], {}
        for query_id, moments in zip(self.people.query_ids, self.moments, strict=True):
            drawn = {*_some(0, FIRST, taken[0], rng), *_some(FIRST, POOL, taken[1], rng)}
            pairs[query_id] = {
                (query_id, own.video_name, own.start, own.end): first if place < FIRST else rest
                for place, own in enumerate(moments)
            }
            rows.append(
                (
                    query_id,
                    [
                        own if place in drawn else PooledMoment(own.video_name, own.start, own.end)
                        for place, own in enumerate(moments)
                    ],
                )
            )
        return GroundTruth.of(rows, name="sample"), Sampling("sampling.csv", {}, pairs)

    def whole(self, number: int, rng: np.random.Generator) -> tuple[GroundTruth, Sampling]:
        """So many queries, judged whole."""
        ids = self.people.query_ids
        drawn = sorted(_some(0, len(ids), number, rng))
        rows = [(ids[place], self.moments[place]) for place in drawn]
        return GroundTruth.of(rows, name="sample"), Sampling(
            "sampling.csv", dict.fromkeys(ids, Stratum("all", len(ids), number)), {}
        )


def _some(first: int, end: int, number: int, rng: np.random.Generator) -> list[int]:
    chosen: IntArray = first + rng.permutation(end - first)[:number]
    return [int(place) for place in chosen]


def _row(design: str, found: list[SampledScore], true: float) -> dict[str, Any]:
    estimates, widths = np.array([own.estimate for own in found]), np.array([own.high - own.low for own in found])
    return {
        "design": design,
        "measure": found[0].measure,
        "true": figure(true),
        "bias": figure(float(estimates.mean() - true)),
        "deviation": figure(float(estimates.std())),
        "covered": figure(float(np.mean([own.low <= true <= own.high for own in found]))),
        "width": figure(float(widths.mean())),
    }


def _far(values: list[float], true: float) -> float:
    return float(np.abs(np.array(values) - true).mean())


def measure(world: World, seeds: int) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Rows by design and measure; how many times as far from the truth one is without probabilities, with 7 judged."""
    all_judged = {
        query_id: dict.fromkeys(_keys(query_id, own), Stratum("all", POOL, POOL))
        for query_id, own in zip(world.people.query_ids, world.moments, strict=True)
    }
    known_scores = scores(Frame(world.people, Sampling("all", {}, all_judged)), [world.run], MEASURES)
    true = {own.measure: own.estimate for own in known_scores}
    rows: list[dict[str, Any]] = []
    ratios: dict[str, float] = {}
    for taken in TAKEN:
        say(f"{sum(taken)} of {POOL} pairs")
        found: dict[str, list[SampledScore]] = {name: [] for name in true}
        plain: dict[str, list[float]] = {name: [] for name in PLAIN}
        for seed in range(seeds):
            truth, sampling = world.sample(taken, np.random.default_rng(seed))
            for own in scores(Frame(truth, sampling), [world.run], MEASURES):
                found[own.measure].append(own)
            has_relevant = truth.count_per_query(truth.relevant()) > 0
            for record in evaluate(truth, [world.run], PLAIN):
                assert record.per_query is not None
                plain[record.measure].append(float(record.per_query[has_relevant].mean()))
        rows += [_row(f"{taken[0]} + {taken[1]} pairs", found[name], true[name]) for name in true]
        if taken == TAKEN[0]:
            for ours, theirs in zip(("NDCG@10,IoU>=0.5", "xinfAP,IoU>=0.5"), PLAIN, strict=True):
                far = _far([own.estimate for own in found[ours]], true[ours])
                ratios[theirs] = figure(_far(plain[theirs], true[ours]) / far)
    number = len(world.people) * 7 // POOL
    say(f"{number} queries whole")
    samples = [world.whole(number, np.random.default_rng(seed)) for seed in range(seeds)]
    runs: list[Run] = [world.run]
    by_query = [scores(Frame(*sample), runs, MEASURES) for sample in samples]
    rows += [_row(f"{number} queries", [own[place] for own in by_query], true[name]) for place, name in enumerate(true)]
    return rows, ratios


def _keys(query_id: str, moments: list[JudgedMoment]) -> list[tuple[str, str, float, float]]:
    return [(query_id, own.video_name, own.start, own.end) for own in moments]


def main() -> None:
    """Measure, and print."""
    arguments = parser(__doc__)
    arguments.add_argument("--seeds", type=int, default=200)
    options = arguments.parse_args()
    seeds = 5 if options.small else options.seeds
    rows, ratios = measure(World(10 if options.small else 100), seeds)
    for row in rows:
        print("  ".join(f"{value:>18}" for value in row.values()))
    report({"seeds": seeds, "rows": rows, "peak_mib": figure(peak_memory()), "ratios": ratios})


if __name__ == "__main__":
    main()
