"""The possible effect of unjudged moments on a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..measures import Measure
from ..measures.axiou import AxIoU
from ..measures.dcg import DCG
from ..measures.mean_iou import MeanIoU
from ..measures.ncxiou import NCxIoU
from ..measures.ndcg import NDCG
from ..measures.recall import Recall
from ..moments.alignment import Alignment, Threshold, align
from ..moments.ground_truth import GroundTruth, JudgedMoment
from ..moments.run import Run
from ..scores.conventions import PAPER, Convention
from ..scores.scoring import score_alignments


@dataclass(frozen=True)
class UnjudgedEffect:
    """Attributes: share: of the predictions the measure looks at, how many are unjudged. as_zero:
    the score as usual. removed: the score after taking unjudged predictions out of the lists.
    low, high: the score lies between them whatever grades the unjudged of those predictions would get;
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
    highest grade. NDCG's are ``NDCG(low)`` and ``NDCG(high)``, where every unjudged prediction is a moment of its own.
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
    return alignment.reaches(getattr(measure, "iou", None) or Threshold(0.0, strict=True))


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
    if isinstance(measure, NDCG) and measure.unjudged == "zero":
        sides = [replace(measure, unjudged="low"), replace(measure, unjudged="high")]
        (low, _), (high, _) = score_alignments(ground_truth, run, sides, answered_only=convention.answered_only)
        return low, high
    monotone = isinstance(measure, Recall | DCG | MeanIoU | NCxIoU) or (
        isinstance(measure, AxIoU) and not measure.graded
    )
    if not monotone:
        return float("nan"), float("nan")
    optimistic = _with_unjudged_as_best(ground_truth, whole, known, measure.depth)
    value, _ = score_alignments(optimistic, run, [measure], answered_only=convention.answered_only)[0]
    return as_zero, value


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
