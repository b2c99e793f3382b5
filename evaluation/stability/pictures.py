"""The studies as figures, in the manner of the AxIoU paper's Figures 4 to 7, 9 and 10."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import FloatArray
from ..figures.bars import bars
from ..figures.heat_map import heat_map
from ..figures.line_panels import Panel, PlotLine, line_panels
from ..stability.gaussian_noise import NoiseEffect, effect_on_axiou, effect_on_recall
from ..stability.label_noise import LabelNoise
from ..stability.self_agreement import SelfAgreement


def by_family(measures: Sequence[str]) -> dict[str, list[tuple[int, str]]]:
    """Measures that belong in one panel: those that differ in the IoU boundary, or else in K.

    Returns: heading -> (position, label inside the panel).

    >>> by_family(["R@1,IoU>0.3", "R@1,IoU>0.5", "AxIoU@1", "AxIoU@5"])
    {'R@1': [(0, 'IoU>0.3'), (1, 'IoU>0.5')], 'AxIoU': [(2, '@1'), (3, '@5')]}
    """
    families: dict[str, list[tuple[int, str]]] = {}
    for place, name in enumerate(measures):
        before, comma, after = name.partition(",")
        if comma:
            families.setdefault(before, []).append((place, after))
        else:
            heading, at, cutoff = before.partition("@")
            families.setdefault(heading, []).append((place, f"@{cutoff}" if at else heading))
    return families


def agreement_picture(tau: FloatArray, measures: Sequence[str], counted: str) -> str:
    """Tau-b between measures as a heat map (the paper's Figure 4)."""
    return heat_map(tau, measures, title="Agreement between measures", note=f"Kendall's tau-b; {counted}")


def self_agreement_picture(result: SelfAgreement, counted: str, *, variance: bool) -> str:
    """Mean or variance of tau against the size of the subset (Figure 6)."""
    values = result.variance if variance else result.mean
    what = "Variance of tau-b" if variance else "Mean tau-b"
    other = "another subset of that size" if result.against == "subset" else "the full set"
    return line_panels(
        _panels(values, [float(size) for size in result.sizes], result.measures),
        title=f"Self-agreement: subsets against {other}",
        x_label="queries in the subset",
        y_label=what,
        from_zero=variance,
        note=f"{result.draws:,} draws a size; {counted}",
    )


def label_noise_picture(result: LabelNoise, counted: str) -> str:
    """Error of the score against the deviation of the start, mean over systems (Figure 7)."""
    length = (
        "exponential length with the true one as mean"
        if result.model == "paper"
        else "true length plus an exponential of mean 1 s"
    )
    return line_panels(
        _panels(result.error.mean(axis=2), result.deviations, result.measures),
        title="Error of the score under label noise",
        x_label="standard deviation of the start, s",
        y_label="RMSE of the score",
        from_zero=True,
        note=f"median of {result.raters} raters, {length}; {result.test_sets} test sets a level; {counted}",
    )


def scores_picture(means: FloatArray, measures: Sequence[str], systems: Sequence[str], counted: str) -> str:
    """Each system's score by measure (Figure 5).

    Args: means: shape (measures, systems), systems in the order in which they are to stand.
    """
    return line_panels(
        _panels(means.T, [float(place) for place in range(len(systems))], measures),
        title="Scores of the systems",
        x_label="system",
        y_label="score",
        from_zero=True,
        x_names=systems,
        note=f"systems sorted by {measures[0]}; {counted}",
    )


def all_tied_picture(ratio: FloatArray, measures: Sequence[str], counted: str) -> str:
    """The share of queries on which all systems tie, by measure (Figure 9)."""
    return bars(
        {
            heading: [(label, float(ratio[place])) for place, label in members]
            for heading, members in by_family(measures).items()
        },
        title="All-tied queries",
        x_label="share of queries on which all systems have one value",
        note=counted,
    )


_PARTS = (("squared bias", "squared_bias"), ("variance", "variance"), ("mean squared error", "error"))


def noise_at_one_iou_pictures() -> dict[str, str]:
    """Squared bias, variance and mean squared error of one query of true IoU 0.5 (Figure 10).

    Once against the noise, one line per threshold, and once against the threshold, one line per noise.
    """
    true = np.array([0.5])
    gammas, thetas = np.linspace(0.005, 0.5, 100).tolist(), np.linspace(0.0, 1.0, 201).tolist()
    by_gamma = {
        **{f"R@1, mu = {t:g}": [(g, effect_on_recall(true, t, g)) for g in gammas] for t in (0.3, 0.5, 0.7)},
        "AxIoU@1": [(g, effect_on_axiou(true, g)) for g in gammas],
    }
    by_theta = {
        **{f"R@1, s = {g:g}": [(t, effect_on_recall(true, t, g)) for t in thetas] for g in (0.05, 0.1, 0.2)},
        **{f"AxIoU@1, s = {g:g}": [(t, effect_on_axiou(true, g)) for t in thetas] for g in (0.05, 0.1, 0.2)},
    }
    return {
        f"gaussian-noise-by-{name}.svg": line_panels(
            [
                Panel(
                    word.capitalize(),
                    [
                        PlotLine(label, [(x, float(getattr(effect, part)[0])) for x, effect in effects])
                        for label, effects in lines.items()
                    ],
                )
                for word, part in _PARTS
            ],
            title="Gaussian noise on an IoU of 0.5",
            x_label=x_label,
            y_label="of the observed value",
            from_zero=True,
            note=f"closed form; {note}; n = 1 query",
        )
        for name, x_label, note, lines in (
            (
                "deviation",
                "standard deviation of the noise",
                "mu: threshold; equally far from the IoU they coincide",
                by_gamma,
            ),
            ("threshold", "threshold mu", "s: standard deviation of the noise", by_theta),
        )
    }


def gaussian_noise_pictures() -> dict[str, str]:
    """Bias, variance and squared error against the true IoU (ours; Figure 10 holds it at 0.5)."""
    iou, deviations = np.linspace(0.0, 1.0, 201), (0.05, 0.1, 0.2)

    def panels(part: str) -> list[Panel]:
        rows = [
            (f"R@1,IoU>{threshold:g}", [effect_on_recall(iou, threshold, d) for d in deviations])
            for threshold in (0.3, 0.5, 0.7)
        ]
        rows.append(("AxIoU@1", [effect_on_axiou(iou, d) for d in deviations]))
        return [Panel(heading, _curves(iou, effects, deviations, part)) for heading, effects in rows]

    note = "closed form for IoU observed with Gaussian noise of standard deviation s; n = 1 query"
    title = "Theoretical {} under Gaussian noise"
    return {
        f"gaussian-noise-{part}.svg": line_panels(
            panels(part), title=title.format(word), x_label="true IoU", y_label=word, note=note
        )
        for part, word in (("bias", "bias"), ("variance", "variance"), ("error", "squared error"))
    }


def _curves(iou: FloatArray, effects: Sequence[NoiseEffect], deviations: Sequence[float], part: str) -> list[PlotLine]:
    return [
        PlotLine(f"s = {d:g}", list(zip(iou.tolist(), getattr(effect, part).tolist(), strict=True)))
        for d, effect in zip(deviations, effects, strict=True)
    ]


def _panels(values: FloatArray, xs: Sequence[float], measures: Sequence[str]) -> list[Panel]:
    """Panels of ``values[x, measure]``."""
    return [
        Panel(
            heading,
            [PlotLine(label, list(zip(xs, values[:, place].tolist(), strict=True))) for place, label in members],
        )
        for heading, members in by_family(measures).items()
    ]
