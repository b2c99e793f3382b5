"""How much does a score move when annotators place the boundaries a little differently?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arrays import FloatArray
from ..errors import EvaluationError
from ..measures import Measure
from ..measures.measure import RunMeasure
from ..moments.alignment import align
from ..moments.ground_truth import GroundTruth
from ..moments.overlap import temporal_iou
from ..moments.run import Run
from ..scores.conventions import PAPER, Convention
from ..scores.scoring import averaged, mean_of_defined

DEVIATIONS = (1.0, 2.0, 3.0, 4.0)
NoiseModel = Literal["paper", "code"]


@dataclass(frozen=True, eq=False)
class LabelNoise:
    """Attributes: deviations: of the start, in seconds. error: root mean squared difference to the
    score on the true labels, shape (deviations, measures, systems), in units of the measure.
    shift: mean difference, same shape. median_iou: how far the boundaries moved, shape (deviations,):
    the IoU of a judged moment before and after, the median over the moments, the mean over the test
    sets. People's own agreement says which level is realistic."""

    model: NoiseModel
    deviations: tuple[float, ...]
    measures: tuple[str, ...]
    systems: tuple[str, ...]
    test_sets: int
    raters: int
    error: FloatArray
    shift: FloatArray
    median_iou: FloatArray


def noisy_times(
    start: FloatArray,
    end: FloatArray,
    *,
    deviation: float,
    model: NoiseModel,
    raters: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """The boundaries that the median of several simulated raters gives.

    A rater's start is normal around the true start. The length is exponential with the true
    length as its mean (``"paper"``), or the true length plus an exponential of mean 1 s
    (``"code"``). Start and end are the medians over the raters; as every rater's end lies after
    the start, so do the medians. Nothing is cut at 0 or at the end of the video.

    Args: start, end: shape (M,), seconds. Returns: two arrays of shape (M,).
    Source: AxIoU (CVPR 2022), section 6.4; ExperimentsOnCharadesSTA.ipynb.
    """
    shape = (raters, len(start))
    starts = rng.normal(start, deviation, shape)
    length = end - start
    lengths = rng.exponential(length, shape) if model == "paper" else length + rng.exponential(1.0, shape)
    middle = np.median(starts, axis=0)
    # An exponential draw may be 0 to the last bit; a moment needs some length.
    return middle, np.maximum(np.median(starts + lengths, axis=0), np.nextafter(middle, np.inf))


def label_noise(
    ground_truth: GroundTruth,
    runs: Sequence[Run],
    measures: Sequence[Measure],
    *,
    model: NoiseModel = "paper",
    deviations: Sequence[float] = DEVIATIONS,
    test_sets: int = 100,
    raters: int = 5,
    convention: Convention = PAPER,
    seed: int = 0,
) -> LabelNoise:
    """Score the runs on test sets with redrawn boundaries; grades stay.

    Raises: EvaluationError for measures without values per query.
    Source: AxIoU (CVPR 2022), section 6.4 and Figure 7.
    """
    computed = [convention.applied(measure) for measure in measures]
    if any(isinstance(measure, RunMeasure) for measure in computed):
        raise EvaluationError("label noise is studied for measures with values per query")
    depths = [measure.depth for measure in computed]
    depth = None if None in depths else max(d for d in depths if d is not None)
    aligned = [list(align(ground_truth, run, depth=depth)) for run in runs]

    def scores(times: tuple[FloatArray, FloatArray] | None) -> FloatArray:
        table = np.empty((len(computed), len(runs)))
        for column, blocks in enumerate(aligned):
            moved = blocks if times is None else [block.with_ground_truth_times(*times) for block in blocks]
            for row, measure in enumerate(computed):
                values = [
                    averaged(measure.per_query(b), b.answered, answered_only=convention.answered_only) for b in moved
                ]
                table[row, column] = mean_of_defined(np.concatenate(values))
        return table

    true = scores(None)
    error = np.zeros((len(deviations), *true.shape))
    shift = np.zeros_like(error)
    median_iou = np.zeros(len(deviations))
    for level, deviation in enumerate(deviations):
        rng = np.random.default_rng([seed, level])
        for _ in range(test_sets):
            times = noisy_times(
                ground_truth.start,
                ground_truth.end,
                deviation=deviation,
                model=model,
                raters=raters,
                rng=rng,
            )
            median_iou[level] += np.median(temporal_iou(ground_truth.start, ground_truth.end, *times))
            difference = scores(times) - true
            error[level] += difference**2
            shift[level] += difference
    return LabelNoise(
        model,
        tuple(deviations),
        tuple(map(str, measures)),
        tuple(run.name for run in runs),
        test_sets,
        raters,
        np.sqrt(error / test_sets),
        shift / test_sets,
        median_iou / test_sets,
    )
