"""An independent, slow reading of every measure: one query, plain loops, no arrays.

Nothing here imports the code under test. A query is a list of judged moments
``(video, start, end, grade)`` in file order and a list of predictions ``(video, start, end)``
in order of rank.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Judged = Sequence[tuple[str, float, float, float]]
Ranked = Sequence[tuple[str, float, float]]


def iou(a_start: float, a_end: float, b_start: float, b_end: float) -> float:
    both = max(0.0, min(a_end, b_end) - max(a_start, b_start))
    return both / ((a_end - a_start) + (b_end - b_start) - both)


def reaches(value: float, mu: float, strict: bool) -> bool:
    return value > mu if strict else value >= mu


def take(judged: Judged, ranked: Ranked, mu: float, strict: bool, least: float = 0.0) -> list[int | None]:
    """Which judged moment each prediction takes."""
    free = [i for i, moment in enumerate(judged) if moment[3] >= least]
    taken: list[int | None] = []
    for video, start, end in ranked:
        best: int | None = None
        for i in free:
            if judged[i][0] != video:
                continue
            if best is None:
                best = i
                continue
            mine = (iou(start, end, judged[i][1], judged[i][2]), judged[i][3], -i)
            its = (iou(start, end, judged[best][1], judged[best][2]), judged[best][3], -best)
            if mine > its:
                best = i
        if best is not None and reaches(iou(start, end, judged[best][1], judged[best][2]), mu, strict):
            free.remove(best)
            taken.append(best)
        else:
            taken.append(None)
    return taken


def ndcg(judged: Judged, ranked: Ranked, k: int, mu: float, strict: bool, exponential: bool = False) -> float:
    def gain(grade: float) -> float:
        return 2.0**grade - 1 if exponential else grade

    taken = take(judged, ranked, mu, strict)
    reached = sum(gain(judged[i][3]) / math.log2(rank + 1) for rank, i in enumerate(taken[:k], 1) if i is not None)
    ideal = sum(
        gain(grade) / math.log2(rank + 1)
        for rank, grade in enumerate(sorted((m[3] for m in judged), reverse=True)[:k], 1)
    )
    return reached / ideal if ideal > 0 else 0.0


def overlaps(judged: Judged, ranked: Ranked, graded: bool = False, least: float = 1.0) -> list[float | None]:
    """Each prediction's best overlap with a relevant moment; None in a video without one."""
    values: list[float | None] = []
    for video, start, end in ranked:
        own = [
            iou(start, end, m[1], m[2]) * (m[3] if graded else 1.0) for m in judged if m[0] == video and m[3] >= least
        ]
        values.append(max(own) if own else None)
    return values


def recall(judged: Judged, ranked: Ranked, k: int, mu: float, strict: bool) -> float:
    found = overlaps(judged, ranked)[:k]
    return float(any(v is not None and reaches(v, mu, strict) for v in found))


def axiou(judged: Judged, ranked: Ranked, k: int, graded: bool = False) -> float:
    values = [v or 0.0 for v in overlaps(judged, ranked, graded)]
    total = sum(max(values[:i], default=0.0) for i in range(1, k + 1)) / k
    highest = max((m[3] for m in judged), default=0.0)
    return total / highest if graded and highest > 0 else total


def ncxiou(judged: Judged, ranked: Ranked, k: int, persistence: float) -> float:
    values = [v or 0.0 for v in overlaps(judged, ranked)]
    stop = [persistence ** (rank - 1) for rank in range(1, k + 1)]
    return sum(share / sum(stop) * max(values[:rank], default=0.0) for rank, share in enumerate(stop, 1))


def dcg(judged: Judged, ranked: Ranked, k: int, graded: bool = False) -> float:
    values = [v or 0.0 for v in overlaps(judged, ranked, graded)]
    return sum(v / math.log2(rank + 1) for rank, v in enumerate(values[:k], 1))


def ap(judged: Judged, ranked: Ranked, k: int, mu: float, strict: bool) -> float:
    """Equation 4 of the AxIoU supplement, sum by sum; a list that is too short has no hits at its end."""
    hits = [v is not None and reaches(v, mu, strict) for v in overlaps(judged, ranked)[:k]]
    hits += [False] * (k - len(hits))
    return sum(sum(hits[j] for j in range(rank)) / rank for rank in range(1, k + 1)) / k


def ap_over_hits(judged: Judged, ranked: Ranked, k: int, mu: float, strict: bool) -> float:
    hits = [v is not None and reaches(v, mu, strict) for v in overlaps(judged, ranked)[:k]]
    precisions = [sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit]
    return sum(precisions) / len(precisions) if precisions else 0.0


def mean_iou(judged: Judged, ranked: Ranked, k: int) -> float:
    return max((v or 0.0 for v in overlaps(judged, ranked)[:k]), default=0.0)


def mean_ap(judged: Judged, ranked: Ranked, mu: float, strict: bool, k: int | None = None) -> float:
    relevant = sum(m[3] >= 1 for m in judged)
    if not relevant:
        return math.nan
    hits = [i is not None for i in take(judged, ranked, mu, strict, least=1.0)][:k]
    return sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit) / relevant


