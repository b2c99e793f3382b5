"""No page of the lead asks more of the database where the collection is larger, over all addresses of the site."""

from dataclasses import replace

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation import precomputed
from annotation.models import Computed
from benchmarks.desk import lead_pages, logged_in, with_records
from benchmarks.worlds.desk import SMALL, build_desk_world
from benchmarks.worlds.releases import draw_training, hold_campaign, publish_first, release_twice, score_runs
from foundation.models import Collection

pytestmark = pytest.mark.long

LARGER = replace(
    SMALL, videos=120, val=12, queries=70, extended=30, disputed=380, discarded=40, waiting=12, people=11, flags=30
)
MOST = 40
"""SQL queries of any page."""


def asked(collection: Collection) -> dict[str, int]:
    """The lead's pages by name -> SQL queries."""
    ada, someone = (logged_in(name) for name in ("ada", f"{collection.name}-w01"))
    pages, left_out = lead_pages(collection, ada, someone)  # asks each once, so that nothing is read a first time below
    assert not left_out, f"no row of the generated collection is shown by {left_out}"
    queries_by_page = {}
    for name, address in pages:
        # A page whose figures have become stale by now would ask a worker for new ones.
        Computed.objects.filter(asked_at=None).update(as_of=timezone.now())
        # The overview keeps its counts for twenty times what they took: on a busy machine, those of one world alone.
        cache.clear()
        with CaptureQueriesContext(connection) as captured:
            response = ada.get(address)
            if response.streaming:
                b"".join(response.streaming_content)
        queries_by_page[name] = len(captured.captured_queries)
    return queries_by_page


@pytest.mark.django_db(transaction=True)
def test_a_larger_collection_costs_no_page_more_queries() -> None:
    counts = []
    for name, size in (("small", SMALL), ("larger", LARGER)):
        build_desk_world(name, size=size)
        collection = Collection.objects.get(name=name)
        with_records(collection)
        draw_training(name)
        release_twice(name)
        publish_first(name)
        score_runs(name)
        hold_campaign(name, teams=2 if size is SMALL else 8)
        judge = collection.machine_judges.get(name="clipper")
        for what in [*precomputed.names(), f"machine-calibration:{judge.pk}"]:
            precomputed.refresh_computed(collection=collection, name=what)
        counts.append(asked(collection))
    small, larger = counts
    assert (
        set(small)
        == set(larger)
        > {"overview", "figures", "videos", "rewriting", "release-differences", "run-query", "campaign"}
    )
    growing = {page: (small.get(page), larger[page]) for page in larger if larger[page] > small.get(page, -1) + 1}
    assert not growing
    assert max(larger.values()) <= MOST, larger
