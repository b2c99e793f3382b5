"""What each pair's grade may truly be: a posterior over grades from who judged it and how each of them judges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import FloatArray
from ..errors import EvaluationError
from ..judgments.annotator_model import Fit, fitted
from ..judgments.consensus import PAPER, Rule
from ..judgments.grade_classes import unit_of
from ..judgments.repeats import decided_row
from ..reading.judgments import Judgments


@dataclass(frozen=True, eq=False)
class Posteriors:
    """Posteriors of P pairs over K grades.

    Attributes: judgments: what they are of. fit: Dawid and Skene's model of them.
    """

    judgments: Judgments
    fit: Fit

    @cached_property
    def of_another(self) -> FloatArray:
        """What another judge would say of each pair, shape (P, K): the workers weighed by how much they judged."""
        share = np.bincount(self.judgments.worker, minlength=len(self.fit.confusion)) / len(self.judgments)
        said: FloatArray = self.fit.posterior @ np.einsum("w,wkl->kl", share, self.fit.confusion)
        return said

    def changed_by_another(self, rule: Rule = PAPER) -> tuple[FloatArray, list[str]]:
        """How probably a pair would end otherwise had another judge given one of its grades, and how it ended.

        Each of a pair's grades is as likely to be the one. How pairs end is as `decided` says: graded, discarded or
        open; an open one has NaN.
        """
        changed = np.full(len(self.fit.posterior), np.nan)
        states: list[str] = []
        known: dict[tuple[int, ...], tuple[str, FloatArray | None]] = {}
        for place, grades in enumerate(self.judgments.grades_by_pair()):
            if grades not in known:
                known[grades] = _otherwise(grades, rule, self.fit.posterior.shape[1])
            state, otherwise = known[grades]
            states.append(state)
            if otherwise is not None:
                changed[place] = float(otherwise @ self.of_another[place])
        return changed, states


def _otherwise(grades: tuple[int, ...], rule: Rule, count: int) -> tuple[str, FloatArray | None]:
    """The state of a pair, and for each grade of another judge the share of its grades whose change to it matters."""
    before = decided_row(grades, rule)
    if before[0] == "open":
        return "open", None
    others = [place * unit_of(rule.top_grade) // rule.step * rule.step for place in range(count)]
    matters = [
        np.mean([decided_row((*grades[:at], other, *grades[at + 1 :]), rule) != before for at in range(len(grades))])
        if other <= rule.top_grade
        else 0.0
        for other in others
    ]
    return before[0], np.array(matters, dtype=np.float64)


def posteriors(
    judgments: Judgments, *, top_grade: int = 4, progress: Callable[[int], None] = lambda rounds: None
) -> Posteriors:
    """Estimate what each pair's grade may be; see `fitted`.

    Raises: EvaluationError if a grade is above `top_grade`.
    """
    if int(judgments.grade.max(initial=0)) > top_grade:
        raise EvaluationError(f"{judgments.name}: found the grade {judgments.grade.max()}, expected 0 to {top_grade}")
    fit = fitted(judgments.pair, judgments.worker, judgments.grade, count=top_grade + 1, progress=progress)
    return Posteriors(judgments, fit)
