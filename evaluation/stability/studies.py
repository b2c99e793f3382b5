"""The studies by name: each answers a `StabilityQuestion` with text, data and figures."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..errors import EvaluationError
from ..figures.text_table import figure, table
from ..measures.mean_iou import MeanIoU
from ..scores.scoring import evaluate
from ..significance.agreement import agreement, rank_biased_overlap, tau_ap
from ..stability.all_tied import all_tied_ratio
from ..stability.annotators import AnnotatorModel, annotator_intervals
from ..stability.gaussian_noise import effect_on_scores
from ..stability.label_noise import NoiseModel, label_noise
from ..stability.pictures import (
    agreement_picture,
    all_tied_picture,
    gaussian_noise_pictures,
    label_noise_picture,
    noise_at_one_iou_pictures,
    scores_picture,
    self_agreement_picture,
)
from ..stability.self_agreement import Against, self_agreement
from ..stability.study import StabilityAnswer, StabilityQuestion
from ..stability.test_set_size import queries_needed_for
from ..stability.unjudged import unjudged_effect

_AGAINST: tuple[tuple[Against, str], ...] = (
    ("subset", "between two subsets, as the paper says"),
    ("full", "with the full set, as its code does"),
)
_NOISE_MODELS: tuple[tuple[NoiseModel, str], ...] = (
    ("paper", "length exponential around the true one, as the paper says"),
    ("code", "true length plus an exponential of mean 1 s, as its code does"),
)
_ANNOTATOR_MODELS: tuple[tuple[AnnotatorModel, str], ...] = (
    ("own", "each pair's own judgments drawn again (too little scatter)"),
    ("pooled", "each judgment replaced by what others gave beside it (too much scatter)"),
)


def _nested(values: FloatArray, outer: tuple[str, ...], inner: tuple[str, ...]) -> dict[str, Any]:
    return {name: dict(zip(inner, row, strict=True)) for name, row in zip(outer, values.tolist(), strict=True)}


def study_scores(question: StabilityQuestion) -> StabilityAnswer:
    """Every system's score on every measure, systems sorted by the first one."""
    scores = question.table
    means = scores.means()
    order = np.argsort(-means[0], kind="stable")
    systems = tuple(scores.systems[place] for place in order)
    rows = [[name, *(figure(value) for value in means[m, order].tolist())] for m, name in enumerate(scores.measures)]
    return StabilityAnswer(
        f"Scores of the systems, sorted by {scores.measures[0]}",
        table(["measure", *systems], rows),
        _nested(means[:, order], scores.measures, systems),
        {"scores.svg": scores_picture(means[:, order], scores.measures, systems, question.counted)},
    )


def study_agreement(question: StabilityQuestion) -> StabilityAnswer:
    """Kendall's tau-b between all measures, over the systems; its data has tau-AP and rank-biased overlap too."""
    scores = question.table
    means = scores.means()
    tau = agreement(means)
    numbers = [f"[{i}]" for i in range(1, len(scores.measures) + 1)]
    rows = [
        [f"{number} {name}", *(figure(value, 2) for value in row)]
        for number, name, row in zip(numbers, scores.measures, tau.tolist(), strict=True)
    ]
    return StabilityAnswer(
        "Agreement between measures: Kendall's tau-b over the systems",
        table(["", *numbers], rows),
        {
            "measures": scores.measures,
            "tau_b": tau,
            "tau_ap": tau_ap(means[:, None, :], means[None, :, :]),
            "rbo": rank_biased_overlap(means[:, None, :], means[None, :, :]),
        },
        {"agreement.svg": agreement_picture(tau, scores.measures, question.counted)},
    )


