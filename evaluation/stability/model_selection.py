"""Which model does a measure pick on validation, and how good is that model on test?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray, IntArray
from ..errors import EvaluationError
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..scores.conventions import PAPER, Convention
from ..scores.scoring import evaluate


@dataclass(frozen=True, eq=False)
class ModelSelection:
    """Attributes (M measures on validation, T on test):
    winners: each measure's variant, and tied: how many variants share its best value, shape (M,).
    scores: the winners' scores on test, shape (M, T). z: their Z-scores over the M winners, same shape.
    """

    measures: tuple[str, ...]
    test_measures: tuple[str, ...]
    variants: int
    winners: tuple[str, ...]
    tied: IntArray
    scores: FloatArray
    z: FloatArray


def select_models(
    validation: GroundTruth,
    runs: Iterable[Run],
    measures: Sequence[str],
    test: GroundTruth,
    test_run: Callable[[str], Run],
    test_measures: Sequence[str],
    *,
    convention: Convention = PAPER,
) -> ModelSelection:
    """Let each measure select the best variant on validation, and score its choice on test.

    The best is the one with the highest mean; of several the first. Runs are read one by one, so that
    hundreds of variants need the memory of one.

    Args: runs: every variant on validation. test_run: a variant's run on test, by the name of its run on validation;
    asked for the winners alone.
    Raises: EvaluationError for fewer than two variants, or a measure that has no value for one, or as `evaluate`.
    Source: AxIoU (CVPR 2022), section 6.6 and Figure 8: 640 variants, 12 measures, 8 on test.
    """
    names: list[str] = []
    rows: list[list[float]] = []
    for run in runs:
        names.append(run.name)
        rows.append([record.value for record in evaluate(validation, [run], measures, convention=convention)])
    if len(names) < 2:
        raise EvaluationError("a selection needs at least two variants")
    values = np.array(rows)
    if np.isnan(values).any():
        row, column = np.argwhere(np.isnan(values))[0]
        raise EvaluationError(f"{measures[column]} has no value for {names[row]}: it can't select")
    best = values.argmax(axis=0)
    on_test = {
        name: [record.value for record in evaluate(test, [test_run(name)], test_measures, convention=convention)]
        for name in dict.fromkeys(names[place] for place in best.tolist())
    }
    winners = tuple(names[place] for place in best.tolist())
    scores = np.array([on_test[name] for name in winners])
    return ModelSelection(
        tuple(measures),
        tuple(test_measures),
        len(names),
        winners,
        (values == values.max(axis=0)).sum(axis=0).astype(np.int64),
        scores,
        z_scores(scores),
    )


def z_scores(scores: FloatArray) -> FloatArray:
    """Each column less its mean, over its standard deviation (n); 0 where all are equal.

    >>> z_scores(np.array([[1.0, 2.0], [3.0, 2.0]])).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    deviation = scores.std(axis=0)
    differing = np.ptp(scores, axis=0) > 1e-12
    z: FloatArray = np.divide(scores - scores.mean(axis=0), deviation, out=np.zeros_like(scores), where=differing)
    return z
