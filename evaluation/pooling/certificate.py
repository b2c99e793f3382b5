"""Reusability certificate: how far a ground truth can be trusted for systems that had no part in its pool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..errors import EvaluationError
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..pooling.lists import pool_lists
from ..pooling.next_judgments import FusedPool, JudgmentEstimate, estimate_next
from ..reading.grade_scale import HIGHEST, GradeScale
from ..scores.scoring import evaluate
from ..significance.agreement import kendall_tau_b, pair_signs
from ..stability.fragility import Fragility, fragility, has_fragility

CUTOFFS = (10, 20, 40)
DEPTHS = (1, 5, 10, 20, 40, 100)
GOOD_TAU = 0.9
"""From which on two orders of systems are usually taken as equivalent: Voorhees, SIGIR 2001."""
FEW_UNJUDGED = 0.2


@dataclass(frozen=True)
class RunFigures:
    """A run's part in the pool.

    Attributes: unjudged: at each of `CUTOFFS` the share of its predictions so far that reach no judged moment, NaN
    without predictions. unique: relevant moments that it alone returned within the depth.
    """

    run: str
    team: str
    unjudged: tuple[float, ...]
    unique: int


@dataclass(frozen=True)
class LeftOut:
    """The systems scored without the judged moments that one run, or one team's runs, alone returned.

    Attributes: runs: whose. removed, relevant: how many judged moments went, and relevant ones among them. tau:
    Kendall's tau-b with the order by all judgments, low and high its 95 % interval over drawn queries; NaN for fewer
    than two systems. ranks_lost: by how many ranks the one of them that fell most fell, 0 if none did. score_lost:
    the largest relative loss of score among them, 0 to 1.
    """

    name: str
    runs: tuple[str, ...]
    removed: int
    relevant: int
    tau: float
    low: float
    high: float
    ranks_lost: int
    score_lost: float


@dataclass(frozen=True)
class AtDepth:
    """The pool of all runs to one depth: its moments, the judged and the relevant ones among them."""

    depth: int
    moments: int
    judged: int
    relevant: int


@dataclass(frozen=True)
class Verdict:
    """For which systems the ground truth can be trusted.

    Attributes: kind: "stable" for those of the kinds that are here, "doubtful" likewise but for what follows, "closed"
    for those that are here alone, "tied" if nothing can be said. left_out: what was left out at a time, "team" or
    "run". tau: the least of these; NaN if tied. ranks_lost: the most. unjudged: the largest share of a run's first 10.
    """

    kind: str
    left_out: str
    tau: float
    ranks_lost: int
    unjudged: float


@dataclass(frozen=True)
class Certificate:
    """All figures. `elsewhere` counts relevant moments that no run returned; `single_share` is the share of those
    returned that one run alone returned. `advice` is the verdict in words. `fragility`: None for a measure or a scale
    that it isn't for."""

    ground_truth: str
    measure: str
    iou: float
    depth: int
    least_grade: float
    queries: int
    relevant: int
    elsewhere: int
    single_share: float
    runs: tuple[RunFigures, ...]
    without_run: tuple[LeftOut, ...]
    without_team: tuple[LeftOut, ...]
    depths: tuple[AtDepth, ...]
    next_judgments: JudgmentEstimate
    verdict: Verdict
    advice: str
    fragility: Fragility | None


