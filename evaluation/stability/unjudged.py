"""The possible effect of unjudged moments on a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluation.alignment import Alignment, Threshold, align
from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.conventions import PAPER, Convention
from evaluation.ground_truth import GroundTruth, JudgedMoment
from evaluation.measures import DCG, NDCG, VCMR, AxIoU, MeanIoU, Measure, NCxIoU, Recall
from evaluation.measures.measure import discount
from evaluation.run import Run
from evaluation.scoring import averaged, mean_of_defined, score_alignments


@dataclass(frozen=True)
class UnjudgedEffect:
    """Attributes: share: of the predictions the measure looks at, how many are unjudged. as_zero:
    the score as usual. removed: the score after taking unjudged predictions out of the lists.
    low, high: the score lies between them whatever grades the unjudged predictions would get;
    NaN for measures where that is not known."""

    run: str
    measure: str
    share: float
    as_zero: float
    removed: float
    low: float
    high: float


def unjudged_effect(
    ground_truth: GroundTruth,
    run: Run,
    measures: Sequence[Measure],
    *,
    convention: Convention = PAPER,
) -> list[UnjudgedEffect]:
    """Score a run with unjudged predictions as 0, removed, and with their best and worst possible grades.

    A prediction is unjudged if it reaches no judged moment, grade 0 included: by the measure's
    IoU boundary, or by any overlap for measures without one.

    Bounds: R@K, VCMR, AxIoU, NCxIoU, DCG and mIoU only gain from more relevant moments, so ``low`` is the
    score as usual, and ``high`` the score if every unjudged prediction were a moment of the
    highest grade. For NDCG every unjudged prediction is taken as a moment of its own: ``high``
    gives it the highest gain and leaves the ideal as it is (at most 1), ``low`` gives it nothing
    and raises the ideal as if it were of the highest grade. Both hold for any grades.
    Source: removing is Sakai's condensed lists (SIGIR 2007); the residual is that of Moffat and
    Zobel's RBP (TOIS 2008) carried over.
    """
    effects = []
    whole = list(align(ground_truth, run))
    usual = score_alignments(
        ground_truth,
        run,
        [convention.applied(m) for m in measures],
        answered_only=convention.answered_only,
    )
    for measure, (as_zero, _) in zip(measures, usual, strict=True):
        computed = convention.applied(measure)
        known = [judged_predictions(alignment, computed) for alignment in whole]
        looked_at = [_within(alignment, computed.depth) for alignment in whole]
        total = sum(int(seen.sum()) for seen in looked_at)
        missing = sum(int((seen & ~judged).sum()) for seen, judged in zip(looked_at, known, strict=True))
        condensed = _condensed(run, whole, known)
        removed = score_alignments(ground_truth, condensed, [computed], answered_only=convention.answered_only)[0][0]
        low, high = _bounds(ground_truth, run, whole, known, computed, as_zero, convention)
        share = missing / total if total else 0.0
        effects.append(UnjudgedEffect(run.name, str(measure), share, as_zero, removed, low, high))
    return effects


def judged_predictions(alignment: Alignment, measure: Measure) -> BoolArray:
    """Which predictions reach some judged moment, shape (N,)."""
    boundary = getattr(measure, "iou", None) or Threshold(0.0, strict=True)
    return alignment.paired(0.0) & boundary.passes(alignment.best_iou(0.0))


def _within(alignment: Alignment, depth: int | None) -> BoolArray:
    return np.ones(len(alignment.rank), dtype=np.bool_) if depth is None else alignment.rank < depth


def _condensed(run: Run, whole: Sequence[Alignment], known: Sequence[BoolArray]) -> Run:
    """The run without its unjudged predictions; rows of unknown queries are gone too."""
    query_ids: list[str] = []
    lengths: list[IntArray] = []
    for alignment, judged in zip(whole, known, strict=True):
        kept = np.bincount(alignment.query[judged], minlength=len(alignment))
        lengths.append(kept[alignment.answered])
        names = alignment.ground_truth.query_ids[alignment.queries]
        query_ids += [name for name, answered in zip(names, alignment.answered, strict=True) if answered]
    offset = np.zeros(len(query_ids) + 1, dtype=np.int64)
    np.cumsum(np.concatenate(lengths), out=offset[1:])

    def join(pieces: list[FloatArray]) -> FloatArray:
        return np.concatenate([piece[judged] for piece, judged in zip(pieces, known, strict=True)])

    video = np.concatenate([a.video[judged] for a, judged in zip(whole, known, strict=True)])
    return replace(
        run,
        query_ids=tuple(query_ids),
        offset=offset,
        video=video,
        start=join([a.start for a in whole]),
        end=join([a.end for a in whole]),
        score=join([a.score for a in whole]),
    )


def _bounds(
    ground_truth: GroundTruth,
    run: Run,
    whole: Sequence[Alignment],
    known: Sequence[BoolArray],
    measure: Measure,
    as_zero: float,
    convention: Convention,
) -> tuple[float, float]:
    if isinstance(measure, NDCG):
        return _ndcg_bounds(ground_truth, whole, known, measure, convention)
    monotone = isinstance(measure, Recall | VCMR | DCG | MeanIoU | NCxIoU) or (
        isinstance(measure, AxIoU) and not measure.graded
    )
    if not monotone:
        return float("nan"), float("nan")
    optimistic = _with_unjudged_as_best(ground_truth, whole, known, measure.depth)
    value, _ = score_alignments(optimistic, run, [measure], answered_only=convention.answered_only)[0]
    return as_zero, value


def _ndcg_bounds(
    ground_truth: GroundTruth,
    whole: Sequence[Alignment],
    known: Sequence[BoolArray],
    measure: NDCG,
    convention: Convention,
) -> tuple[float, float]:
    best = float(measure.gains(np.array([ground_truth.grade.max(initial=0.0)]))[0])
    weight = discount(measure.cutoff)
    lows: list[FloatArray] = []
    highs: list[FloatArray] = []
    for alignment, judged in zip(whole, known, strict=True):
        ideal = measure.ideal(alignment)
        reached = measure.per_query(alignment) * ideal
        free = np.flatnonzero(~judged & (alignment.rank < measure.cutoff))
        more = np.bincount(alignment.query[free], best * weight[alignment.rank[free]], minlength=len(alignment))
        count = np.bincount(alignment.query[free], minlength=len(alignment))
        raised = _raised_ideal(alignment, measure, count, best)
        highest = np.divide(reached + more, ideal, out=np.where(more > 0, 1.0, 0.0), where=ideal > 0)
        lowest = np.divide(reached, raised, out=np.zeros(len(alignment)), where=raised > 0)
        for side, values in ((lows, lowest), (highs, np.minimum(1.0, highest))):
            side.append(averaged(values, alignment.answered, answered_only=convention.answered_only))
    return mean_of_defined(np.concatenate(lows)), mean_of_defined(np.concatenate(highs))


def _raised_ideal(alignment: Alignment, measure: NDCG, count: IntArray, best: float) -> FloatArray:
    """The ideal DCG@K with ``count`` further moments of the highest gain, shape (Q,)."""
    truth, judged = alignment.ground_truth, alignment.judged()
    query = truth.query[judged]
    local = query - alignment.first_query
    place = np.arange(judged.start, judged.stop) - truth.offset[query] + count[local]
    weight = discount(measure.cutoff)
    kept = place < measure.cutoff  # the new moments come first, the judged ones move down
    old = np.bincount(
        local[kept], measure.gains(truth.grade[judged][kept]) * weight[place[kept]], minlength=len(alignment)
    )
    new = best * np.concatenate(([0.0], np.cumsum(weight)))[np.minimum(count, measure.cutoff)]
    raised: FloatArray = old + new
    return raised


def _with_unjudged_as_best(
    truth: GroundTruth, whole: Sequence[Alignment], known: Sequence[BoolArray], depth: int | None
) -> GroundTruth:
    best = float(max(1.0, truth.grade.max(initial=0.0)))
    judged = truth.records()
    for alignment, reached in zip(whole, known, strict=True):
        for place in np.flatnonzero(~reached & _within(alignment, depth)).tolist():
            query_id = truth.query_ids[alignment.first_query + int(alignment.query[place])]
            video = alignment.run.video_names[int(alignment.video[place])]
            start, end = float(alignment.start[place]), float(alignment.end[place])
            judged[query_id].append(JudgedMoment(video, start, end, best))
    return GroundTruth.of(judged.items(), name=truth.name)
