"""The page of figures, and each figure as SVG and CSV."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils import translation
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from annotation.agreement.paper_figure_counts import NAME, appendix_from
from annotation.people.annotator_model_figures import decided_pairs
from annotation.precomputed import Result, computed_or_ask
from annotation.studies.selectors import depth_study_of
from desk.figures.catalogue import EXAMPLES, Figure, figures
from desk.figures.depth import depth_figures
from desk.figures.examples import example_figure
from desk.figures.inks import PAGE, PAPER
from foundation.access.guards import lead_required
from foundation.access.pages import PageFacts, lead_page
from foundation.infra.csv_download import csv_download
from foundation.models import Collection, Membership
from foundation.refused import Refused


@lead_page("desk/figures.html")
def page(request: HttpRequest, member: Membership) -> PageFacts:
    """The page of all figures with explanation and data; precomputed in large collections."""
    result, judged = counted(member.collection)
    found = figures_of(member.collection, result)
    refusal: Refused | None = None
    try:
        found.append(_examples(request, member.collection))
    except Refused as refused:
        refusal = refused
        found.append(example_figure(member.collection))
    # Drawn here from numbers and our own words, which the sheet escapes.
    drawn = [(one, mark_safe(one.draw(PAGE))) for one in found]
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


@require_safe
@lead_required
def svg(request: HttpRequest, member: Membership, key: str) -> HttpResponse:
    """One figure as a file, in colours of its own."""
    # A file says the same to everybody, whatever language its reader has chosen.
    with translation.override(settings.LANGUAGE_CODE):
        drawn = _one(request, member.collection, key).draw(PAPER)
    response = HttpResponse(drawn, content_type="image/svg+xml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{member.collection.name}-{key}.svg"'
    return response


@require_safe
@lead_required
def data(request: HttpRequest, member: Membership, key: str) -> HttpResponseBase:
    """One figure's data as CSV."""
    with translation.override(settings.LANGUAGE_CODE):
        figure = _one(request, member.collection, key)
    return csv_download(f"{member.collection.name}-{key}", figure.headings, figure.rows)


def counted(collection: Collection) -> tuple[Result, bool]:
    """What the figures are made from, and whether anything is judged."""
    result = computed_or_ask(collection=collection, name=NAME)
    if _has_judgments(result):
        return result, True
    judged = bool(decided_pairs(collection))
    if judged and result.as_of is not None and not result.running:
        # Computed before the first decision: not left until it is stale.
        result = computed_or_ask(collection=collection, name=NAME, anew=True)
    return result, judged


def _has_judgments(result: Result) -> bool:
    """Whether a result counts any pair; True while there is none yet."""
    return result.value is None or any(any(row) for row in result.value["lowest_highest"])


def figures_of(collection: Collection, result: Result) -> list[Figure]:
    """All figures; a depth study's first, computed now since they are of few pairs."""
    study = depth_study_of(collection)
    found = depth_figures(study) if study is not None else []
    return found + (figures(appendix_from(result.value)) if result.value is not None else [])


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
