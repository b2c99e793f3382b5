"""The queries by which an approximate search's recall is measured are drawn by lot, half of them val and test ones."""

import numpy as np
import pytest

from queries.models import Query
from queries.pooling.candidates import pool_captions
from queries.pooling.pool_tables import pool_tables
from queries.pooling.query_selection import query_captions
from tests.queries.pooling.test_fetching_in_the_browser import captioned

pytestmark = pytest.mark.django_db
SIZE = 120


def test_a_sample_is_by_lot_the_same_each_time_and_half_of_it_val_and_test_queries() -> None:
    collection = captioned(SIZE)
    with pool_tables(pool_captions(collection)) as pool:
        pool.ask(query_captions(collection), collection.queries.all())
        of_queries = set(pool.places_of(list(Query.objects.values_list("pk", flat=True))).values())
        whole = pool.sample(10 * SIZE)
        assert sorted(whole) == list(range(pool.asked)), "of few all are taken, each once"
        drawn, again = pool.sample(40), pool.sample(40)
        assert drawn.dtype == np.int64 and list(drawn) == list(again)
        others = [place for place in drawn if place not in of_queries]
        assert len(others) == 20 and len(drawn) - len(others) == min(20, len(of_queries))
        every = [place for place in range(pool.asked) if place not in of_queries]
        # By lot: neither the first nor the last, and from all of the list's thirds.
        assert set(others) not in ({*every[:20]}, {*every[-20:]})
        thirds = np.histogram(np.searchsorted(every, sorted(others)), bins=3, range=(0, len(every)))[0]
        assert all(thirds > 0), thirds
        assert set(pool.sample(20)[-10:]) <= set(drawn), "a smaller sample is the larger one's beginning"
