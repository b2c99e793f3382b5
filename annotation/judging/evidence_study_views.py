"""The page that says whether what annotators used beside the picture goes with other grades, and its files."""

from django.http import Http404, HttpRequest, HttpResponseBase

from annotation.figure_tables import file_of_figures, on_page
from annotation.judging.evidence_figures import COLUMNS, NAME, as_rows, figure_of
from annotation.models import Used
from annotation.precomputed import computed_or_ask
from foundation.access.pages import PageFacts, lead_get, lead_page
from foundation.models import Membership


@lead_page("annotation/evidence_use.html")
def page(request: HttpRequest, member: Membership) -> PageFacts:
    """Of each kind of evidence what goes with its use; owners and leads only."""
    result = computed_or_ask(collection=member.collection, name=NAME)
    found = result.value or {}
    return {
        "result": result,
        "uses": [(str(Used(kind).label), use) for kind, use in found.items()],
        "drawn": on_page(figure_of(found)),
    }


@lead_get
def file(request: HttpRequest, member: Membership, ending: str) -> HttpResponseBase:
    """The stored figures as CSV, JSON or SVG, in English; owners and leads only."""
    found = computed_or_ask(collection=member.collection, name=NAME).value
    if not found:
        raise Http404("Nothing is computed yet, or nothing is asked for.")
    return file_of_figures(
        f"{member.collection.name}-evidence-use",
        ending,
        headings=COLUMNS,
        rows=lambda: as_rows(found),
        told=lambda: found,
        drawings={"svg": lambda: figure_of(found)},
    )
