"""How often a wrong order is called settled by somebody who looks again and again, and how many queries stopping saves.

    .venv/bin/python benchmarks/stopping.py [--seeds 1000] [--processes 1]

The truths and judges of `benchmarks/guarantees.py`, and one truth whose systems are alike, which is the hardest. For
each seed people judge the queries in a random order; at each look three say what is settled: ours (`stopping`), the
intervals of a fixed sample at the same level (`fixed`), which aren't made for looking again, and an asymptotic
confidence sequence with Bonferroni's share for each pair (`sequence`; Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas,
Time-uniform central limit theory and asymptotic confidence sequences, 2024). Each stops when the first three are
settled, or when all is judged. Needs numpy and scipy alone. The last line is one JSON object.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from math import log, sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.guarantees import DATA, JUDGES, Truth, charades, known, raw, truth_of, values
from benchmarks.harness.measuring import figure, parser, peak_memory, report, say
from evaluation.arrays import BoolArray, FloatArray
from evaluation.guarantees.assisted_mean import AssistedMeans, assisted_means
from evaluation.guarantees.critical_values import of_all
from evaluation.guarantees.kappa import quadratic_kappa
from evaluation.guarantees.stopping import Look, look, next_look
from evaluation.moments.run import Prediction, Run

LEVEL, GOAL = 0.95, 3
JUDGED = ("noisy", "hostile")
"""The judges of `benchmarks/guarantees.py` that are tried, beside people alone."""


@dataclass
class Course:
    """What one way of stopping did in one random order: whether it ever called a wrong order settled, and how many
    queries were judged when it stopped."""

    beats: BoolArray
    wrong: bool = False
    stopped: int | None = None
    criticals: list[float] = field(default_factory=list)


def alike(queries: int) -> Truth:
    """Six systems of one kind."""
    rng = np.random.default_rng(6)
    richness = rng.beta(0.8, 1.4, queries)
    grades = rng.binomial(4, richness[:, None] * rng.beta(1, 1.5, (queries, 20)))
    truth = truth_of("alike", grades.astype(np.float64))
    runs = []
    for place in range(6):
        score = truth.grade + rng.normal(0, 1.5, len(truth.grade))
        answers = (
            (
                query_id,
                [
                    Prediction(truth.video_names[truth.video[i]], truth.start[i], truth.end[i], float(score[i]))
                    for i in range(truth.offset[query], truth.offset[query + 1])
                ],
            )
            for query, query_id in enumerate(truth.query_ids)
        )
        runs.append(Run.of(f"system {place + 1}", answers))
    return Truth("alike", truth, runs)


def sequence(means: AssistedMeans, level: float) -> float:
    """The confidence sequence's critical value, in standard errors, narrowest where a tenth of the queries is judged.

    Source: equation 9 of the paper above; the share 1 - n / N of a finite population turns n into n / (1 - n / N).
    """
    alpha = (1 - level) / len(means.estimate)
    spread = (-2 * log(alpha) + log(1 - 2 * log(alpha))) / (1 / 9)
    time = spread * means.judged / (means.queries - means.judged)
    return sqrt((1 + 1 / time) * log((time + 1) / alpha**2))


def fixed(means: AssistedMeans, level: float) -> float:
    """The critical value of all pairs at once, as if there were this one look."""
    return of_all(means.influence, level=level, draws=500)


def walked(people: FloatArray, machine: FloatArray | None, seed: int) -> dict[str, Course]:
    """Look again and again at one random order."""
    systems, queries = people.shape
    names = [f"system {place}" for place in range(systems)]
    order = np.random.default_rng(seed).permutation(queries)
    truth = people.mean(axis=1)
    first, second = np.triu_indices(systems, 1)
    apart, apart_machine = people[first] - people[second], None if machine is None else machine[first] - machine[second]
    courses = {name: Course(np.zeros((systems, systems), dtype=bool)) for name in ("stopping", "fixed", "sequence")}
    looks: list[Look] = []
    others: dict[str, Callable[[AssistedMeans, float], float]] = {"fixed": fixed, "sequence": sequence}
    judged = 0
    while judged < queries and any(own.stopped is None for own in courses.values()):
        judged = next_look(judged, queries)
        now = order[:judged]
        if courses["stopping"].stopped is None:
            looks.append(
                look(people[:, now], machine, now, names=names, queries=queries, goal=GOAL, before=looks, seed=seed)
            )
            own = courses["stopping"]
            for pair in looks[-1].pairs:
                a, b = names.index(pair.first), names.index(pair.second)
                if pair.relation in "<>":
                    own.beats[(a, b) if pair.relation == ">" else (b, a)] = True
            own.criticals.append(looks[-1].critical)
            note(own, truth, judged, queries, looks[-1].settled)
        if judged == queries:
            break
        means = assisted_means(apart[:, now], apart_machine, now, queries=queries)
        for name, critical in others.items():
            own = courses[name]
            if own.stopped is not None:
                continue
            own.criticals.append(critical(means, LEVEL))
            single = 2 * NormalDist().cdf(own.criticals[-1]) - 1
            half = own.criticals[-1] * means.error
            if name == "sequence":  # t instead of the normal distribution, as ours
                half = assisted_means(apart[:, now], apart_machine, now, queries=queries, level=single).half_width
            own.beats[first, second] |= means.estimate > half
            own.beats[second, first] |= means.estimate < -half
            note(own, truth, judged, queries, reached(own.beats, means.estimate, first, second))
    for own in courses.values():
        own.stopped = own.stopped or queries
    return courses


def note(own: Course, truth: FloatArray, judged: int, queries: int, settled: bool) -> None:
    """Whether a wrong order is called settled, and whether it is time to stop."""
    if judged < queries:
        own.wrong |= bool((own.beats & (truth[:, None] <= truth[None, :])).any())
    if settled:
        own.stopped = judged


def reached(beats: BoolArray, estimate: FloatArray, first: Any, second: Any) -> bool:
    """Whether the first `GOAL` by estimate are in order and above all others."""
    score = np.zeros(len(beats))
    np.add.at(score, first, estimate)
    np.add.at(score, second, -estimate)
    known = (beats | beats.T)[np.argsort(-score)][:, np.argsort(-score)]
    return bool(all(known[a, b] for a in range(GOAL) for b in range(len(beats)) if a != b))


def row(truth: Truth, name: str, seeds: int, processes: int) -> dict[str, Any]:
    """What all seeds did with one judge, or with people alone."""
    people, machine, kappa = values(truth.people, truth.runs), None, None
    if name != "people":
        own = truth.machine if name == "a worker" else JUDGES[name](truth, np.random.default_rng(3))
        assert own is not None
        machine, kappa = values(truth.people.with_grades(own), truth.runs), quadratic_kappa(truth.people.grade, own)
    told: dict[str, Any] = {
        "truth": truth.name,
        "judge": name,
        "kappa": kappa and round(kappa, 3),
        "queries": people.shape[1],
    }
    walk = partial(walked, people, machine)
    if processes > 1:
        with ProcessPoolExecutor(processes) as pool:
            courses = list(pool.map(walk, range(seeds), chunksize=5))
    else:
        courses = list(map(walk, range(seeds)))
    for way in courses[0]:
        ways = [each[way] for each in courses]
        told[way] = {
            "wrong": round(float(np.mean([own.wrong for own in ways])), 4),
            "judged": round(float(np.mean([(own.stopped or 0) / people.shape[1] for own in ways])), 4),
            "critical": round(float(np.mean(np.concatenate([own.criticals for own in ways]))), 3),
        }
    return told


def rows(truths: list[Truth], seeds: int, processes: int) -> Iterator[dict[str, Any]]:
    """A row for each truth and judge."""
    for truth in truths:
        for name in ("people", *JUDGED, *(["a worker"] if truth.machine is not None else [])):
            yield row(truth, name, seeds, processes)


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--seeds", type=int, default=1_000, help="random orders of the queries (1,000)")
    arguments.add_argument("--processes", type=int, default=1, help="processes side by side (1)")
    options = arguments.parse_args()
    seeds, queries = (2, 100) if options.small else (options.seeds, 2_000)
    truths = [known(queries), alike(queries)]
    if DATA.is_dir() and not options.small:
        truths += [charades(3_720), raw(4_000)]
    found = []
    for own in rows(truths, seeds, options.processes):
        say(json.dumps(own))
        found.append(own)
    judged = {way: float(np.mean([own[way]["judged"] for own in found])) for way in ("stopping", "sequence")}
    report(
        {
            "seeds": seeds,
            "rows": found,
            "wrong_at_most": {
                way: max(own[way]["wrong"] for own in found) for way in ("stopping", "fixed", "sequence")
            },
            "peak_mib": figure(peak_memory()),
            "ratios": {"confidence sequence": figure(judged["stopping"] / judged["sequence"])},
        }
    )


if __name__ == "__main__":
    main()
