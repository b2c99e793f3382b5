"""How fast the measures, the self-agreement study, and reading, pooling and comparing runs are, beside plain Python.

    .venv/bin/python benchmarks/evaluation.py

Four peers run in the same process, on the same made-up data, in turns with ours:

- ``ndcg_python``: the nine NDCG figures of the TVR-Ranking paper (K = 10, 20, 40; IoU 0.3, 0.5,
  0.7) for 2,781 queries x 100 predictions x 27 judged moments, prediction by prediction, going
  about it as the published code does: a copy of the moments a threshold, a list of candidates a
  prediction, numpy on single numbers.
- ``ndcg_lean_python``: the same figures as lean as loops over lists get.
- ``self_agreement_python``: six systems, twelve measures, 37 subset sizes: for every draw and
  size the subset's means and scipy's Kendall's tau. Ours makes all 5,000 draws; the peer makes
  few (``peer_draws``), and its time is multiplied to 5,000: its draws cost the same each.

- ``runs_json_pandas``: TVR-Ranking's nine published runs (drawn ones of their layout where the development data isn't)
  read by json, pooled and compared two by two by pandas: exact spans, and no order. Ours does the same files with
  ``iou=1``, so that pools and overlaps can be compared, and Kendall's tau besides.

But for the runs files are not read and no time is counted for making the data. Medians of the turns count;
ours prepares the ground truth anew in each.
Values are compared: NDCG to 1e-9, the study's taus on the peer's own subsets to 1e-9, overlaps of runs to 1e-9.
The last line is one JSON object; ``ratios`` is our time / the peer's time.
"""

from __future__ import annotations

import copy
import math
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.listed_runs import INDICES, REAL, by_pandas, drawn
from benchmarks.harness.measuring import OURS, Turns, figure, parser, processor_seconds, report, say
from evaluation import GroundTruth, JudgedMoment, Prediction, Run, evaluate
from evaluation.arrays import FloatArray
from evaluation.pooling.differences import Differences, differences
from evaluation.reading import read_run
from evaluation.reading.tvr import read_video_indices
from evaluation.scores.score_table import ScoreTable
from evaluation.significance.agreement import kendall_tau_b, pair_signs
from evaluation.stability.self_agreement import self_agreement, usual_sizes

CUTOFFS, THRESHOLDS = (10, 20, 40), (0.3, 0.5, 0.7)
SYSTEMS, ROUNDS, RUN_ROUNDS = 6, 5, 3
DEPTH = 100

Moments = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Size:
    """The paper's test split with its predictions, and the study's queries and draws."""

    queries: int = 2_781
    predictions: int = 100
    moments: int = 27
    videos: int = 19_614
    study_queries: int = 3_720
    draws: int = 5_000
    peer_draws: int = 10


SMALL = Size(queries=30, predictions=20, moments=9, videos=40, study_queries=300, draws=50, peer_draws=2)


def made_up(size: Size, rng: np.random.Generator) -> tuple[dict[str, Moments], dict[str, Moments]]:
    """Judged moments and predictions; two in five predictions lie in a video that was judged."""
    truth, answers = {}, {}
    for query in range(size.queries):
        videos = rng.integers(0, size.videos, size.moments)
        starts, lengths = rng.uniform(0, 60, size.moments), rng.uniform(2, 20, size.moments)
        truth[str(query)] = [
            {"video_name": f"v{v}", "timestamp": [s, s + n], "relevance": int(g)}
            for v, s, n, g in zip(videos, starts, lengths, rng.integers(0, 5, size.moments), strict=True)
        ]
        near = rng.integers(0, size.moments, size.predictions)
        judged = rng.random(size.predictions) < 0.4
        chosen = np.where(judged, videos[near], rng.integers(0, size.videos, size.predictions))
        begin = np.maximum(0, np.where(judged, starts[near], 30) + rng.normal(0, 3, size.predictions))
        span = rng.uniform(2, 20, size.predictions)
        answers[str(query)] = [
            {"video_name": f"v{v}", "timestamp": [s, s + n]} for v, s, n in zip(chosen, begin, span, strict=True)
        ]
    return truth, answers


def lean_python_ndcg(truth: dict[str, Moments], answers: dict[str, Moments]) -> dict[str, float]:
    """The nine figures with lists and loops and nothing that could be spared."""
    values: dict[str, list[float]] = {}
    for query, judged in truth.items():
        grades = sorted((moment["relevance"] for moment in judged), reverse=True)
        ordered = sorted(judged, key=lambda moment: -moment["relevance"])
        for threshold in THRESHOLDS:
            free = list(ordered)
            gains = []
            for prediction in answers[query]:
                best, best_overlap = None, -1.0
                for moment in free:
                    if moment["video_name"] == prediction["video_name"]:
                        overlap = overlap_of(prediction["timestamp"], moment["timestamp"])
                        if overlap > best_overlap:
                            best, best_overlap = moment, overlap
                if best is not None and best_overlap >= threshold:
                    free.remove(best)
                    gains.append(best["relevance"])
                else:
                    gains.append(0)
            for cutoff in CUTOFFS:
                ideal = dcg(grades[:cutoff])
                name = f"NDCG@{cutoff},IoU>={threshold}"
                values.setdefault(name, []).append(dcg(gains[:cutoff]) / ideal if ideal > 0 else 0.0)
    return {name: sum(own) / len(own) for name, own in values.items()}


