"""A stored calibration in words, as tables and as figures."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from annotation.figure_tables import Cell, Stored, Table, cell_in_words
from annotation.machine_judges.calibration.figures import OTHERS

HALF = 0.05
"""What is less above or below rounds to nothing."""


def in_words(found: Stored) -> str:
    """What has to be known before any figure of a judge: by how much it grades above people, or why nobody knows."""
    if not found["pairs"]:
        return _("People have graded no pair of which this judge has said something.")
    counts = {"pairs": f"{found['graded']:,}", "queries": f"{found['queries']:,}"}
    if found["raw"] is None:
        return _("This judge abstained from all %(pairs)s pairs that people graded.") % {"pairs": f"{found['pairs']:,}"}
    above = found["raw"]["above"]
    size = {"grades": f"{abs(above['value']):.1f}"}
    if abs(above["value"]) < HALF:
        said = _("This judge grades neither above nor below people on average.")
    elif above["value"] > 0:
        said = _("This judge grades %(grades)s above people.") % size
    else:
        said = _("This judge grades %(grades)s below people.") % size
    if above["low"] is None:
        told = _("That is of %(pairs)s pairs of a single query, which say nothing of others.") % counts
    else:
        between = {"low": _signed(above["low"]), "high": _signed(above["high"])}
        told = _("95 %% interval %(low)s to %(high)s, on %(pairs)s pairs of %(queries)s queries.") % (counts | between)
    return f"{said} {told}"


def tables_of(found: Stored) -> list[Table]:
    """All tables of a calibration. None is empty."""
    raw, moved = found["raw"], found["recalibrated"]
    if raw is None:
        return []
    both = [_("pairs"), _("queries"), _("above people"), _("recalibrated")]
    tables = [
        Table(
            "beside people",
            _("Beside people"),
            _(
                "Kappa has quadratic weights. The calibration error says by how many grades people's mean is from what "
                "the judge expects."
            ),
            [_("figure"), _("as it grades"), _("recalibrated")],
            [
                [_("grades above people"), raw["above"], moved and moved["above"]],
                [_("kappa"), raw["kappa"], moved and moved["kappa"]],
                [_("calibration error, grades"), raw["error"], moved and moved["error"]],
            ],
        ),
        Table(
            "by grade",
            _("By people's grade"),
            _("A judge that knows little is above low grades and below high ones."),
            [_("grade"), *both],
            _rows(raw["by_grade"], moved and moved["by_grade"]),
        ),
    ]
    for key, heading, named in (
        ("words", _("By words of the query"), _("words")),
        ("show", _("By show"), _("show")),
    ):
        if len(raw["by_group"].get(key, ())) > 1:
            rows = _rows(raw["by_group"][key], moved and moved["by_group"][key])
            tables.append(Table(f"by {key}", heading, "", [named, *both], rows))
    for name, heading, beside in (
        ("confusion", _("Grades by people and by the judge"), raw),
        ("recalibrated confusion", _("The same, recalibrated and rounded"), moved),
    ):
        if beside is not None:
            tables.append(_confusion(name, heading, beside["confusion"]))
    tables.append(_curve("expected", _("What it expects and what people say"), _("grade expected"), raw["curve"]))
    if moved is not None:
        heading = _("The same, recalibrated")
        tables.append(_curve("recalibrated expected", heading, _("grade expected"), moved["curve"]))
    if found["sureness"] is not None:
        heading = _("How sure it is and how often it is right")
        tables.append(_curve("sureness", heading, _("its likeliest grade's probability"), found["sureness"]["curve"]))
    return tables


def asked_table(found: Stored) -> Table:
    """How many pairs the rest rests on, and what is told apart."""
    sure = found["sureness"]
    rows: list[list[Cell]] = [
        [_("pairs that people graded and the judge was asked about"), found["pairs"]],
        [_("queries"), found["queries"]],
        [_("share from which it abstained"), found["abstained"]],
        [_("pairs that people graded of which it has said nothing yet"), found["unasked"]],
        [_("pairs that people discarded: not counted here"), found["discarded"]["pairs"]],
    ]
    rows += [
        [_("of these graded %(grade)s by the judge") % {"grade": grade}, count]
        for grade, count in enumerate(found["discarded"]["counts"])
        if count
    ]
    if sure is not None:
        rows.append([_("calibration error of its distributions, share"), sure["error"]])
    return Table("asked", _("What this rests on"), "", ["", ""], rows)


def _rows(raw: Sequence[Stored], moved: Sequence[Stored] | None) -> list[list[Cell]]:
    beside = {row["name"]: row["above"] for row in moved or ()}
    return [
        [
            _("others") if row["name"] == OTHERS else row["name"],
            row["pairs"],
            row["queries"],
            row["above"],
            beside.get(row["name"]),
        ]
        for row in raw
    ]


def _confusion(key: str, heading: str, counts: Sequence[Sequence[int]]) -> Table:
    head = [_("people"), *(_("judge %(grade)s") % {"grade": grade} for grade in range(len(counts)))]
    return Table(key, heading, "", head, [[str(grade), *row] for grade, row in enumerate(counts)], matrix=True)


def _curve(key: str, heading: str, x: str, curve: Sequence[Stored]) -> Table:
    share = key == "sureness"
    head = [x, _("share that people grade so") if share else _("people's mean"), _("pairs")]
    return Table(key, heading, "", head, [[f"{one['said']:.2f}", one["people"], one["pairs"]] for one in curve])


def _signed(value: float) -> str:
    return ("+" if round(value, 2) > 0 else "") + cell_in_words(float(value))
