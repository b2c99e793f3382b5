"""How many relevant moments another batch of judgments would likely find."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..pooling.lists import PoolLists
from ..pooling.recipes import RRF_CONSTANT

STEPS = 50
PRIOR = 1.0


@dataclass(frozen=True, eq=False)
class FusedPool:
    """All moments of a pool with their reciprocal-rank fusion.

    Attributes: query: shape (K,). fused: shape (K,), > 0. judged, relevant: shape (K,).
    """

    query: IntArray
    fused: FloatArray
    judged: BoolArray
    relevant: BoolArray

    @classmethod
    def of(cls, block: PoolLists, relevant: BoolArray) -> FusedPool:
        """A block's moments that some run returned. Args: relevant: shape (K,), by the block's moments."""
        kept = ~block.repeated
        fused: FloatArray = np.zeros(len(block.judged))
        np.add.at(fused, block.moment[kept], 1 / (RRF_CONSTANT + block.rank[kept]))
        some = fused > 0
        return cls(block.moment_query[some] + block.first_query, fused[some], block.judged[some] >= 0, relevant[some])

    @classmethod
    def joined(cls, parts: Sequence[FusedPool]) -> FusedPool:
        """Several blocks' moments in one."""
        return cls(
            np.concatenate([part.query for part in parts]),
            np.concatenate([part.fused for part in parts]),
            np.concatenate([part.judged for part in parts]),
            np.concatenate([part.relevant for part in parts]),
        )


@dataclass(frozen=True)
class JudgmentEstimate:
    """What further judgments would find.

    Attributes: judgments: how many, at most as asked: there may be fewer unjudged moments. left: unjudged moments of
    the pool. found: relevant moments expected among those judged next; low, high: 95 % interval over drawn queries.
    All three are NaN where the judged moments of the pool are all relevant, or none is: there is nothing to learn from.
    """

    judgments: int
    left: int
    found: float
    low: float
    high: float


def estimate_next(pool: FusedPool, *, more: int, draws: int = 200, seed: int = 0) -> JudgmentEstimate:
    """Estimate how many of the unjudged moments are relevant, from the judged ones with a like fused score.

    The next moments are those unjudged that reciprocal-rank fusion puts first. The chance that one is relevant is
    read from the judged ones of the same pool by logistic regression on the logarithm of the fused score. That
    assumes that judged and unjudged moments with one score are alike. Where the judged ones were chosen in another
    way (by the similarity of captions, say), they are likely the better ones, and the estimate is too high.
    """
    left = np.flatnonzero(~pool.judged)
    chosen = left[np.argsort(-pool.fused[left], kind="stable")[:more]]
    known = np.flatnonzero(pool.judged)
    if len(np.unique(pool.relevant[known])) < 2:
        nothing = float("nan")
        return JudgmentEstimate(len(chosen), len(left), nothing, nothing, nothing)
    feature = np.log(pool.fused)
    queries, of_known = np.unique(pool.query[known], return_inverse=True)
    rng = np.random.default_rng(seed)

    def expected(weight: FloatArray) -> float:
        slope, offset = _logistic(feature[known], pool.relevant[known].astype(np.float64), weight)
        return float((1 / (1 + np.exp(-(offset + slope * feature[chosen])))).sum())

    best_guess = expected(np.ones(len(known)))
    drawn = []
    for _ in range(draws):
        times = np.bincount(rng.integers(0, len(queries), len(queries)), minlength=len(queries))
        drawn.append(expected(times[of_known].astype(np.float64)))
    low, high = np.quantile(drawn, [0.025, 0.975]).tolist()
    return JudgmentEstimate(len(chosen), len(left), best_guess, low, high)


def _logistic(x: FloatArray, y: FloatArray, weight: FloatArray) -> tuple[float, float]:
    """Slope and offset by Newton's method, with a weak normal prior that keeps them finite."""
    middle, spread = float(x.mean()), float(x.std()) or 1.0
    design = np.stack([(x - middle) / spread, np.ones(len(x))], axis=1)
    theta = np.zeros(2)
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(design @ theta, -30, 30)))
        slope = design.T @ (weight * (y - chance)) - PRIOR * theta
        curve = (design * (weight * chance * (1 - chance))[:, None]).T @ design + PRIOR * np.eye(2)
        step = np.linalg.solve(curve, slope)
        theta += np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-10:
            break
    return float(theta[0] / spread), float(theta[1] - theta[0] * middle / spread)