def interpolated_ap(judged: Judged, ranked: Ranked, mu: float, strict: bool, k: int | None = None) -> float:
    relevant = sum(m[3] >= 1 for m in judged)
    if not relevant:
        return math.nan
    hits = [i is not None for i in take(judged, ranked, mu, strict, least=1.0)][:k]
    precision = [sum(hits[:rank]) / rank for rank in range(1, len(hits) + 1)]
    return sum(max(precision[place:]) for place, hit in enumerate(hits) if hit) / relevant


def distinct_videos(ranked: Ranked) -> list[str]:
    return list(dict.fromkeys(video for video, _, _ in ranked))


def mean_ap_of_videos(judged: Judged, ranked: Ranked) -> float:
    relevant = {m[0] for m in judged if m[3] >= 1}
    if not relevant:
        return math.nan
    hits = [video in relevant for video in distinct_videos(ranked)]
    return sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit) / len(relevant)


def video_recall(judged: Judged, ranked: Ranked, k: int) -> float:
    relevant = {m[0] for m in judged if m[3] >= 1}
    return float(any(video in relevant for video in distinct_videos(ranked)[:k]))


def svmr(judged: Judged, ranked: Ranked, k: int, mu: float, strict: bool) -> float:
    videos = sorted({m[0] for m in judged if m[3] >= 1})
    if not videos:
        return 0.0
    return sum(
        recall(
            [m for m in judged if m[0] == video], [p for p in ranked if p[0] == video], k, mu, strict
        )
        for video in videos
    ) / len(videos)  # fmt: skip


def micro_ap(queries: Sequence[tuple[Judged, Ranked, Sequence[float]]], mu: float, strict: bool) -> float:
    rows = []
    relevant = 0
    for judged, ranked, scores in queries:
        relevant += sum(m[3] >= 1 for m in judged)
        rows += list(zip(scores, take(judged, ranked, mu, strict, least=1.0), strict=True))
    rows.sort(key=lambda row: -row[0])
    hits = [moment is not None for _, moment in rows]
    if not relevant:
        return 0.0
    return sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit) / relevant


def is_judged(judged: Judged, prediction: tuple[str, float, float], mu: float, strict: bool) -> bool:
    video, start, end = prediction
    return any(m[0] == video and reaches(iou(start, end, m[1], m[2]), mu, strict) for m in judged)


def judged_share(judged: Judged, ranked: Ranked, k: int, mu: float, strict: bool) -> float:
    known = [is_judged(judged, prediction, mu, strict) for prediction in ranked[:k]]
    return sum(known) / len(known) if known else 0.0


def condensed(judged: Judged, ranked: Ranked, mu: float, strict: bool) -> Ranked:
    return [prediction for prediction in ranked if is_judged(judged, prediction, mu, strict)]


def bpref(judged: Judged, ranked: Ranked, mu: float, strict: bool) -> float:
    relevant = sum(m[3] >= 1 for m in judged)
    others = len(judged) - relevant
    total, above = 0.0, 0
    for i in take(judged, ranked, mu, strict):
        if i is None:
            continue
        if judged[i][3] >= 1:
            total += 1.0 if not above else 1.0 - min(above, relevant) / min(relevant, others)
        else:
            above += 1
    return total / relevant if relevant else 0.0


def rbp(judged: Judged, ranked: Ranked, p: float, mu: float, strict: bool, k: int | None = None) -> float:
    gains = [i is not None and judged[i][3] >= 1 for i in take(judged, ranked, mu, strict)][:k]
    return sum((1 - p) * p**rank * gain for rank, gain in enumerate(gains))


def rbp_residual(judged: Judged, ranked: Ranked, p: float, mu: float, strict: bool, k: int | None = None) -> float:
    """1 less the weights of the ranks that are known."""
    shown = ranked[:k]
    return 1.0 - sum((1 - p) * p**rank for rank, one in enumerate(shown) if is_judged(judged, one, mu, strict))


def inferred_ap(
    judged: Judged, ranked: Ranked, mu: float, strict: bool, pooled: Sequence[tuple[str, float, float]] = ()
) -> float:
    """trec_eval's m_infap.c, prediction by prediction."""
    relevant = sum(m[3] >= 1 for m in judged)
    if not relevant:
        return 0.0
    total, hits, misses, others = 0.0, 0, 0, 0
    for j, (prediction, i) in enumerate(zip(ranked, take(judged, ranked, mu, strict), strict=True)):
        if i is not None and judged[i][3] >= 1:
            if j == 0:
                total += 1.0
            else:
                share = (hits + 1e-5) / (hits + misses + 2e-5)
                total += 1 / (j + 1) + j / (j + 1) * ((hits + misses + others) / j) * share
            hits += 1
        elif i is not None or is_judged(judged, prediction, mu, strict):
            misses += 1
        elif any(m[0] == prediction[0] and reaches(iou(*prediction[1:], *m[1:]), mu, strict) for m in pooled):
            others += 1
    return total / relevant
