"""How often intervals from few people's and a machine's judgments hold, and how wide they are beside people alone.

    .venv/bin/python benchmarks/guarantees.py [--seeds 1000]

Three truths: a drawn one of 2,000 queries whose grades are all known; the six real Charades-STA runs, with windows
around each moment graded by their IoU; TVR-Ranking's raw judgments, twenty pairs in file order a query, where one
judgment of a pair is the machine's and the others people's, with drawn systems. The last two where the development data
are. Against each stand five judges: perfect, noisy, over-rating, constant, and one that is set on making the first
system the best. For each seed people judge some queries; what the intervals say is compared with the score by
people's grades of all queries. Then how many human queries noisy judges save at equal width, by their kappa, and how
long a board of 20 systems and 3,000 queries takes. The last line is one JSON object.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.measuring import figure, parser, peak_memory, report, say
from evaluation.arrays import FloatArray
from evaluation.guarantees.assisted_mean import assisted_means
from evaluation.guarantees.board import boards
from evaluation.guarantees.critical_values import of_all
from evaluation.guarantees.kappa import quadratic_kappa
from evaluation.guarantees.plans import imitated_runs
from evaluation.moments.ground_truth import GroundTruth, JudgedMoment
from evaluation.moments.overlap import temporal_iou
from evaluation.moments.run import Run
from evaluation.reading import read_ground_truth, read_run
from evaluation.reading.judgments import read_judgments
from evaluation.scores.scoring import evaluate

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
MEASURE = "NDCG@10,IoU>=0.5"
TOP, POOL, SYSTEMS = 4, 20, 6


@dataclass(frozen=True)
class Truth:
    """People's grades of all queries, the systems, and a real machine's grades if there is one."""

    name: str
    people: GroundTruth
    runs: list[Run]
    machine: FloatArray | None = None


Judge = Callable[[Truth, np.random.Generator], FloatArray]


def drawn_runs(truth: GroundTruth, systems: int, rng: np.random.Generator) -> list[Run]:
    """Systems that rank each query's moments by grade and noise, the first the least noisy."""
    return imitated_runs(truth, [1.2 + 0.25 * place for place in range(systems)], rng)


def known(queries: int, systems: int = SYSTEMS) -> Truth:
    """Queries of twenty moments, some with many relevant ones and some with few."""
    rng = np.random.default_rng(1)
    richness = rng.beta(0.8, 1.4, queries)
    grades = rng.binomial(TOP, richness[:, None] * rng.beta(1, 1.5, (queries, POOL)))
    truth = truth_of("known", grades.astype(np.float64))
    return Truth("known", truth, drawn_runs(truth, systems, rng))


def truth_of(name: str, grades: FloatArray) -> GroundTruth:
    """Args: grades: shape (queries, pool)."""
    return GroundTruth.of(
        (
            (f"q{query}", [JudgedMoment(f"v{query}-{place}", 0, 10, float(grade)) for place, grade in enumerate(row)])
            for query, row in enumerate(grades.tolist())
        ),
        name=name,
    )


def charades(queries: int) -> Truth:
    """The real runs; a window around the moment has the grade that its IoU earns."""
    folder = DATA / "charades_sta"
    bounds = (0.3, 0.5, 0.7, 0.9)
    judged = []
    for query_id, moments in list(read_ground_truth(folder / "test.json").records().items())[:queries]:
        own = moments[0]
        length = own.end - own.start
        start = own.start + length * np.linspace(-0.5, 0.5, 5)
        grade = np.searchsorted(
            bounds, temporal_iou(start, start + length, np.full(5, own.start), np.full(5, own.end)), side="right"
        )
        rows = zip(start.tolist(), grade.tolist(), strict=True)
        judged.append((query_id, [JudgedMoment(own.video_name, s, s + length, float(g)) for s, g in rows]))
    runs = [read_run(path) for path in sorted((folder / "runs").iterdir())]
    return Truth("charades", GroundTruth.of(judged, name="charades"), runs)


