"""A calibration's figures as SVG, for files and for pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from evaluation.figures.line_panels import Panel, PlotLine, line_panels


def figure_of(found: Mapping[str, Any], *, name: str) -> str:
    """What people say by what a judge expects, and by how sure it is, as SVG; "" where it graded nothing.

    Args: name: the judge's, for the title.
    """
    if found["raw"] is None:
        return ""
    top = float(found["top_grade"])
    lines = [
        PlotLine(_("if it were people"), [(0.0, 0.0), (top, top)]),
        PlotLine(_("as it grades"), _points(found["raw"]["curve"])),
    ]
    if found["recalibrated"] is not None:
        lines.append(PlotLine(_("recalibrated"), _points(found["recalibrated"]["curve"])))
    pairs = {"pairs": f"{found['graded']:,}", "queries": f"{found['queries']:,}"}
    return line_panels(
        [Panel("", lines)],
        title=_("%(judge)s beside people") % {"judge": name},
        x_label=_("grade that the judge expects"),
        y_label=_("people's mean grade"),
        note=_("n = %(pairs)s pairs of %(queries)s queries") % pairs,
        from_zero=True,
    )


def sureness_figure_of(found: Mapping[str, Any], *, name: str) -> str:
    """How often a judge is right by how sure it is, as SVG; "" where it told no distributions."""
    if found["sureness"] is None:
        return ""
    lines = [
        PlotLine(_("if it knew itself"), [(0.0, 0.0), (1.0, 1.0)]),
        PlotLine(_("as it is"), _points(found["sureness"]["curve"])),
    ]
    return line_panels(
        [Panel("", lines)],
        title=_("How sure %(judge)s may be") % {"judge": name},
        x_label=_("probability of its likeliest grade"),
        y_label=_("share that people grade so"),
        note=_("n = %(pairs)s pairs") % {"pairs": f"{found['sureness']['pairs']:,}"},
        from_zero=True,
    )


def _points(curve: Sequence[Mapping[str, Any]]) -> list[tuple[float, float]]:
    return [(one["said"], one["people"]) for one in curve]