def python_ndcg(truth: dict[str, Moments], answers: dict[str, Moments]) -> dict[str, float]:
    """The nine figures step by step in the manner of TVR-Ranking's modules/ndcg_iou.py."""
    values: dict[str, list[float]] = {}
    for query, judged in truth.items():
        ordered = sorted(judged, key=lambda moment: moment["relevance"], reverse=True)
        for threshold in THRESHOLDS:
            free = copy.deepcopy(ordered)
            gains = []
            for prediction in answers[query]:
                same = [moment for moment in free if moment["video_name"] == prediction["video_name"]]
                gain = 0
                if same:
                    overlaps = [overlap_of(prediction["timestamp"], moment["timestamp"]) for moment in same]
                    best = int(np.argmax(overlaps))
                    if overlaps[best] >= threshold:
                        gain = same[best]["relevance"]
                        free.pop(free.index(same[best]))
                gains.append(gain)
            for cutoff in CUTOFFS:
                ideal = numpy_dcg([moment["relevance"] for moment in ordered][:cutoff])
                reached = numpy_dcg(gains[:cutoff])
                values.setdefault(f"NDCG@{cutoff},IoU>={threshold}", []).append(reached / ideal if ideal > 0 else 0.0)
    return {name: float(np.mean(own)) for name, own in values.items()}


def numpy_dcg(gains: list[int]) -> float:
    return float(sum(gain / np.log2(rank + 2) for rank, gain in enumerate(gains)))


def overlap_of(span: list[float], other: list[float]) -> float:
    both = max(0.0, min(span[1], other[1]) - max(span[0], other[0]))
    return both / ((span[1] - span[0]) + (other[1] - other[0]) - both)


def dcg(gains: list[int]) -> float:
    return sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains))


def library_objects(
    truth: dict[str, Moments], answers: dict[str, Moments]
) -> tuple[list[tuple[str, list[JudgedMoment]]], Run]:
    """What the readers would have made of files."""
    judged = [
        (query, [JudgedMoment(m["video_name"], m["timestamp"][0], m["timestamp"][1], m["relevance"]) for m in moments])
        for query, moments in truth.items()
    ]
    run = Run.of(
        "run",
        (
            (query, [Prediction(p["video_name"], *p["timestamp"]) for p in predictions])
            for query, predictions in answers.items()
        ),
    )
    return judged, run


def measure_ndcg(size: Size) -> Turns:
    """Ours, the published manner and lean loops in turns; the values are compared."""
    truth, answers = made_up(size, np.random.default_rng(1))
    judged, run = library_objects(truth, answers)
    names = [f"NDCG@{cutoff},IoU>={threshold}" for threshold in THRESHOLDS for cutoff in CUTOFFS]
    turns = Turns()
    for _ in range(ROUNDS):
        ground_truth = GroundTruth.of(judged)  # anew, so that no shared preparation is left over
        records = turns.take(OURS, partial(evaluate, ground_truth, [run], names))
        for name, peer in (("ndcg_python", python_ndcg), ("ndcg_lean_python", lean_python_ndcg)):
            expected = turns.take(name, partial(peer, truth, answers))
            for record in records:
                assert abs(record.value - expected[record.measure]) < 1e-9, record
    return turns


def study_table(size: Size, rng: np.random.Generator) -> ScoreTable:
    """Values like those of nine R@K and three AxIoU: zeros and ones, and fractions."""
    skill = np.linspace(0.35, 0.55, SYSTEMS)[:, None]
    ease = rng.normal(0, 0.25, size.study_queries)
    quality = np.clip(skill + ease + rng.normal(0, 0.15, (12, SYSTEMS, size.study_queries)), 0, 1)
    values = np.concatenate([(quality[:9] > 0.5).astype(float), quality[9:]])
    return ScoreTable(tuple(f"m{i}" for i in range(12)), tuple(f"s{i}" for i in range(SYSTEMS)), values)