def certify(
    ground_truth: GroundTruth,
    runs: Sequence[Run],
    *,
    measure: str,
    teams: Mapping[str, str] | None = None,
    iou: float = 0.5,
    depth: int = 100,
    least_grade: float = 1.0,
    more: int = 1000,
    draws: int = 1000,
    seed: int = 0,
    scale: GradeScale | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
    trying: Callable[[int, int], None] = lambda done, of: None,
) -> Certificate:
    """Everything a reader needs to know before scoring a new system on the ground truth.

    Args: teams: a run's team by the run's name; a run that has none is a team of its own. iou, depth: see
        `pool_lists`. more: for how many further judgments the gain is estimated. draws: of queries, for intervals.
        scale: of the grades, see `fragility`. progress: (orders of systems computed, of how many). trying: (parts of
        the other grades tried after that, of how many).
    Raises: EvaluationError if there are no two runs, a run has no name among those of `teams` that are given, or a
    bound or measure is wrong.
    Source: leaving out runs is Zobel's (SIGIR 1998), leaving out teams Voorhees' (CLEF 2001).
    """
    if len(runs) < 2:
        raise EvaluationError("a certificate compares systems: found one run, expected two or more")
    names = [run.name for run in runs]
    if unknown := sorted(set(teams or {}) - set(names)):
        raise EvaluationError(f"a team is named for {unknown[0]!r}, and there is no such run among {', '.join(names)}")
    team = [(teams or {}).get(name, name) for name in names]
    seen = _seen(ground_truth, runs, iou, depth, least_grade)
    relevant = ground_truth.relevant(least_grade)
    scores = _scores(ground_truth, runs, measure)
    sets = [(name, (place,)) for place, name in enumerate(names)]
    grouped = {name: tuple(place for place, own in enumerate(team) if own == name) for name in dict.fromkeys(team)}
    # A team of one run is that run, so it isn't computed again.
    shared = [(name, places) for name, places in grouped.items() if len(places) > 1]
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, len(ground_truth), (draws, len(ground_truth)))
    done: dict[tuple[int, ...], LeftOut] = {}
    for number, (name, places) in enumerate([*sets, *shared], start=1):
        done[places] = _left_out(name, places, ground_truth, runs, names, measure, seen, relevant, scores, drawn)
        progress(number, len(sets) + len(shared))
    without_run = tuple(done[places] for _, places in sets)
    without_team = tuple(LeftOut(**{**vars(done[places]), "name": name}) for name, places in grouped.items())
    by_runs = seen.returned.sum(axis=1)
    single = relevant & (by_runs == 1)
    returned = int((relevant & (by_runs > 0)).sum())
    figures = tuple(
        RunFigures(name, own_team, seen.unjudged[place], int((single & seen.returned[:, place]).sum()))
        for place, (name, own_team) in enumerate(zip(names, team, strict=True))
    )
    # With one team nothing is left without it, so its runs are left out.
    verdict = verdict_of("team", without_team, figures) if len(grouped) > 1 else verdict_of("run", without_run, figures)
    return Certificate(
        ground_truth.name,
        measure,
        iou,
        depth,
        least_grade,
        len(ground_truth),
        int(relevant.sum()),
        int(relevant.sum()) - returned,
        float(single.sum() / returned) if returned else float("nan"),
        figures,
        without_run,
        without_team,
        seen.depths,
        estimate_next(seen.fused, more=more, draws=max(1, draws // 5), seed=seed),
        verdict,
        advice(verdict),
        _fragility(ground_truth, runs, measure, scale, trying),
    )


def _fragility(
    ground_truth: GroundTruth,
    runs: Sequence[Run],
    measure: str,
    scale: GradeScale | None,
    progress: Callable[[int, int], None],
) -> Fragility | None:
    if not has_fragility(measure) or float(ground_truth.grade.max(initial=0.0)) > (scale.top if scale else HIGHEST):
        return None
    return fragility(ground_truth, runs, measure=measure, scale=scale, progress=progress)


def verdict_of(left_out: str, without: Sequence[LeftOut], runs: Sequence[RunFigures]) -> Verdict:
    """What follows from the orders `without` each team, or each run."""
    worst = min((left.tau for left in without if not np.isnan(left.tau)), default=float("nan"))
    fallen = max((left.ranks_lost for left in without), default=0)
    unjudged = max((run.unjudged[0] for run in runs if not np.isnan(run.unjudged[0])), default=0.0)
    if np.isnan(worst):
        kind = "tied"
    elif worst < GOOD_TAU:
        kind = "closed"
    else:
        kind = "stable" if fallen <= 1 and unjudged <= FEW_UNJUDGED else "doubtful"
    return Verdict(kind, left_out, worst, fallen, unjudged)


def advice(verdict: Verdict) -> str:
    """The verdict in one sentence."""
    if verdict.kind == "tied":
        return "The systems are all tied, so nothing can be said about others."
    if verdict.kind == "stable":
        return (
            "Systems that had no part in the pool can be scored if they are of the kinds that are here: without any "
            f"one {verdict.left_out}'s moments the order stays (tau at least {verdict.tau:.2f})."
        )
    if verdict.kind == "doubtful":
        doubts = []
        if verdict.ranks_lost > 1:
            doubts.append(f"a left-out system lost up to {verdict.ranks_lost} ranks")
        if verdict.unjudged > FEW_UNJUDGED:
            doubts.append(f"up to {verdict.unjudged:.0%} of a system's first {CUTOFFS[0]} are unjudged")
        return (
            f"The order of systems stays without any one {verdict.left_out}'s moments "
            f"(tau at least {verdict.tau:.2f}), but {' and '.join(doubts)}: compare a new system by measures that "
            "leave unjudged moments out, or judge its moments first."
        )
    return (
        f"Only the systems that are here can be compared: without one {verdict.left_out}'s moments their order changes "
        f"(tau down to {verdict.tau:.2f}). Judge a new system's moments before you score it."
    )


@dataclass(frozen=True, eq=False)
class _Seen:
    """What the runs returned: (M, R) whether a run returned a judged moment; unjudged shares by run; pools by depth."""

    returned: BoolArray
    unjudged: tuple[tuple[float, ...], ...]
    depths: tuple[AtDepth, ...]
    fused: FusedPool


def _seen(ground_truth: GroundTruth, runs: Sequence[Run], iou: float, depth: int, least_grade: float) -> _Seen:
    returned = np.zeros((len(ground_truth.grade), len(runs)), dtype=np.bool_)
    counted = np.zeros((len(runs), len(CUTOFFS)), dtype=np.int64)
    missing = np.zeros_like(counted)
    depths = [each for each in DEPTHS if each < depth] + [depth]
    sizes = np.zeros((len(depths), 3), dtype=np.int64)
    relevant = ground_truth.relevant(least_grade)
    fused = []
    for block in pool_lists(ground_truth, runs, iou=iou, depth=depth):
        judged = block.judged[block.moment]
        returned[judged[judged >= 0], block.run[judged >= 0]] = True
        for column, cutoff in enumerate(CUTOFFS):
            looked_at = block.rank <= cutoff
            counted[:, column] += np.bincount(block.run[looked_at], minlength=len(runs))
            missing[:, column] += np.bincount(block.run[looked_at & (judged < 0)], minlength=len(runs))
        best = np.full(len(block.judged), np.iinfo(np.int64).max)
        np.minimum.at(best, block.moment, block.rank)
        graded = block.judged >= 0
        good = np.zeros(len(block.judged), dtype=np.bool_)
        good[graded] = relevant[block.judged[graded]]
        for row, each in enumerate(depths):
            within = best <= each
            sizes[row] += within.sum(), (within & graded).sum(), (within & good).sum()
        fused.append(FusedPool.of(block, good))
    with np.errstate(invalid="ignore"):
        shares = missing / counted
    return _Seen(
        returned,
        tuple(tuple(row) for row in shares.tolist()),
        tuple(AtDepth(each, *row) for each, row in zip(depths, sizes.tolist(), strict=True)),
        FusedPool.joined(fused),
    )


def _scores(ground_truth: GroundTruth, runs: Sequence[Run], measure: str) -> FloatArray:
    """(R, Q) values; a query without a value counts 0, as one without relevant moments does."""
    rows = []
    for record in evaluate(ground_truth, runs, [measure]):
        if record.per_query is None:
            raise EvaluationError(
                f"{measure} has no value of a single query: expected a measure such as NDCG@20,IoU>=0.5"
            )
        rows.append(np.nan_to_num(record.per_query))
    return np.array(rows, dtype=np.float64)


def _left_out(
    name: str,
    places: tuple[int, ...],
    ground_truth: GroundTruth,
    runs: Sequence[Run],
    names: Sequence[str],
    measure: str,
    seen: _Seen,
    relevant: BoolArray,
    scores: FloatArray,
    drawn: IntArray,
) -> LeftOut:
    mine = np.zeros(len(names), dtype=np.bool_)
    mine[list(places)] = True
    removed = seen.returned[:, mine].any(axis=1) & ~seen.returned[:, ~mine].any(axis=1)
    reduced = scores
    if removed.any():
        reduced = _scores(ground_truth.with_grades(np.where(removed, np.nan, ground_truth.grade)), runs, measure)
    before, after = scores.mean(axis=1), reduced.mean(axis=1)
    signs = pair_signs(before)
    tau = float(kendall_tau_b(pair_signs(after), signs))
    low = high = float("nan")
    if not np.isnan(tau):
        # In parts, so that 1,000 draws of many queries and systems stay small.
        taus = [
            kendall_tau_b(pair_signs(reduced[:, part].mean(axis=2).T), pair_signs(scores[:, part].mean(axis=2).T))
            for part in np.array_split(drawn, max(1, len(drawn) * len(names) * drawn.shape[1] // 5_000_000))
        ]
        low, high = np.nanquantile(np.concatenate(taus), [0.025, 0.975]).tolist()
    lost = [_rank(after, place) - _rank(before, place) for place in places]
    falls = [1 - after[place] / before[place] for place in places if before[place] > 0]
    return LeftOut(
        name,
        tuple(names[place] for place in places),
        int(removed.sum()),
        int((removed & relevant).sum()),
        tau,
        low,
        high,
        max(0, *lost),
        float(max(0.0, *falls, 0.0)),
    )


def _rank(scores: FloatArray, place: int) -> int:
    return 1 + int((scores > scores[place]).sum())
