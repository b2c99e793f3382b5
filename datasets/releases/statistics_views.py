"""The statistics page, and each of its tables as a file."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse

from annotation.precomputed import computed_or_ask
from datasets.content.statistics import STATISTICS
from evaluation.releases.statistics_tables import statistics_tables
from evaluation.releases.tables import WRITTEN
from foundation.access.pages import PageFacts, lead_get, lead_page
from foundation.models import Membership


@lead_page("datasets/statistics.html")
def statistics(request: HttpRequest, member: Membership) -> PageFacts:
    """The paper's tables, material, queries by split, relevant moments and judging, as the collection stands."""
    result = computed_or_ask(collection=member.collection, name=STATISTICS)
    tables = statistics_tables(result.value) if result.value else []
    return {
        "statistics": result.value,
        "tables": tables,
        "result": result,
    }


@lead_get
def table(request: HttpRequest, member: Membership, key: str, ending: str) -> HttpResponse:
    """One table as LaTeX, CSV or Markdown."""
    value: Any = computed_or_ask(collection=member.collection, name=STATISTICS).value
    tables = {table.key: table for table in statistics_tables(value)} if value and ending in WRITTEN else {}
    if key not in tables:
        raise Http404("There is no such table, or it isn't computed yet.")
    content_type, write = WRITTEN[ending]
    response = HttpResponse(write(tables[key]), content_type=f"{content_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{member.collection.name}-{key}.{ending}"'
    return response
