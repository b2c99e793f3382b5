"""Figures of scores, by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import EvaluationError
from ..formats.table import Table
from ..scores.score_table import ScoreTable
from ..scores.scoring import Record
from ..significance import bootstrap_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def new_axes() -> Axes:
    """Axes of a new figure. Raises: EvaluationError if matplotlib isn't installed."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise EvaluationError("plots need matplotlib: pip install matplotlib") from error
    return pyplot.subplots(layout="constrained")[1]


def scores(axes: Axes, found: ScoreTable) -> Axes:
    """Each run's mean on the one measure with its 95 % bootstrap interval, the best at the top."""
    values = found.values[0].T
    means = values.mean(axis=0)
    order = np.argsort(means, kind="stable")
    low, high = bootstrap_interval(values[:, order])
    ends = np.abs(np.array([low, high]) - means[order])
    axes.errorbar(means[order], range(len(order)), xerr=ends, fmt="o", capsize=3)
    axes.set_yticks(range(len(order)), [found.systems[place] for place in order])
    axes.margins(y=0.1)
    axes.set(xlabel=found.measures[0], title=f"95 % bootstrap intervals, {len(values):,} queries")
    return axes


def differences(axes: Axes, first: Record, second: Record) -> Axes:
    """What the first run gains and loses against the second, query by query, the greatest gain first."""
    assert first.per_query is not None and second.per_query is not None
    own = first.per_query - second.per_query
    own = -np.sort(-own[~np.isnan(own)])
    axes.fill_between(range(1, len(own) + 1), own, step="mid")
    axes.axhline(0, color="black", linewidth=0.8)
    gains, losses = int((own > 1e-12).sum()), int((own < -1e-12).sum())
    title = f"{gains:,} gains, {losses:,} losses, {len(own) - gains - losses:,} ties"
    axes.set(xlabel="queries", ylabel=f"{first.measure}: {first.run} - {second.run}", title=title)
    return axes


def recall(axes: Axes, found: Table, *, title: str) -> Axes:
    """A line a run over the ranks."""
    ranks = [int(str(row[0])) for row in found.rows]
    for place, name in enumerate(found.head[1:], start=1):
        axes.plot(ranks, [float(str(row[place])) for row in found.rows], label=name)
    axes.set(xlabel="rank", ylabel="share of the relevant moments found", title=title)
    axes.set_ylim(0, 1)
    axes.legend()
    return axes
