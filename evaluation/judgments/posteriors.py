"""What each pair's grade may truly be: a posterior over grades from who judged it and how each of them judges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from evaluation.errors import EvaluationError
from evaluation.judgments.consensus import PAPER, Rule, State, state_of
from evaluation.reading.judgments import Judgments

STRENGTH = 10.0
"""The prior of a worker's confusions counts as so many judgments of each true grade."""
SLIP = 0.5
"""By how much the prior falls with each grade between the true one and the one given."""
ROUNDS, CLOSE = 1_000, 1e-4


@dataclass(frozen=True, eq=False)
class Posteriors:
    """Posteriors of P pairs over K grades, from W workers.

    Attributes:
        judgments: what they are of.
        posterior: shape (P, K), by Dawid and Skene's model.
        multinomial: shape (P, K), by the pair's own grades alone: every worker alike, one grade of prior over all.
        prior: shape (K,), the share of each true grade.
        confusion: shape (W, K, K): [w, k, l] is how probably the worker says l where k is true.
        rounds: of expectation and maximisation. converged: whether the posteriors stood still at the end.
    """

    judgments: Judgments
    posterior: FloatArray
    multinomial: FloatArray
    prior: FloatArray
    confusion: FloatArray
    rounds: int
    converged: bool

    @cached_property
    def of_another(self) -> FloatArray:
        """What another judge would say of each pair, shape (P, K): the workers weighed by how much they judged."""
        share = np.bincount(self.judgments.worker, minlength=len(self.confusion)) / len(self.judgments)
        said: FloatArray = self.posterior @ np.einsum("w,wkl->kl", share, self.confusion)
        return said

    def changed_by_another(self, rule: Rule = PAPER) -> tuple[FloatArray, list[State]]:
        """How probably a pair would end otherwise had another judge given one of its grades, and how it ended.

        Each of a pair's grades is as likely to be the one. A pair without enough judgments has NaN.
        """
        changed = np.full(len(self.posterior), np.nan)
        states: list[State] = []
        known: dict[tuple[int, ...], tuple[State, FloatArray | None]] = {}
        for place, grades in enumerate(self.judgments.grades_by_pair()):
            if grades not in known:
                known[grades] = _otherwise(grades, rule, self.posterior.shape[1])
            state, otherwise = known[grades]
            states.append(state)
            if otherwise is not None:
                changed[place] = float(otherwise @ self.of_another[place])
        return changed, states


def _otherwise(grades: tuple[int, ...], rule: Rule, count: int) -> tuple[State, FloatArray | None]:
    """The state of a pair, and for each grade of another judge the share of its grades whose change to it matters."""
    before = _ending(grades, rule)
    if before[0] == "open":
        return "open", None
    matters = [
        np.mean([_ending((*grades[:at], other, *grades[at + 1 :]), rule) != before for at in range(len(grades))])
        for other in range(count)
    ]
    return before[0], np.array(matters, dtype=np.float64)


def _ending(grades: tuple[int, ...], rule: Rule) -> tuple[State, int | None]:
    """As the audit decides: by all four grades where a pair has them."""
    if len(grades) < rule.both_rounds or not rule.second_round:
        return state_of(grades, rule)
    # Four grades are decided as four, whatever the first two say, so the two farthest apart go first.
    own = sorted(grades[: rule.both_rounds])
    return (
        state_of((own[0], own[-1], *own[1:-1]), rule) if own[-1] - own[0] > rule.largest_difference else state_of(own)
    )


def posteriors(
    judgments: Judgments,
    *,
    top_grade: int = 4,
    progress: Callable[[int], None] = lambda rounds: None,
) -> Posteriors:
    """Estimate how each worker judges and what each pair's grade may be, by expectation and maximisation.

    A worker has for each true grade the probabilities of the grades they give; these have a Dirichlet prior that falls
    by `SLIP` with each grade of distance and counts as `STRENGTH` judgments, so that somebody with few judgments is
    taken to judge like anybody. Judgments of one pair are taken as independent once its grade is known; two of one id
    at a pair aren't, and count twice all the same.

    Raises: EvaluationError if a grade is above `top_grade`.
    Source: Dawid and Skene, Maximum likelihood estimation of observer error-rates (Applied Statistics 1979); the
        ordinal prior is ours.
    """
    count, workers = top_grade + 1, len(judgments.workers)
    if int(judgments.grade.max(initial=0)) > top_grade:
        raise EvaluationError(f"{judgments.name}: found the grade {judgments.grade.max()}, expected 0 to {top_grade}")
    own = np.zeros((len(judgments.pair_ids), count))
    np.add.at(own, (judgments.pair, judgments.grade), 1)
    multinomial = (own + 1 / count) / (own.sum(axis=1, keepdims=True) + 1)
    distance = np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
    pull = SLIP**distance
    pull = STRENGTH * pull / pull.sum(axis=1, keepdims=True)
    posterior, prior, confusion = multinomial, multinomial.mean(axis=0), np.empty((workers, count, count))
    # (worker, grade) of each judgment as one number, so that sums over judgments are one product.
    said: IntArray = judgments.worker * count + judgments.grade
    rounds, moved = 0, np.inf
    while rounds < ROUNDS and moved > CLOSE:
        sums = np.zeros((workers * count, count))
        for grade in range(count):
            sums[:, grade] = np.bincount(said, posterior[judgments.pair, grade], minlength=workers * count)
        confusion = sums.reshape(workers, count, count).transpose(0, 2, 1) + pull
        confusion /= confusion.sum(axis=2, keepdims=True)
        prior = (posterior.sum(axis=0) + 1) / (len(posterior) + count)
        log_said = np.log(confusion).transpose(0, 2, 1).reshape(workers * count, count)
        likelihood = np.tile(np.log(prior), (len(posterior), 1))
        for grade in range(count):
            likelihood[:, grade] += np.bincount(judgments.pair, log_said[said, grade], minlength=len(posterior))
        new = np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
        new /= new.sum(axis=1, keepdims=True)
        moved = float(np.abs(new - posterior).max())
        posterior, rounds = new, rounds + 1
        progress(rounds)
    return Posteriors(judgments, posterior, multinomial, prior, confusion, rounds, moved <= CLOSE)
