"""The page that says whether what annotators used beside the picture goes with other grades, and its files."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.utils.translation import override
from django.views.decorators.http import require_safe

from annotation.figure_tables import on_page
from annotation.judging.evidence_figures import COLUMNS, NAME, as_rows, figure_of
from annotation.models import Used
from annotation.precomputed import computed_or_ask
from foundation.access.guards import lead_required
from foundation.access.pages import PageFacts, lead_page
from foundation.infra.csv_download import csv_download
from foundation.models import Membership


@lead_page("annotation/evidence_use.html")
def page(request: HttpRequest, member: Membership) -> PageFacts:
    """Of each kind of evidence what goes with its use; owners and leads only."""
    result = computed_or_ask(collection=member.collection, name=NAME)
    found = result.value or {}
    svg = figure_of(found)
    return {
        "result": result,
        "uses": [(str(Used(kind).label), use) for kind, use in found.items()],
        "drawn": on_page(svg) if svg else "",
    }


@require_safe
@lead_required
def file(request: HttpRequest, member: Membership, ending: str) -> HttpResponseBase:
    """The stored figures as CSV, JSON or SVG, in English; owners and leads only."""
    found = computed_or_ask(collection=member.collection, name=NAME).value
    if not found:
        raise Http404("Nothing is computed yet, or nothing is asked for.")
    name = f"{member.collection.name}-evidence-use"
    with override("en"):
        if ending == "csv":
            return csv_download(name, COLUMNS, as_rows(found))
        if ending == "json":
            response: HttpResponse = JsonResponse(found, json_dumps_params={"indent": 1})
        else:
            svg = figure_of(found) if ending == "svg" else ""
            if not svg:
                raise Http404("There is no such figure.")
            response = HttpResponse(svg, content_type="image/svg+xml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.{ending}"'
    return response
