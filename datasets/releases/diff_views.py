"""Differences between two releases as page and CSV."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from datasets.models import Release
from datasets.releases.archive import DamagedArchive
from datasets.releases.diff import COLUMNS, as_cells
from datasets.releases.diff_in_words import in_words
from datasets.releases.precomputed_diff import SHOWN, StoredDiff, found_differences
from datasets.releases.selectors import facts_of, release_of
from datasets.validation.untrusted_files import UnreadableFile
from foundation.access.guards import lead_required
from foundation.access.pages import PageFacts, lead_page
from foundation.infra.csv_download import csv_download
from foundation.models import Membership

AGAIN_IN = 5
"""Seconds."""


def _compared(member: Membership, first_id: int, second_id: int) -> tuple[Release, Release, StoredDiff]:
    first, second = release_of(member, first_id), release_of(member, second_id)
    try:
        return first, second, found_differences(first, second)
    except (DamagedArchive, UnreadableFile) as error:
        raise Http404(str(error)) from error


@lead_page("datasets/differences.html")
def differences(request: HttpRequest, member: Membership, first_id: int, second_id: int) -> PageFacts:
    """The page of differences between two releases: counts, settings, first differences."""
    first, second, found = _compared(member, first_id, second_id)
    return {
        "first": facts_of(first),
        "second": facts_of(second),
        "counts": found.counts,
        "settings": found.settings,
        "differences": found.rows[:SHOWN],
        "total": None if found.counts is None else found.total,
        "problem": found.problem,
        "again_in": AGAIN_IN,
        "words": [] if found.counts is None else in_words(found.counts, found.settings),
    }


@require_safe
@lead_required
def differences_csv(request: HttpRequest, member: Membership, first_id: int, second_id: int) -> HttpResponseBase:
    """All differences as CSV; owners and leads only. 503 while large releases are being compared."""
    first, second, found = _compared(member, first_id, second_id)
    if found.counts is None:
        said = found.problem or "The releases are being compared: ask again in a few seconds."
        return HttpResponse(f"{said}\n", status=503, content_type="text/plain", headers={"Retry-After": AGAIN_IN})
    rows = map(as_cells, found.all_rows())
    return csv_download(f"{first.name}-{second.name}", COLUMNS, rows, streamed=True, line_end="\n")