def python_self_agreement(
    values: FloatArray, sizes: tuple[int, ...], draws: int, seed: int
) -> tuple[float, float, FloatArray]:
    """For each draw, size and measure: draw queries, average, scipy's tau with the full set's order.

    Returns seconds, those of processors, and the largest difference between its taus and ours on the same subsets.
    """
    rng = np.random.default_rng(seed)
    full = values.mean(axis=2)
    seconds, processor, worst = 0.0, 0.0, np.zeros(1)
    for _ in range(draws):
        begun, used = time.perf_counter(), processor_seconds()
        subsets, taus = [], np.empty((len(sizes), len(values)))
        for row, size in enumerate(sizes):
            subset = rng.choice(values.shape[2], size, replace=False)
            subsets.append(subset)
            means = values[:, :, subset].mean(axis=2)
            for column in range(len(values)):
                taus[row, column] = stats.kendalltau(means[column], full[column])[0]
        seconds += time.perf_counter() - begun
        processor += processor_seconds() - used
        means = np.array([values[:, :, subset].mean(axis=2) for subset in subsets])
        ours = kendall_tau_b(pair_signs(means), pair_signs(full))
        worst = np.maximum(worst, np.nanmax(np.abs(ours - taus)))
        assert (np.isnan(ours) == np.isnan(taus)).all()
    return seconds, processor, worst


def measure_self_agreement(size: Size) -> Turns:
    """Ours makes all draws in a turn; the peer makes few, and its time is multiplied to as many."""
    table = study_table(size, np.random.default_rng(2))
    turns = Turns()
    for turn in range(ROUNDS):
        result = turns.take(OURS, lambda: self_agreement(table, against="full", draws=size.draws))
        wall, processor, worst = python_self_agreement(table.values, result.sizes, size.peer_draws, seed=3 + turn)
        more = size.draws / size.peer_draws
        turns.add("self_agreement_python", wall * more, processor * more)
        assert worst.max() < 1e-9, worst
    assert len(result.sizes) == len(usual_sizes(size.study_queries))
    return turns


def ours_of_runs(folder: Path, iou: float) -> Differences:
    """The folder's runs read, pooled and compared."""
    indices = read_video_indices(folder / INDICES)
    paths = sorted((folder / "val_runs").glob("*.json.gz"))
    return differences([read_run(path, video_indices=indices) for path in paths], iou=iou, depth=DEPTH)


def measure_runs(small: bool) -> tuple[Turns, float]:
    """Ours and pandas in turns, and ours with spans merged, in seconds."""
    with tempfile.TemporaryDirectory() as made:
        folder = REAL if REAL.exists() and not small else drawn(Path(made), **({"queries": 20} if small else {}))
        turns, merged = Turns(), Turns()
        for _ in range(RUN_ROUNDS):
            found = turns.take(OURS, partial(ours_of_runs, folder, 1.0))
            moments, told = turns.take(
                "runs_json_pandas", partial(by_pandas, folder, depth=DEPTH, cutoffs=(1, 10, DEPTH))
            )
            merged.take(OURS, partial(ours_of_runs, folder, 0.5))
            assert moments == sum(found.moments), (moments, found.moments)
            for pair in found.pairs:
                shared, overlap = told[pair.first, pair.second]
                assert shared == pair.both
                assert all(abs(overlap[k] - value) < 1e-9 for k, value in pair.overlap.items()), pair
    return turns, merged.wall(OURS)


def main() -> None:
    """Measure, print."""
    small = parser(__doc__).parse_args().small
    size = SMALL if small else Size()
    ndcg = measure_ndcg(size)
    say(
        f"nine NDCG figures, {size.queries:,} queries x {size.predictions} predictions x {size.moments} moments: "
        f"{ndcg.wall(OURS):.3f} s, in Python {ndcg.wall('ndcg_python'):.2f} s "
        f"(lean {ndcg.wall('ndcg_lean_python'):.2f} s), equal to 1e-9"
    )
    study = measure_self_agreement(size)
    say(
        f"self-agreement, {SYSTEMS} systems x 12 measures x {size.draws:,} draws: {study.wall(OURS):.2f} s, "
        f"in Python {study.wall('self_agreement_python'):,.0f} s ({size.peer_draws} draws, carried to {size.draws:,})"
    )
    runs, merged = measure_runs(small)
    say(
        f"nine runs read, pooled and compared: {runs.wall(OURS):.2f} s, spans merged {merged:.2f} s, "
        f"by json and pandas {runs.wall('runs_json_pandas'):.2f} s"
    )
    scored, studied, compared = ndcg.figures(), study.figures(), runs.figures()
    report(
        {
            "ndcg_seconds": figure(ndcg.wall(OURS)),
            "self_agreement_seconds": figure(study.wall(OURS)),
            "peer_draws": size.peer_draws,
            "ndcg": scored,
            "self_agreement": studied,
            "runs": compared,
            "merged_runs_seconds": figure(merged),
            "processor_ratios": scored["processor_ratios"] | studied["processor_ratios"] | compared["processor_ratios"],
            "ratios": scored["ratios"] | studied["ratios"] | compared["ratios"],
        }
    )


if __name__ == "__main__":
    main()
