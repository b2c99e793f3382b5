"""The figures of factors in words, as tables and as a drawing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from annotation.figure_tables import Cell, Stored, Table
from evaluation.figures.line_panels import Panel, PlotLine, line_panels


def in_words(found: Stored) -> str:
    """What the factors tell of the grades, in a sentence or two."""
    counts = {name: f"{found[name]:,}" for name in ("judgments", "pairs", "queries")}
    said = _("Judgments with answers: %(judgments)s (pairs: %(pairs)s, queries: %(queries)s).") % counts
    told = found["explained"]
    if told is None:
        too_little = _("That is too little to say how factors explain grades.")
        return f"{said} {too_little}"
    shares = {
        "with": _percent(told["with"]["exactly"]),
        "without": _percent(told["without"]["exactly"]),
        "near": _percent(told["with"]["within"]),
        "within": found["within"],
    }
    explained = _(
        "From its answers %(with)s %% of the grades of other queries are guessed exactly and %(near)s %% within "
        "%(within)s; without them %(without)s %% exactly."
    )
    return f"{said} {explained % shares}"


def tables_of(found: Stored) -> list[Table]:
    """All tables. None is empty."""
    if not found["judgments"]:
        return []
    return [
        _agreement(found),
        *([_explained(found)] if found["explained"] else []),
        *(_by_grade(factor) for factor in found["factors"] if factor["by_grade"]),
        *([partners] if (partners := _partners(found)).rows else []),
    ]


def drawn(found: Stored) -> str:
    """The mean grade by the answer to each factor, as SVG; "" where nothing is answered."""
    panels = []
    for factor in found["factors"]:
        points = [(float(at), mean) for at, mean in enumerate(factor["grade_by_value"]) if mean is not None]
        if points:
            panels.append(Panel(factor["name"], [PlotLine("", points)]))
    if not panels:
        return ""
    most = max(len(factor["answers"]) for factor in found["factors"])
    return line_panels(
        panels,
        title=_("Grades by answers to factors"),
        x_label=_("answer"),
        y_label=_("mean grade"),
        note=_("n = %(judgments)s judgments") % {"judgments": f"{found['judgments']:,}"},
        from_zero=True,
        x_names=[str(value) for value in range(most)],
    )


def _agreement(found: Stored) -> Table:
    rows: list[list[Cell]] = []
    for factor in found["factors"]:
        alpha = factor["alpha"]
        estimate = {"value": alpha["alpha"], "low": alpha["low"], "high": alpha["high"]}
        answers = sum(factor["counts"])
        rows.append(
            [
                _("%(name)s (retired)") % factor if factor["retired"] else factor["name"],
                *(answers, factor["skipped"], alpha["pairs"], estimate, factor["kappa"]),
                factor["again"]["same"],
            ]
        )
    head = [
        *(_("factor"), _("answers"), _("can't say"), _("pairs answered twice"), _("alpha"), _("kappa")),
        _("share answered alike again"),
    ]
    says = _(
        "Krippendorff's alpha is for ordinal answers, with its interval over pairs; kappa has quadratic weights and is "
        "the mean over any two people. The last column is of hidden repeats."
    )
    return Table("agreement", _("Agreement by factor"), says, head, rows)


def _explained(found: Stored) -> Table:
    told = found["explained"]
    names = {factor["key"]: factor["name"] for factor in found["factors"]}

    def row(name: str, odds: float | None, shares: Mapping[str, Any]) -> list[Cell]:
        return [name, odds, shares["exactly"], shares["within"], shares["distance"]]

    rows = [
        row(_("all factors"), None, told["with"]),
        row(_("none"), None, told["without"]),
        *(row(_("%(name)s alone") % {"name": names[one["key"]]}, one["odds"], one["alone"]) for one in told["factors"]),
    ]
    if len(told["factors"]) > 1:
        rows += [
            row(_("without %(name)s") % {"name": names[one["key"]]}, None, one["left_out"]) for one in told["factors"]
        ]
    head = [
        *("", _("odds of a higher grade, an answer more"), _("share guessed exactly")),
        *(_("share within %(grades)s") % {"grades": found["within"]}, _("mean distance")),
    ]
    says = _(
        "Ordinal regression of the grade on the answers. Guesses are of queries that it wasn't fitted on; odds hold "
        "the other factors still."
    )
    return Table("explained", _("How factors explain grades"), says, head, rows)


def _by_grade(factor: Stored) -> Table:
    head = [_("grade"), *(f"{value} {answer}" for value, answer in enumerate(factor["answers"]))]
    head += [_("can't say"), _("mean")]
    rows: list[list[Cell]] = [
        [str(row["grade"]), *row["counts"], row["skipped"], row["mean"]] for row in factor["by_grade"]
    ]
    return Table(f"by grade: {factor['key']}", factor["name"], "", head, rows)


def _partners(found: Stored) -> Table:
    rows: list[list[Cell]] = [
        [f"{row['one']}, {row['other']}", factor["name"], row["pairs"], row["kappa"]]
        for factor in found["factors"]
        for row in factor["partners"]
        if row["kappa"] is not None
    ]
    head = [_("people"), _("factor"), _("pairs"), _("kappa")]
    return Table("partners", _("Agreement of any two people"), "", head, rows)


def _percent(share: float) -> str:
    return f"{100 * share:.0f}"
