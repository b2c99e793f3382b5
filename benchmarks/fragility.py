"""How long it takes to say how fragile an order is at the paper's size, how exactly it is said, and how exhaustive
search compares where it can be waited for.

    .venv/bin/python benchmarks/fragility.py [--runs 9 20] [--measures NDCG@20,IoU>=0.5 ...] [--rounds 3]

3,281 queries of 29 judged pairs, whose grades are those of TVR-Ranking's raw judgments by the paper's rule, in file
order, or drawn ones where the development data isn't; systems that rank these pairs by grade and noise, the closer the
more there are. `fragility` runs in a process of its own, once a round: medians of seconds, those of the processor, and
the most memory beyond what the process began with. Told are the pairs whose least number of changed grades is known
exactly, and of the others how wide the bounds are, as a share of the upper one.

The peer tries all sets of changed grades of small collections, fewest first, and scores each with `evaluate`; the
numbers are the same. Prints one JSON object as its last line; `ratios` holds our seconds over the peer's.
"""

import argparse
import statistics
import sys
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.guarantees import DATA, TOP, truth_of
from benchmarks.harness.measuring import OURS, Turns, figure, parser, report, say
from benchmarks.harness.parts import alone
from evaluation import GroundTruth, Run, evaluate
from evaluation.guarantees.plans import imitated_runs
from evaluation.judgments.consensus import PAPER, decide
from evaluation.reading.grade_scale import GradeScale
from evaluation.reading.judgments import read_judgments
from evaluation.stability.flips import TIE
from evaluation.stability.fragility import Fragility, fragility

PEER = "exhaustive_search"
MEASURE = "NDCG@20,IoU>=0.5"
QUERIES, PAIRS = 3_281, 29
SMALL_QUERIES, SMALL_PAIRS, SMALL_TOP = 5, 4, 2
NOISES = 1.0, 2.0
"""Of the best system at the paper's size and of the worst, on grades."""
SMALL_NOISES = 0.2, 3.0


def main() -> None:
    options = read_options()
    truth = judged(40 if options.small else QUERIES)
    at_size = {
        f"{runs} runs, {measure}": measured(truth, runs, measure, options.rounds)
        for measure in options.measures
        for runs in options.runs
    }
    turns = beside_exhaustive_search(options.collections, options.measures[0])
    report({"judged": len(truth.grade), "at_size": at_size, "collections": options.collections, **turns.figures()})


def read_options() -> argparse.Namespace:
    arguments = parser(__doc__)
    arguments.add_argument("--runs", type=int, nargs="+", default=[9, 20], metavar="N", help="systems on the board")
    arguments.add_argument("--measures", nargs="+", default=[MEASURE], metavar="M")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--collections", type=int, default=10, help="small ones, for exhaustive search")
    options = arguments.parse_args()
    if options.small:
        options.runs, options.rounds, options.collections = [3], 1, 2
    return options


def judged(queries: int) -> GroundTruth:
    """So many queries of `PAIRS` pairs each."""
    raw = DATA / "tvr_ranking" / "raw_annotation.csv"
    if raw.exists():
        decided = (decide(grades, PAPER).grade for grades in read_judgments(raw).grades_by_pair())
        grades = np.array([grade for grade in decided if grade is not None], dtype=np.float64)
    else:
        grades = np.random.default_rng(0).binomial(TOP, 0.35, QUERIES * PAIRS).astype(np.float64)
    return truth_of("judged", np.resize(grades, (queries, PAIRS)))


def measured(truth: GroundTruth, count: int, measure: str, rounds: int) -> dict[str, Any]:
    """The medians of the rounds, and what was found, which is the same in each."""
    runs = imitated_runs(truth, np.linspace(*NOISES, count).tolist(), np.random.default_rng(count))
    took = [alone(partial(fragility, truth, runs, measure=measure, scale=GradeScale(TOP))) for _ in range(rounds)]
    found: Fragility = took[0].result
    assert all(other.result == found for other in took)
    inexact = [pair for pair in found.pairs if not pair.exact]
    bounds = [(pair.low, pair.high) for pair in inexact if pair.low is not None and pair.high is not None]
    widths = [(high - low) / high for low, high in bounds]
    figures = {
        "pairs_of_runs": len(found.pairs),
        "exact": len(found.pairs) - len(inexact),
        "without_upper_bound": len(inexact) - len(bounds),
        "median_width": figure(statistics.median(widths)) if widths else 0.0,
        "largest_width": figure(max(widths, default=0.0)),
        "changes": [min(pair.low or 0 for pair in found.pairs), max(pair.high or 0 for pair in found.pairs)],
        "seconds": figure(statistics.median(own.wall for own in took)),
        "processor_seconds": figure(statistics.median(own.processor for own in took)),
        "mib": round(statistics.median(own.peak - own.began_with for own in took)),
    }
    say(f"{count} runs by {measure}: {figures}")
    return figures


def beside_exhaustive_search(collections: int, measure: str) -> Turns:
    """Both on small collections in turns; the numbers are compared."""
    turns, scale, rng = Turns(), GradeScale(SMALL_TOP), np.random.default_rng(0)
    for number in range(collections):
        truth = truth_of("small", rng.integers(0, SMALL_TOP + 1, (SMALL_QUERIES, SMALL_PAIRS)).astype(np.float64))
        runs = imitated_runs(truth, SMALL_NOISES, rng)
        (pair,) = turns.take(OURS, partial(fragility, truth, runs, measure=measure, scale=scale)).pairs
        least = turns.take(PEER, partial(least_by_trying_all, truth, runs, measure, scale))
        assert pair.exact and pair.low == least, (number, pair, least)
    return turns


def least_by_trying_all(truth: GroundTruth, runs: list[Run], measure: str, scale: GradeScale) -> int | None:
    """The fewest changed grades that put the other run ahead: 0 for a tie, None where no grades do."""

    def lead(judged: GroundTruth) -> float:
        records = evaluate(judged, runs, [measure])
        one, other = np.nan_to_num(np.array([record.per_query for record in records], dtype=np.float64)).mean(axis=1)
        return float(one - other)

    before = lead(truth)
    if abs(before) <= TIE:
        return 0
    for count in range(1, len(truth.grade) + 1):
        for places in combinations(range(len(truth.grade)), count):
            for grades in product(*([own for own in scale.grades if own != truth.grade[place]] for place in places)):
                changed = truth.grade.copy()
                changed[list(places)] = grades
                if -lead(truth.with_grades(changed)) * np.sign(before) > TIE:
                    return count
    return None


if __name__ == "__main__":
    main()