def raw(queries: int) -> Truth:
    """TVR-Ranking's: a pair's first judgment is the machine's, the mean of the others, rounded up, people's."""
    judgments = read_judgments(DATA / "tvr_ranking" / "raw_annotation.csv")
    rows = [row for row in judgments.grades_by_pair() if len(row) > 1][: queries * POOL]
    rows = rows[: len(rows) // POOL * POOL]
    people = np.array([np.ceil(np.mean(row[1:])) for row in rows]).reshape(-1, POOL)
    truth = truth_of("raw", people)
    # Inside a query moments stand by grade, so the machine's follow them there.
    machine = np.array([row[0] for row in rows], dtype=np.float64)[truth.place]
    return Truth("raw", truth, drawn_runs(truth, SYSTEMS, np.random.default_rng(2)), machine)


def noisy(spread: float) -> Judge:
    """A judge whose grades are people's with so much noise."""
    return lambda truth, rng: clipped(truth.people.grade + rng.normal(0, spread, len(truth.people.grade)))


def clipped(grade: FloatArray) -> FloatArray:
    whole: FloatArray = np.clip(np.rint(grade), 0, TOP)
    return whole


def hostile(truth: Truth, rng: np.random.Generator) -> FloatArray:
    """The highest grade for whatever the first system has among its first three, 0 for all else."""
    people, grade = truth.people, np.zeros(len(truth.people.grade))
    for query, query_id in enumerate(people.query_ids):
        own = slice(people.offset[query], people.offset[query + 1])
        for first in truth.runs[0].of_query(query_id)[:3]:
            start, end = (np.full(own.stop - own.start, time) for time in (first.start, first.end))
            near = temporal_iou(people.start[own], people.end[own], start, end) >= 0.5
            there = np.array([people.video_names[video] == first.video_name for video in people.video[own]], dtype=bool)
            grade[own][near & there] = TOP
    return grade


JUDGES: dict[str, Judge] = {
    "perfect": lambda truth, rng: truth.people.grade,
    "noisy": noisy(0.8),
    "over-rating": lambda truth, rng: clipped(truth.people.grade + (rng.random(len(truth.people.grade)) < 0.6)),
    "constant": lambda truth, rng: np.full(len(truth.people.grade), 2.0),
    "hostile": hostile,
}


def values(truth: GroundTruth, runs: list[Run]) -> FloatArray:
    """Shape (systems, queries)."""
    return np.array([record.per_query for record in evaluate(truth, runs, [MEASURE])])


@dataclass
class Tally:
    """What the intervals of all seeds did."""

    covered: list[float]
    at_once: list[bool]
    wrong: list[bool]
    ratio: list[float]


def tried(people: FloatArray, machine: FloatArray, size: int, seeds: int) -> Tally:
    """Draw queries for people, once a seed, and see what the intervals say of all queries."""
    first, second = np.array(list(combinations(range(len(people)), 2))).T
    apart, apart_machine = people[first] - people[second], machine[first] - machine[second]
    truth, differences = people.mean(axis=1), apart.mean(axis=1)
    tally = Tally([], [], [], [])
    for seed in range(seeds):
        judged = np.sort(np.random.default_rng(seed).choice(people.shape[1], size, replace=False))
        own = assisted_means(people[:, judged], machine, judged, queries=people.shape[1])
        alone = assisted_means(people[:, judged], None, judged, queries=people.shape[1])
        tally.covered.append(float((np.abs(own.estimate - truth) <= own.half_width).mean()))
        tally.ratio.append(float((own.half_width / alone.half_width).mean()))
        two = assisted_means(apart[:, judged], apart_machine, judged, queries=people.shape[1])
        half = np.maximum(of_all(two.influence, draws=1_000, seed=seed) * two.error, two.half_width)
        tally.at_once.append(bool((np.abs(two.estimate - differences) <= half).all()))
        tally.wrong.append(bool(((np.abs(two.estimate) > half) & (two.estimate * differences <= 0)).any()))
    return tally


def rows(truth: Truth, sizes: tuple[int, ...], seeds: int) -> Iterator[dict[str, Any]]:
    """A row for each judge and number of queries that people judge."""
    judges = dict(JUDGES)
    if (of_a_worker := truth.machine) is not None:
        judges["a worker"] = lambda truth, rng: of_a_worker
    people = values(truth.people, truth.runs)
    for name, judge in judges.items():
        grades = judge(truth, np.random.default_rng(3))
        machine = values(truth.people.with_grades(grades), truth.runs)
        for size in sizes:
            tally = tried(people, machine, size, seeds)
            yield {
                "truth": truth.name,
                "judge": name,
                "kappa": round(quadratic_kappa(truth.people.grade, grades), 3),
                "judged": size,
                "queries": people.shape[1],
                "covered": round(float(np.mean(tally.covered)), 4),
                "at_once": round(float(np.mean(tally.at_once)), 4),
                "wrong_orders": round(float(np.mean(tally.wrong)), 4),
                "width": round(float(np.mean(tally.ratio)), 4),
            }


def saved(truth: Truth, size: int, seeds: int) -> Iterator[dict[str, Any]]:
    """How many queries people alone would have to judge for the width that they have with a judge of some kappa."""
    people = values(truth.people, truth.runs)
    queries = people.shape[1]
    for spread in (0.3, 0.6, 0.9, 1.2, 1.8, 3.0):
        grades = noisy(spread)(truth, np.random.default_rng(4))
        tally = tried(people, values(truth.people.with_grades(grades), truth.runs), size, seeds)
        width = float(np.mean(tally.ratio))
        alone = 1 / (width**2 * (1 / size - 1 / queries) + 1 / queries)
        agreed = round(quadratic_kappa(truth.people.grade, grades), 3)
        yield {"kappa": agreed, "width": round(width, 4), "judged": size, "people_alone": round(alone)}


def board_seconds(queries: int, systems: int) -> float:
    """A whole board: both truths scored, every run and difference with its intervals."""
    truth = known(queries, systems)
    machine = truth.people.with_grades(noisy(0.8)(truth, np.random.default_rng(5)))
    few = GroundTruth.of(list(truth.people.records().items())[: queries // 10], name="people")
    began = perf_counter()
    boards(few, machine, truth.runs, [MEASURE])
    return perf_counter() - began


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--seeds", type=int, default=1_000, help="how often people's queries are drawn (1,000)")
    options = arguments.parse_args()
    seeds = 30 if options.small else options.seeds
    queries, sizes = (200, (30,)) if options.small else (2_000, (30, 200))
    truths = [known(queries)]
    if DATA.is_dir():
        truths += [charades(200 if options.small else 3_720), raw(200 if options.small else 4_000)]
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for truth in truths:
        for row in rows(truth, sizes, seeds):
            say(json.dumps(row))
            found["rows"].append(row)
    for row in saved(truths[0], 60 if options.small else 200, min(seeds, 300)):
        say(json.dumps(row))
        found["saved"].append(row)
    size = (300, 4) if options.small else (3_000, 20)
    seconds = sorted(board_seconds(*size) for _ in range(1 if options.small else 3))
    board = {"queries": size[0], "systems": size[1], "seconds": figure(seconds[len(seconds) // 2])}
    helped = [row["width"] for row in found["rows"] if row["judge"] == "noisy"]
    report(
        {
            "seeds": seeds,
            **found,
            "board": board,
            "peak_mib": figure(peak_memory()),
            "ratios": {"people alone": figure(sum(map(float, helped)) / len(helped))},
        }
    )


if __name__ == "__main__":
    main()
