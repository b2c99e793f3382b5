"""Dawid and Skene's model of annotators: how each judges and what each pair's grade may be, estimated together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray, IntArray

STRENGTH = 1.0
"""The prior of a worker's confusions counts as so many judgments of each true grade."""
SLIP = 0.5
"""By how much the prior falls with each grade between the true one and the one given."""
ROUNDS, CLOSE = 1_000, 1e-4


@dataclass(frozen=True, eq=False)
class Fit:
    """The model of P pairs over K grades, from W workers.

    Attributes:
        posterior: shape (P, K). multinomial: shape (P, K), by the pair's own grades alone: every worker alike, one
            judgment of prior over all grades.
        prior: shape (K,), the share of each true grade.
        confusion: shape (W, K, K): [w, k, l] is how probably the worker says l where k is true.
        rounds: of expectation and maximisation. converged: whether the posteriors stood still at the end.
    """

    posterior: FloatArray
    multinomial: FloatArray
    prior: FloatArray
    confusion: FloatArray
    rounds: int
    converged: bool

    def habits(self, worker: int) -> tuple[float, float, float]:
        """How a worker judges where true grades are as frequent as in all pairs: the share that gives the true grade,
        the share at most one away, and the mean of the given less the true grade."""
        grades = np.arange(len(self.prior))
        above = grades[None, :] - grades[:, None]
        joint = self.prior[:, None] * self.confusion[worker]
        return float(np.trace(joint)), float(joint[np.abs(above) <= 1].sum()), float((joint * above).sum())


def fitted(
    pair: IntArray,
    worker: IntArray,
    grade: IntArray,
    *,
    count: int = 5,
    strength: float = STRENGTH,
    most: int = ROUNDS,
    progress: Callable[[int], None] = lambda rounds: None,
) -> Fit:
    """Fit the model by expectation and maximisation.

    A worker has for each true grade the probabilities of the grades they give; these have a Dirichlet prior that falls
    by `SLIP` with each grade of distance and counts as `strength` judgments, so that somebody with few judgments is
    taken to judge like anybody. Judgments of one pair are taken as independent once its grade is known; two of one id
    at a pair aren't, and count twice all the same.

    Args: pair, worker, grade: each judgment, shape (J,); pairs and workers numbered from 0, each with a judgment.
        count: K, grades go from 0 to K - 1. most: rounds.
    Source: Dawid and Skene, Maximum likelihood estimation of observer error-rates (Applied Statistics 1979); the
        ordinal prior is ours.
    """
    pairs, workers = int(pair.max(initial=-1)) + 1, int(worker.max(initial=-1)) + 1
    own = np.zeros((pairs, count))
    np.add.at(own, (pair, grade), 1)
    multinomial = (own + 1 / count) / (own.sum(axis=1, keepdims=True) + 1)
    pull = SLIP ** np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
    pull = strength * pull / pull.sum(axis=1, keepdims=True)
    posterior, prior = own / np.maximum(own.sum(axis=1, keepdims=True), 1), np.full(count, 1 / count)
    confusion = np.broadcast_to(pull / pull.sum(axis=1, keepdims=True), (workers, count, count))
    # (worker, grade) of each judgment as one number, so that sums over judgments are one count.
    said: IntArray = worker * count + grade
    rounds, moved = 0, np.inf if pairs else 0.0
    while rounds < most and moved > CLOSE:
        sums = np.zeros((workers * count, count))
        for true in range(count):
            sums[:, true] = np.bincount(said, posterior[pair, true], minlength=workers * count)
        confusion = sums.reshape(workers, count, count).transpose(0, 2, 1) + pull
        confusion /= confusion.sum(axis=2, keepdims=True)
        prior = (posterior.sum(axis=0) + 1) / (pairs + count)
        log_said = np.log(confusion).transpose(0, 2, 1).reshape(workers * count, count)
        likelihood = np.tile(np.log(prior), (pairs, 1))
        for true in range(count):
            likelihood[:, true] += np.bincount(pair, log_said[said, true], minlength=pairs)
        new = np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
        new /= new.sum(axis=1, keepdims=True)
        moved = float(np.abs(new - posterior).max())
        posterior, rounds = new, rounds + 1
        progress(rounds)
    return Fit(posterior, multinomial, prior, confusion, rounds, moved <= CLOSE)
