"""The page of figures, and each figure as SVG and CSV."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils import translation
from django.utils.safestring import mark_safe

from annotation.agreement.paper_figure_counts import NAME
from annotation.precomputed import computed_or_ask
from desk.figures.catalogue import EXAMPLES, Figure
from desk.figures.examples import example_figure
from desk.figures.inks import Inks
from desk.figures.selectors import counted, figures_of
from foundation.access.pages import PageFacts, lead_get, lead_page
from foundation.infra.csv_download import csv_download
from foundation.models import Collection, Membership
from foundation.refused import Refused


@lead_page("desk/figures.html")
def page(request: HttpRequest, member: Membership) -> PageFacts:
    """The page of all figures with explanation and data; precomputed in large collections."""
    result, judged = counted(member.collection)
    figures = figures_of(member.collection, result)
    refusal: Refused | None = None
    try:
        figures.append(_examples(request, member.collection))
    except Refused as refused:
        refusal = refused
        figures.append(example_figure(member.collection))
    # Drawn here from numbers and our own words, which the sheet escapes.
    inks = Inks.of(member.collection, on_page=True)
    drawn = [(figure, mark_safe(figure.draw(inks))) for figure in figures]
    # No axes without data.
    shown = drawn if judged else []
    return {
        "result": result,
        "drawn": drawn,
        "shown": shown,
        "judged": judged,
        "wrong": {refusal.field: str(refusal)} if refusal else {},
        "asked": request.GET if refusal else {},
    }


@lead_get
def svg(request: HttpRequest, member: Membership, key: str) -> HttpResponse:
    """One figure as a file, in colours of its own."""
    # A file says the same to everybody, whatever language its reader has chosen.
    with translation.override(settings.LANGUAGE_CODE):
        drawn = _one(request, member.collection, key).draw(Inks.of(member.collection, on_page=False))
    response = HttpResponse(drawn, content_type="image/svg+xml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{member.collection.name}-{key}.svg"'
    return response


@lead_get
def data(request: HttpRequest, member: Membership, key: str) -> HttpResponseBase:
    """One figure's data as CSV."""
    with translation.override(settings.LANGUAGE_CODE):
        figure = _one(request, member.collection, key)
    return csv_download(f"{member.collection.name}-{key}", figure.headings, figure.rows)


def _examples(request: HttpRequest, collection: Collection) -> Figure:
    return example_figure(collection, queries=request.GET.get("queries", ""), ranks=request.GET.get("ranks", ""))


def _one(request: HttpRequest, collection: Collection, key: str) -> Figure:
    if key == EXAMPLES:
        try:
            return _examples(request, collection)
        except Refused as refused:
            raise Http404(str(refused)) from refused
    for figure in figures_of(collection, computed_or_ask(collection=collection, name=NAME)):
        if figure.key == key:
            return figure
    raise Http404("There is no such figure, or it isn't computed yet.")