def study_self_agreement(question: StabilityQuestion) -> StabilityAnswer:
    """Tau-b against test-set size, both ways."""
    text, data, figures = [], {}, {}
    for against, title in _AGAINST:
        result = self_agreement(
            question.table,
            against=against,
            draws=question.draws,
            seed=question.seed,
        )
        shown = sorted({*range(0, len(result.sizes), max(1, len(result.sizes) // 5)), len(result.sizes) - 1})
        rows = [
            [name, *(f"{result.mean[i, m]:.3f} ({math.sqrt(result.variance[i, m]):.3f})" for i in shown)]
            for m, name in enumerate(result.measures)
        ]
        head = ["mean (deviation)", *(f"{result.sizes[i]:,}" for i in shown)]
        text.append(f"{title}; {result.draws:,} draws a size\n{table(head, rows)}")
        data[against] = {
            "sizes": result.sizes,
            "draws": result.draws,
            "mean": dict(zip(result.measures, result.mean.T.tolist(), strict=True)),
            "variance": dict(zip(result.measures, result.variance.T.tolist(), strict=True)),
            "undefined": dict(zip(result.measures, result.undefined.T.tolist(), strict=True)),
        }
        for variance in (False, True):
            name = f"self-agreement-{against}-{'variance' if variance else 'mean'}.svg"
            figures[name] = self_agreement_picture(result, question.counted, variance=variance)
    return StabilityAnswer("Self-agreement: tau-b by number of queries", "\n\n".join(text), data, figures)


def study_label_noise(question: StabilityQuestion) -> StabilityAnswer:
    """Error of the scores when boundaries are redrawn, by both models."""
    text, data, figures = [], {}, {}
    for model, title in _NOISE_MODELS:
        result = label_noise(
            question.ground_truth,
            question.runs,
            question.measures,
            model=model,
            test_sets=question.test_sets,
            convention=question.convention,
            seed=question.seed,
        )
        mean = result.error.mean(axis=2)
        rows = [[name, *(figure(value) for value in mean[:, m].tolist())] for m, name in enumerate(result.measures)]
        head = ["RMSE, mean over systems", *(f"{d:g} s" for d in result.deviations)]
        rows.append(["median IoU to the true moments", *(figure(value) for value in result.median_iou.tolist())])
        text.append(f"{title}; median of {result.raters} raters, {result.test_sets} sets\n{table(head, rows)}")
        levels = tuple(f"{d:g}" for d in result.deviations)
        data[model] = {
            "rmse": {
                level: _nested(result.error[i], result.measures, result.systems) for i, level in enumerate(levels)
            },
            "shift": {
                level: _nested(result.shift[i], result.measures, result.systems) for i, level in enumerate(levels)
            },
            "median_iou": dict(zip(levels, result.median_iou.tolist(), strict=True)),
            "test_sets": result.test_sets,
            "raters": result.raters,
        }
        figures[f"label-noise-{model}.svg"] = label_noise_picture(result, question.counted)
    return StabilityAnswer("Label noise: error of the scores", "\n\n".join(text), data, figures)


def study_ties(question: StabilityQuestion) -> StabilityAnswer:
    """The share of queries on which all systems tie, and how near the best one is to the ceiling."""
    scores = question.table
    ratio, means = all_tied_ratio(scores), scores.means()
    best = means.argmax(axis=1)
    rows = [
        [name, figure(ratio[m]), figure(means[m, best[m]]), scores.systems[best[m]]]
        for m, name in enumerate(scores.measures)
    ]
    return StabilityAnswer(
        "All-tied queries: share on which all systems have one value",
        table(["measure", "all tied", "best score", "of"], rows),
        {
            "all_tied": dict(zip(scores.measures, ratio.tolist(), strict=True)),
            "scores": _nested(means, scores.measures, scores.systems),
        },
        {"all-tied.svg": all_tied_picture(ratio, scores.measures, question.counted)},
    )


def study_theory(question: StabilityQuestion) -> StabilityAnswer:
    """What Gaussian noise of the IoU does to R@1 and AxIoU@1 of these runs."""
    rows, data = [], {}
    first = MeanIoU()
    for record in evaluate(question.ground_truth, question.runs, [first], convention=question.convention):
        assert record.per_query is not None  # mIoU always has values per query
        iou = record.per_query[~np.isnan(record.per_query)]
        own: dict[str, dict[str, tuple[float, float]]] = {}
        for deviation in (0.05, 0.1, 0.2):
            effects: dict[str, tuple[float, float]] = {}
            for threshold in (0.3, 0.5, 0.7):
                effects.update(effect_on_scores(iou, threshold, deviation))
            own[f"{deviation:g}"] = effects
            for name, (bias, scatter) in effects.items():
                rows.append([record.run, f"{deviation:g}", name, f"{bias:+.4f}", figure(scatter)])
        data[record.run] = {
            level: {name: {"bias": bias, "deviation": scatter} for name, (bias, scatter) in effects.items()}
            for level, effects in own.items()
        }
    return StabilityAnswer(
        "Theory: bias and deviation of scores if IoU is observed with Gaussian noise",
        table(["run", "noise", "measure", "bias", "deviation"], rows),
        data,
        gaussian_noise_pictures() | noise_at_one_iou_pictures(),
    )


def study_queries(question: StabilityQuestion) -> StabilityAnswer:
    """How many more queries each difference needs."""
    differences = queries_needed_for(question.table)

    def count(value: float) -> str:
        return "-" if math.isinf(value) else f"{value:,.0f}"

    rows = [
        [row.measure, row.first, row.second, f"{row.difference:+.4f}", count(row.needed), count(row.more)]
        for row in differences
    ]
    return StabilityAnswer(
        "Test-set size: queries for a difference to be significant (0.05, power 0.8)",
        table(["measure", "first", "second", "difference", "needed", "more"], rows),
        [asdict(row) for row in differences],
    )


def study_unjudged(question: StabilityQuestion) -> StabilityAnswer:
    """Scores with unjudged predictions as 0, removed, and the bounds."""
    effects = [
        effect
        for run in question.runs
        for effect in unjudged_effect(question.ground_truth, run, question.measures, convention=question.convention)
    ]
    rows = [[e.run, e.measure, f"{e.share:.1%}", *map(figure, (e.as_zero, e.removed, e.low, e.high))] for e in effects]
    return StabilityAnswer(
        "Unjudged moments: their share, and scores with them as 0, removed, and at their worst and best",
        table(["run", "measure", "unjudged", "as 0", "removed", "low", "high"], rows),
        [asdict(effect) for effect in effects],
    )


def study_annotators(question: StabilityQuestion) -> StabilityAnswer:
    """Intervals from the annotators' disagreement. Raises: EvaluationError without raw judgments."""
    if question.judgments is None:
        raise EvaluationError("the study 'annotators' needs --raw raw_annotations.csv")
    text, data = [], {}
    for model, title in _ANNOTATOR_MODELS:
        result = annotator_intervals(
            question.ground_truth,
            question.runs,
            question.measures,
            question.judgments,
            model=model,
            draws=question.annotator_draws,
            convention=question.convention,
            seed=question.seed,
        )
        rows = []
        for m, name in enumerate(result.measures):
            for s, system in enumerate(result.systems):
                interval = f"[{figure(result.low[m, s])}, {figure(result.high[m, s])}]"
                rows.append([name, system, figure(result.observed[m, s]), interval, figure(result.tau[m], 3)])
        text.append(
            f"{title}; {result.draws:,} draws; {result.discarded:.1%} of the pairs discarded in a draw, "
            f"{result.discarded_observed:.1%} as judged\n"
            + table(["measure", "run", "observed", "95 % interval", "tau of order"], rows)
        )
        data[model] = {
            "observed": _nested(result.observed, result.measures, result.systems),
            "low": _nested(result.low, result.measures, result.systems),
            "high": _nested(result.high, result.measures, result.systems),
            "deviation": _nested(result.deviation, result.measures, result.systems),
            "tau": dict(zip(result.measures, result.tau.tolist(), strict=True)),
            "discarded": result.discarded,
            "discarded_observed": result.discarded_observed,
            "draws": result.draws,
        }
    return StabilityAnswer("Annotators: scores as other judges might have made them", "\n\n".join(text), data)


STUDIES: dict[str, Callable[[StabilityQuestion], StabilityAnswer]] = {
    "scores": study_scores,
    "agreement": study_agreement,
    "self-agreement": study_self_agreement,
    "label-noise": study_label_noise,
    "ties": study_ties,
    "theory": study_theory,
    "queries": study_queries,
    "unjudged": study_unjudged,
    "annotators": study_annotators,
}
"""All studies, in the order in which they are told."""
