"""The certificate's figure: orders without a team, and what is unjudged, as bars."""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from typing import Any

from ..figures.bars import bars
from ..pooling.certificate import CUTOFFS


def certificate_figure(certificate: Mapping[str, Any]) -> str:
    """The figure as SVG.

    Args: certificate: a `Certificate` as a dict, as its JSON has it: None stands for NaN.
    """
    of = certificate["verdict"]["left_out"]
    without = certificate["without_team"] if of == "team" else certificate["without_run"]
    return bars(
        {
            f"Order without one {of}: tau": [(left["name"], max(0.0, _number(left["tau"]))) for left in without],
            f"Unjudged of the first {CUTOFFS[0]}": [
                (run["run"], _number(run["unjudged"][0])) for run in certificate["runs"]
            ],
        },
        title=f"How far {certificate['ground_truth']} can be reused",
        x_label="tau, share",
        note=f"ordered by {certificate['measure']}; depth {certificate['depth']}, IoU from {certificate['iou']:g} on",
    )


def _number(value: float | None) -> float:
    return nan if value is None else value
