"""How fast the measures and the self-agreement study are, beside straightforward Python.

    .venv/bin/python benchmarks/evaluation.py

Three peers run in the same process, on the same made-up data, after one another:

- ``ndcg_python``: the nine NDCG figures of the TVR-Ranking paper (K = 10, 20, 40; IoU 0.3, 0.5,
  0.7) for 2,781 queries x 100 predictions x 27 judged moments, prediction by prediction, going
  about it as the published code does: a copy of the moments a threshold, a list of candidates a
  prediction, numpy on single numbers.
- ``ndcg_lean_python``: the same figures as lean as loops over lists get.
- ``self_agreement_python``: six systems, twelve measures, 37 subset sizes: for every draw and
  size the subset's means and scipy's Kendall's tau. Ours makes all 5,000 draws; the peer makes
  few (``peer_draws``), and its time is multiplied to 5,000: its draws cost the same each.

Files are not read and no time is counted for making the data. Our time is the best of five for
NDCG (each preparing the ground truth anew) and a single run for the study; the peers run once.
Values are compared: NDCG to 1e-9, the study's taus on the peer's own subsets to 1e-9.
The last line is one JSON object; ``ratios`` is our time / the peer's time.
"""

from __future__ import annotations

import copy
import json
import math
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evaluation import GroundTruth, JudgedMoment, Prediction, Run, evaluate
from evaluation.arrays import FloatArray
from evaluation.stability.agreement import kendall_tau_b, pair_signs
from evaluation.stability.score_table import ScoreTable
from evaluation.stability.self_agreement import self_agreement

QUERIES, PREDICTIONS, MOMENTS, VIDEOS = 2_781, 100, 27, 19_614
CUTOFFS, THRESHOLDS = (10, 20, 40), (0.3, 0.5, 0.7)
SYSTEMS, STUDY_QUERIES, DRAWS, PEER_DRAWS = 6, 3_720, 5_000, 10

Moments = list[dict[str, Any]]


def made_up(rng: np.random.Generator) -> tuple[dict[str, Moments], dict[str, Moments]]:
    """Judged moments and predictions; two in five predictions lie in a video that was judged."""
    truth, answers = {}, {}
    for query in range(QUERIES):
        videos = rng.integers(0, VIDEOS, MOMENTS)
        starts, lengths = rng.uniform(0, 60, MOMENTS), rng.uniform(2, 20, MOMENTS)
        truth[str(query)] = [
            {"video_name": f"v{v}", "timestamp": [s, s + n], "relevance": int(g)}
            for v, s, n, g in zip(videos, starts, lengths, rng.integers(0, 5, MOMENTS), strict=True)
        ]
        near = rng.integers(0, MOMENTS, PREDICTIONS)
        judged = rng.random(PREDICTIONS) < 0.4
        chosen = np.where(judged, videos[near], rng.integers(0, VIDEOS, PREDICTIONS))
        begin = np.maximum(0, np.where(judged, starts[near], 30) + rng.normal(0, 3, PREDICTIONS))
        span = rng.uniform(2, 20, PREDICTIONS)
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


def overlap_of(one: list[float], other: list[float]) -> float:
    both = max(0.0, min(one[1], other[1]) - max(one[0], other[0]))
    return both / ((one[1] - one[0]) + (other[1] - other[0]) - both)


def dcg(gains: list[int]) -> float:
    return sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains))


