"""The certificate's figure: orders without a team, and what is unjudged, as bars."""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from typing import Any

from evaluation.figures.bars import bars
from evaluation.pooling.certificate import CUTOFFS


def certificate_figure(found: Mapping[str, Any]) -> str:
    """The figure as SVG.

    Args: found: a `Certificate` as a dict, as its JSON has it: None stands for NaN.
    """
    of = found["verdict"]["left_out"]
    without = found["without_team"] if of == "team" else found["without_run"]
    return bars(
        {
            f"Order without one {of}: tau": [(one["name"], max(0.0, _number(one["tau"]))) for one in without],
            f"Unjudged of the first {CUTOFFS[0]}": [(run["run"], _number(run["unjudged"][0])) for run in found["runs"]],
        },
        title=f"How far {found['ground_truth']} can be reused",
        x_label="tau, share",
        note=f"ordered by {found['measure']}; depth {found['depth']}, IoU from {found['iou']:g} on",
    )


def _number(value: float | None) -> float:
    return nan if value is None else value
