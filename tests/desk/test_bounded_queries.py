"""No page of the lead asks more of the database where the collection is larger, over all addresses of the site."""

from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation import computed
from benchmarks.desk import addresses, logged_in
from benchmarks.desk_world import SMALL, build_desk_world
from corpus.models import Collection

LARGER = replace(
    SMALL, videos=120, val=12, queries=70, extended=30, disputed=380, discarded=40, waiting=12, people=11, flags=30
)
MOST = 40
"""SQL queries of any page."""


def asked(collection: Collection) -> dict[str, int]:
    """The lead's pages by name -> SQL queries."""
    ada, someone = (logged_in(name) for name in ("ada", f"{collection.name}-w01"))
    found = {}
    for name, address in addresses(collection):
        if address is None:
            continue
        ada.get(address)
        with CaptureQueriesContext(connection) as captured:
            response = ada.get(address)
            if response.streaming:
                b"".join(response.streaming_content)
        if response.status_code == 200 and someone.get(address).status_code == 403:
            found[name] = len(captured.captured_queries)
    return found


@pytest.mark.django_db
def test_a_larger_collection_costs_no_page_more_queries(settings: Any) -> None:
    counts = []
    for name, size in (("small", SMALL), ("larger", LARGER)):
        build_desk_world(name, size=size)
        collection = Collection.objects.get(name=name)
        for what in computed.names():
            computed.refresh_computed(collection=collection, name=what)
        counts.append(asked(collection))
    small, larger = counts
    assert len(larger) > 20 and {"overview", "figures", "videos", "rewriting"} <= set(larger)
    growing = {page: (small.get(page), larger[page]) for page in larger if larger[page] > small.get(page, -1) + 1}
    assert not growing
    assert max(larger.values()) <= MOST, larger
