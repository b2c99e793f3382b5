"""How far do scores move because other annotators might have judged otherwise?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arrays import FloatArray, IntArray
from ..errors import EvaluationError
from ..measures import Measure
from ..moments.ground_truth import GroundTruth, JudgedMoment
from ..moments.run import Run
from ..reading.judgments import Judgments, Moment
from ..scores.conventions import PAPER, Convention
from ..scores.scoring import score_alignments
from ..significance.agreement import kendall_tau_b, pair_signs

AnnotatorModel = Literal["own", "pooled"]
GRADES = 5


@dataclass(frozen=True, eq=False)
class AnnotatorIntervals:
    """Attributes: observed, low, high, deviation: shape (measures, systems), low and high being the
    95 % percentile interval over the draws. tau: mean tau-b between the order of the systems in a
    draw and the observed one, shape (measures,), NaN if never defined. discarded: mean share of
    pairs without consensus in a draw; discarded_observed: with the judgments as they are."""

    model: AnnotatorModel
    measures: tuple[str, ...]
    systems: tuple[str, ...]
    draws: int
    observed: FloatArray
    low: FloatArray
    high: FloatArray
    deviation: FloatArray
    tau: FloatArray
    discarded: float
    discarded_observed: float


def consensus(grades: IntArray) -> FloatArray:
    """The grade of pairs by the two-round rule, NaN for a discarded pair.

    If the first two differ by at most 1: their mean, rounded up. Otherwise all four are looked
    at: one highest and one lowest dropped, and if the two left differ by at most 1 their mean,
    rounded up. Otherwise the pair is discarded.

    Args: grades: shape (P, 4), the first two being the first round; ints.
    Source: as `evaluation.judgments.consensus.decide`, for many pairs at once; a test holds the two together.

    >>> consensus(np.array([[2, 3, 0, 0], [0, 4, 1, 1], [0, 4, 0, 4]])).tolist()
    [3.0, 1.0, nan]
    """
    first, second = grades[:, 0], grades[:, 1]
    middle = np.sort(grades, axis=1)[:, 1:3]
    settled = np.abs(first - second) <= 1
    low, high = np.where(settled, first, middle[:, 0]), np.where(settled, second, middle[:, 1])
    decided: FloatArray = np.where(np.abs(high - low) <= 1, (low + high + 1) // 2, np.nan)
    return decided


def redrawn(judgments: Judgments, *, model: AnnotatorModel, rng: np.random.Generator) -> IntArray:
    """Four judgments a pair as other annotators might have given them, shape (P, 4).

    ``"own"``: drawn with replacement from the pair's own judgments; pairs whose judges agreed
    never move, so this shows too little scatter. ``"pooled"``: each of those replaced by what
    other annotators gave where one gave that grade, over all pairs; it adds scatter to what
    scatters already, so it shows too much. The truth lies between.
    """
    pairs = len(judgments.count)
    picked = (rng.random((pairs, 4)) * judgments.count[:, None]).astype(np.int64)
    grades: IntArray = np.take_along_axis(judgments.table, picked, axis=1)
    if model == "own":
        return grades
    chance = co_judgments(judgments)
    bounds = np.cumsum(chance, axis=1)
    drawn = (rng.random((pairs, 4, 1)) >= bounds[grades]).sum(axis=2)
    replaced: IntArray = np.minimum(drawn, GRADES - 1)
    return replaced


def co_judgments(judgments: Judgments) -> FloatArray:
    """P(another annotator of the pair gives h, where one gave g), shape (5, 5), rows sum to 1."""
    counts = np.zeros((len(judgments.count), GRADES))
    for grade in range(GRADES):
        counts[:, grade] = (judgments.table == grade).sum(axis=1)
    together = counts.T @ counts - np.diag(counts.sum(axis=0))
    total = together.sum(axis=1, keepdims=True)
    return np.where(total > 0, together / np.maximum(total, 1), np.eye(GRADES))


def annotator_intervals(
    ground_truth: GroundTruth,
    runs: Sequence[Run],
    measures: Sequence[Measure],
    judgments: Judgments,
    *,
    model: AnnotatorModel = "own",
    draws: int = 200,
    convention: Convention = PAPER,
    seed: int = 0,
) -> AnnotatorIntervals:
    """Resample the judgments, decide every pair anew by the consensus rule, and score again.

    Pairs are found by query, video and times. A discarded pair may come back in a draw with a
    grade, and a decided one may be discarded. Judged pairs without raw judgments keep their grade.
    Raises: EvaluationError if no raw judgment belongs to a query of the ground truth.
    """
    moments = [moment for moment in judgments.moments or () if moment is not None]
    if len(moments) < len(judgments.pair_ids):
        raise EvaluationError(
            f"{judgments.name} doesn't say which moments were judged: query_id, video_name, timestamp"
        )
    if int(judgments.count.min()) < 2:
        lonely = judgments.pair_ids[int(judgments.count.argmin())]
        raise EvaluationError(
            f"{judgments.name}: found pair_id {lonely} with one judgment, expected two or more a pair"
        )
    whole, raw_place = _with_all_pairs(ground_truth, moments)
    chosen = np.flatnonzero(raw_place >= 0)
    computed = [convention.applied(measure) for measure in measures]

    def scores(truth: GroundTruth) -> FloatArray:
        columns = []
        for run in runs:
            scored = score_alignments(truth, run, computed, answered_only=convention.answered_only)
            columns.append([value for value, _ in scored])
        return np.array(columns).T

    observed = scores(ground_truth)
    order = pair_signs(observed)
    drawn = np.empty((draws, *observed.shape))
    tau = np.empty((draws, len(computed)))
    discarded = 0.0
    rng = np.random.default_rng(seed)
    for draw in range(draws):
        decided = consensus(redrawn(judgments, model=model, rng=rng))
        discarded += float(np.isnan(decided).mean()) / draws
        grade = whole.grade.copy()
        grade[chosen] = decided[raw_place[chosen]]
        drawn[draw] = scores(whole.with_grades(grade))
        tau[draw] = kendall_tau_b(pair_signs(drawn[draw]), order)
    known = ~np.isnan(tau)
    mean_tau = np.full(len(computed), np.nan)
    np.divide(np.where(known, tau, 0).sum(axis=0), known.sum(axis=0), out=mean_tau, where=known.any(axis=0))
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    return AnnotatorIntervals(
        model,
        tuple(map(str, measures)),
        tuple(run.name for run in runs),
        draws,
        observed,
        low,
        high,
        drawn.std(axis=0, ddof=1) if draws > 1 else np.full(observed.shape, np.nan),
        mean_tau,
        discarded,
        1 - len(set(moments) & set(_keys(ground_truth))) / len(moments),
    )


def _keys(truth: GroundTruth) -> list[Moment]:
    """Query, video and times of every moment, in the ground truth's order."""
    columns = (truth.query, truth.video, truth.start, truth.end)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [(truth.query_ids[query], truth.video_names[video], start, end) for query, video, start, end in rows]


def _with_all_pairs(truth: GroundTruth, moments: Sequence[Moment]) -> tuple[GroundTruth, IntArray]:
    """The ground truth with discarded pairs added, and each moment's row in the judgments (or -1)."""
    row = {moment: place for place, moment in enumerate(moments)}
    judged = truth.records()
    there = set(_keys(truth))
    if not any(query_id in judged for query_id, *_ in moments):
        raise EvaluationError(f"no raw judgment belongs to a query of {truth.name}")
    for key in moments:
        query_id, video, start, end = key
        if query_id in judged and key not in there:
            judged[query_id].append(JudgedMoment(video, start, end, 0.0))
    whole = GroundTruth.of(judged.items(), name=truth.name)
    return whole, np.array([row.get(key, -1) for key in _keys(whole)], dtype=np.int64)
