"""Replay: what another recipe would have found of a ground truth's relevant moments, and at what cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..errors import EvaluationError
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..pooling.lists import pool_lists
from ..pooling.recipes import Recipe
from ..scores.scoring import evaluate
from ..significance.agreement import kendall_tau_b, pair_signs

SHARES = (0.8, 0.9, 0.95, 0.99)
BUDGETS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 60, 80, 100, 150, 200, 300, 500, 1000)
NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class ReplayPoint:
    """What a recipe has found when each query has had at most `per_query` judgments.

    Attributes: judgments: of all queries. share_of_judgments: of those that the whole pool takes. found: relevant
    moments. share: of the relevant moments that the whole pool has. tau: Kendall's tau-b between the systems' order by
    what was found and by the whole ground truth; NaN for fewer than two systems, or where all are tied.
    """

    per_query: int
    judgments: int
    share_of_judgments: float
    found: int
    share: float
    tau: float


@dataclass(frozen=True)
class RecipeReplay:
    """A recipe's curve, and for each of `SHARES` the judgments it took to find that share; None: it never did."""

    recipe: str
    points: tuple[ReplayPoint, ...]
    judgments_for: dict[float, int | None]


@dataclass(frozen=True)
class Replays:
    """All recipes over one ground truth.

    Attributes: relevant: relevant moments of the ground truth. reachable: those that a run returned within the depth,
    which is what shares are of. pool: how many judgments the whole pool takes. unjudged: how many of the pool's
    moments the ground truth has no grade for; they cost a judgment and count as not relevant, or were left out.
    """

    relevant: int
    reachable: int
    pool: int
    unjudged: int
    replays: tuple[RecipeReplay, ...]


def replay(
    ground_truth: GroundTruth,
    runs: Sequence[Run],
    recipes: Sequence[Recipe],
    *,
    measure: str,
    rankers: Sequence[Run] = (),
    iou: float = 0.5,
    depth: int = 100,
    least_grade: float = 1.0,
    leave_unjudged_out: bool = False,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Replays:
    """Let each recipe choose from what the runs returned, and answer with the ground truth's grades.

    All queries go on at the same pace, a judgment each, and a recipe hears each grade before it chooses the next
    moment.

    Args: measure: by which systems are ordered. rankers: further runs to choose from, before the others, that are no
        systems (such as the similarity of captions). iou, depth: see `pool_lists`. least_grade: from which on a moment
        is relevant. leave_unjudged_out: choose among judged moments alone. progress: (queries done, queries).
    Raises: EvaluationError for a bad bound, measure or list of runs, or if no run returned a relevant moment.
    """
    found_at = [np.full(len(ground_truth.grade), NEVER, dtype=np.int64) for _ in recipes]
    lengths = [np.zeros(len(ground_truth), dtype=np.int64) for _ in recipes]
    pool, unjudged = 0, 0
    reachable = np.zeros(len(ground_truth.grade), dtype=np.bool_)
    for block in pool_lists(ground_truth, [*rankers, *runs], iou=iou, depth=depth):
        judged, grades = block.judged.tolist(), _grades(ground_truth, block.judged)
        reachable[block.judged[block.moment[block.judged[block.moment] >= 0]]] = True
        for number, lists in enumerate(block.of_each_query()):
            new = {moment for ranking in lists for moment in ranking if judged[moment] < 0}
            unjudged += len(new)
            if leave_unjudged_out and new:
                lists = [[moment for moment in ranking if moment not in new] for ranking in lists]
            pool += len({moment for ranking in lists for moment in ranking})
            for recipe, places, length in zip(recipes, found_at, lengths, strict=True):
                count = 0
                for count, pick in enumerate(recipe.walk(lists, grades.__getitem__), start=1):
                    if judged[pick.moment] >= 0:
                        places[judged[pick.moment]] = count
                length[block.first_query + number] = count
        progress(block.first_query + block.queries, len(ground_truth))
    relevant = ground_truth.relevant(least_grade)
    total = int((reachable & relevant).sum())
    if not total:
        raise EvaluationError(
            f"no run returned a relevant moment of {ground_truth.name} (grade {least_grade:g} or more, IoU {iou:g} or "
            f"more, the first {depth}): nothing can be replayed"
        )
    order = _SystemOrder(ground_truth, runs, measure)
    return Replays(
        int(relevant.sum()),
        total,
        pool,
        unjudged,
        tuple(
            _curve(recipe.name, places, length, relevant, total, pool, order)
            for recipe, places, length in zip(recipes, found_at, lengths, strict=True)
        ),
    )


def _grades(ground_truth: GroundTruth, judged: IntArray) -> list[float]:
    grades = np.zeros(len(judged))
    grades[judged >= 0] = ground_truth.grade[judged[judged >= 0]]
    known: list[float] = grades.tolist()
    return known


class _SystemOrder:
    """The systems' order by the whole ground truth, and how far that by a part of it agrees."""

    def __init__(self, ground_truth: GroundTruth, runs: Sequence[Run], measure: str) -> None:
        self._ground_truth, self._runs, self._measure = ground_truth, runs, measure
        self._whole = pair_signs(self._scores(ground_truth))

    def _scores(self, ground_truth: GroundTruth) -> FloatArray:
        records = evaluate(ground_truth, self._runs, [self._measure])
        # A part without a relevant moment can't order anybody.
        return np.nan_to_num(np.array([record.value for record in records], dtype=np.float64))

    def tau(self, found: BoolArray) -> float:
        """Args: found: shape (M,), which judged moments were found."""
        part = self._ground_truth.with_grades(np.where(found, self._ground_truth.grade, np.nan))
        return float(kendall_tau_b(pair_signs(self._scores(part)), self._whole))


def _curve(
    recipe: str, places: IntArray, length: IntArray, relevant: BoolArray, total: int, pool: int, order: _SystemOrder
) -> RecipeReplay:
    longest = int(length.max(initial=0))
    budgets = np.arange(1, longest + 1)
    judgments = np.cumsum([int((length >= budget).sum()) for budget in budgets])
    hits = places[relevant & (places != NEVER)]
    found_by = np.cumsum(np.bincount(hits, minlength=longest + 1)[1:])
    points = []
    for budget in [b for b in BUDGETS if b < longest] + [longest] * (longest > 0):
        points.append(
            ReplayPoint(
                budget,
                int(judgments[budget - 1]),
                float(judgments[budget - 1] / pool),
                int(found_by[budget - 1]),
                float(found_by[budget - 1] / total),
                order.tau(places <= budget),
            )
        )
    needed = {}
    for share in SHARES:
        enough = np.flatnonzero(found_by >= share * total)
        needed[share] = int(judgments[enough[0]]) if len(enough) else None
    return RecipeReplay(recipe, tuple(points), needed)
