"""The page of a judge's calibration, and its files."""

from functools import partial

from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404

from annotation.figure_tables import csv_rows, file_of_figures, on_page
from annotation.machine_judges.calibration.drawn import figure_of, sureness_figure_of
from annotation.machine_judges.calibration.figures import calibration_of
from annotation.machine_judges.calibration.tables import asked_table, in_words, tables_of
from annotation.models import MachineJudge
from foundation.access.pages import PageFacts, lead_get, lead_page
from foundation.models import Membership

FIGURES = {"svg": figure_of, "sureness.svg": sureness_figure_of}
"""The end of a file's name -> the figure in it."""


@lead_page("annotation/machine_calibration.html")
def calibration(request: HttpRequest, member: Membership, judge_id: int) -> PageFacts:
    """How far a judge is above people, as stored; owners and leads only."""
    judge = get_object_or_404(MachineJudge, collection=member.collection, pk=judge_id)
    result = calibration_of(judge)
    found = result.value
    facts: PageFacts = {"judge": judge, "result": result, "found": found}
    if found is None:
        return facts
    drawn = [(ending, on_page(svg)) for ending, draw in FIGURES.items() if (svg := draw(found, name=judge.name))]
    return facts | {"said": in_words(found), "drawn": drawn, "asked": asked_table(found), "tables": tables_of(found)}


@lead_get
def file(request: HttpRequest, member: Membership, judge_id: int, ending: str) -> HttpResponseBase:
    """The stored calibration as CSV, JSON or SVG, in English; owners and leads only."""
    judge = get_object_or_404(MachineJudge, collection=member.collection, pk=judge_id)
    found = calibration_of(judge).value
    if found is None:
        raise Http404("The calibration isn't computed yet.")
    return file_of_figures(
        f"{member.collection.name}-judge-{judge.pk}-calibration",
        ending,
        rows=lambda: csv_rows([asked_table(found), *tables_of(found)]),
        told=lambda: {"judge": judge.name, "says": in_words(found), **found},
        drawings={ending: partial(draw, found, name=judge.name) for ending, draw in FIGURES.items()},
    )