def library_objects(
    truth: dict[str, Moments], answers: dict[str, Moments]
) -> tuple[list[tuple[str, list[JudgedMoment]]], Run]:
    """What the readers would have made of files."""
    judged = [
        (query, [JudgedMoment(m["video_name"], *m["timestamp"], m["relevance"]) for m in moments])
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


def measure_ndcg() -> tuple[float, float, float]:
    """Seconds of ours, of the published manner and of lean loops; the values are compared."""
    truth, answers = made_up(np.random.default_rng(1))
    judged, run = library_objects(truth, answers)
    names = [f"NDCG@{cutoff},IoU>={threshold}" for threshold in THRESHOLDS for cutoff in CUTOFFS]
    ours = math.inf
    for _ in range(5):
        ground_truth = GroundTruth.of(judged)  # anew, so that no shared preparation is left over
        begun = time.perf_counter()
        records = evaluate(ground_truth, [run], names)
        ours = min(ours, time.perf_counter() - begun)
    seconds = []
    for peer in (python_ndcg, lean_python_ndcg):
        begun = time.perf_counter()
        expected = peer(truth, answers)
        seconds.append(time.perf_counter() - begun)
        for record in records:
            assert abs(record.value - expected[record.measure]) < 1e-9, record
    return ours, seconds[0], seconds[1]


def study_table(rng: np.random.Generator) -> ScoreTable:
    """Values like those of nine R@K and three AxIoU: zeros and ones, and fractions."""
    skill = np.linspace(0.35, 0.55, SYSTEMS)[:, None]
    ease = rng.normal(0, 0.25, STUDY_QUERIES)
    quality = np.clip(skill + ease + rng.normal(0, 0.15, (12, SYSTEMS, STUDY_QUERIES)), 0, 1)
    values = np.concatenate([(quality[:9] > 0.5).astype(float), quality[9:]])
    return ScoreTable(tuple(f"m{i}" for i in range(12)), tuple(f"s{i}" for i in range(SYSTEMS)), values)


def python_self_agreement(
    values: FloatArray, sizes: tuple[int, ...], draws: int, seed: int
) -> tuple[float, FloatArray]:
    """For each draw, size and measure: draw queries, average, scipy's tau with the full set's order.

    Returns seconds, and the largest difference between its taus and ours on the same subsets.
    """
    rng = np.random.default_rng(seed)
    full = values.mean(axis=2)
    seconds, worst = 0.0, np.zeros(1)
    for _ in range(draws):
        begun = time.perf_counter()
        subsets, taus = [], np.empty((len(sizes), len(values)))
        for row, size in enumerate(sizes):
            subset = rng.choice(values.shape[2], size, replace=False)
            subsets.append(subset)
            means = values[:, :, subset].mean(axis=2)
            for column in range(len(values)):
                taus[row, column] = stats.kendalltau(means[column], full[column])[0]
        seconds += time.perf_counter() - begun
        means = np.array([values[:, :, subset].mean(axis=2) for subset in subsets])
        ours = kendall_tau_b(pair_signs(means), pair_signs(full))
        worst = np.maximum(worst, np.nanmax(np.abs(ours - taus)))
        assert (np.isnan(ours) == np.isnan(taus)).all()
    return seconds, worst


def measure_self_agreement() -> tuple[float, float, float]:
    """Seconds of ours for all draws, of the peer carried to as many, and the peer's own seconds."""
    table = study_table(np.random.default_rng(2))
    begun = time.perf_counter()
    result = self_agreement(table, against="full", draws=DRAWS)
    ours = time.perf_counter() - begun
    seconds, worst = python_self_agreement(table.values, result.sizes, PEER_DRAWS, seed=3)
    assert worst < 1e-9, worst
    assert len(result.sizes) == 37
    return ours, seconds * DRAWS / PEER_DRAWS, seconds


def main() -> None:
    """Measure, print."""
    ndcg_ours, ndcg_peer, ndcg_lean = measure_ndcg()
    print(
        f"nine NDCG figures, {QUERIES:,} queries x {PREDICTIONS} predictions x {MOMENTS} moments: "
        f"{ndcg_ours:.3f} s, in Python {ndcg_peer:.2f} s (lean {ndcg_lean:.2f} s), equal to 1e-9"
    )
    study_ours, study_peer, study_run = measure_self_agreement()
    print(
        f"self-agreement, {SYSTEMS} systems x 12 measures x 37 sizes x {DRAWS:,} draws: {study_ours:.2f} s, "
        f"in Python {study_peer:,.0f} s ({PEER_DRAWS} draws took {study_run:.2f} s, carried to {DRAWS:,})"
    )
    figures = {
        "ndcg_seconds": ndcg_ours,
        "ndcg_python_seconds": ndcg_peer,
        "ndcg_lean_python_seconds": ndcg_lean,
        "self_agreement_seconds": study_ours,
        "self_agreement_python_seconds": study_peer,
        "self_agreement_python_measured_seconds": study_run,
        "peer_draws": PEER_DRAWS,
        "ratios": {
            "ndcg_python": ndcg_ours / ndcg_peer,
            "ndcg_lean_python": ndcg_ours / ndcg_lean,
            "self_agreement_python": study_ours / study_peer,
        },
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
