"""The statistics page."""

from django.http import HttpRequest

from annotation.precomputed import computed_or_ask, without_value
from corpus.access.pages import PageFacts, lead_page
from corpus.models import Membership
from datasets.content.statistics import STATISTICS
from datasets.formats.tables import statistics_tables


@lead_page("datasets/statistics.html")
def statistics(request: HttpRequest, member: Membership) -> PageFacts:
    """The statistics of the collection as it stands."""
    result = computed_or_ask(collection=member.collection, name=STATISTICS)
    tables = statistics_tables(result.value) if result.value else []
    return PageFacts(
        {"statistics": result.value, "tables": tables, "result": without_value(result)},
        only_shown={"result": result},
    )
