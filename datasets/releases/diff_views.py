"""Differences between two releases as page and CSV."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from datasets.models import Release
from datasets.releases.diff import COLUMNS, as_cells
from datasets.releases.diff_in_words import in_words
from datasets.releases.precomputed_diff import SHOWN, StoredDiff, differences_or_404
from datasets.releases.selectors import facts_of, release_of
from foundation.access.pages import PageFacts, lead_get, lead_page
from foundation.infra.csv_download import csv_download
from foundation.models import Membership

AGAIN_IN = 5
"""Seconds."""


def _compared(member: Membership, first_id: int, second_id: int) -> tuple[Release, Release, StoredDiff]:
    first, second = release_of(member, first_id), release_of(member, second_id)
    return first, second, differences_or_404(first, second)


@lead_page("datasets/differences.html")
def differences(request: HttpRequest, member: Membership, first_id: int, second_id: int) -> PageFacts:
    """The page of differences between two releases: counts, settings, first differences."""
    first, second, stored = _compared(member, first_id, second_id)
    return {
        "first": facts_of(first),
        "second": facts_of(second),
        "counts": stored.counts,
        "settings": stored.settings,
        "differences": stored.rows[:SHOWN],
        "total": None if stored.counts is None else stored.total,
        "problem": stored.problem,
        "again_in": AGAIN_IN,
        "words": [] if stored.counts is None else in_words(stored.counts, stored.settings),
    }


@lead_get
def differences_csv(request: HttpRequest, member: Membership, first_id: int, second_id: int) -> HttpResponseBase:
    """All differences as CSV; owners and leads only. 503 while large releases are being compared."""
    first, second, stored = _compared(member, first_id, second_id)
    if stored.counts is None:
        why = stored.problem or "The releases are being compared: ask again in a few seconds."
        return HttpResponse(f"{why}\n", status=503, content_type="text/plain", headers={"Retry-After": AGAIN_IN})
    rows = map(as_cells, stored.all_rows())
    return csv_download(f"{first.name}-{second.name}", COLUMNS, rows, streamed=True, line_end="\n")
