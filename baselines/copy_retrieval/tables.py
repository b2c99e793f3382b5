"""A study's tables as Markdown: the main comparison with mean and deviation, an ablation a parameter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev

from baselines.copy_retrieval.learning_rate import best_rate
from baselines.copy_retrieval.rows import ablation, compared
from baselines.copy_retrieval.training import Scores
from baselines.losses import HAPSettings

SYMBOLS = {
    "delta_v": "δ_v",
    "delta_f": "δ_f",
    "rho_v": "ρ_v",
    "rho_f": "ρ_f",
    "lambda_f": "λ_f",
    "rates": "r_t, r_b",
}

ScoresOfTrainings = Mapping[tuple[HAPSettings, int], Scores]


def tables_of(
    seeds: Sequence[int],
    rivals: Iterable[str],
    ablations: Iterable[str],
    scores_of: ScoresOfTrainings,
    plain: Scores,
    rates: Mapping[float, float] | None = None,
) -> str:
    """All tables.

    Args: rivals: losses in QuadLinear-AP's place, by name. scores_of: scores of each setting and seed. plain: of the
    features without a network. rates: what the learning rate was chosen by, each with its mAP on validation videos;
    None where it was named.
    """
    text = main_table(seeds, rivals, scores_of, plain)
    if rates is not None:
        compared = ", ".join(f"{rate:g}: {_percent([value])}" for rate, value in rates.items())
        text += f"\nLearning rate {best_rate(rates):g}, by mAP on validation videos ({compared}).\n"
    for parameter in ablations:
        text += "\n" + ablation_table(parameter, seeds[0], scores_of)
    return text


def main_table(seeds: Sequence[int], rivals: Iterable[str], scores_of: ScoresOfTrainings, plain: Scores) -> str:
    """Rows of losses, columns mAP and uAP in %: the mean over the seeds, ± the standard deviation."""
    title = f"mAP and uAP in %, {'seed' if len(seeds) == 1 else 'mean and deviation over seeds'} {_listed(seeds)}"
    lines = [title, "", "| loss | mAP | uAP |", "| --- | --- | --- |"]
    lines.append(f"| features alone, nothing trained | {_percent([plain.mAP])} | {_percent([plain.uAP])} |")
    for row, setting in compared(rivals).items():
        scores = [scores_of[setting, seed] for seed in seeds]
        lines.append(f"| {row} | {_percent([s.mAP for s in scores])} | {_percent([s.uAP for s in scores])} |")
    return "\n".join(lines) + "\n"


def ablation_table(parameter: str, seed: int, scores_of: ScoresOfTrainings) -> str:
    """Rows of a parameter's values, or of pairs of r_t and r_b; everything else is Table 2's."""
    lines = [f"{SYMBOLS[parameter]} (all else as in Table 2, seed {seed})", ""]
    lines += [f"| {SYMBOLS[parameter]} | mAP | uAP |", "| --- | --- | --- |"]
    for value, setting in ablation(parameter).items():
        scores = scores_of[setting, seed]
        lines.append(f"| {value} | {_percent([scores.mAP])} | {_percent([scores.uAP])} |")
    return "\n".join(lines) + "\n"


def _percent(values: Sequence[float]) -> str:
    mean = f"{100 * fmean(values):.2f}"
    return mean if len(values) < 2 else f"{mean} ± {100 * stdev(values):.2f}"


def _listed(seeds: Sequence[int]) -> str:
    return ", ".join(str(seed) for seed in seeds)
