"""The orders of lists that are paged by cursors, where they are more than those of one table's texts and numbers."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db.models import QuerySet

from annotation.assignment.priorities import BY_PRIORITY, queries_at_work, set_priority
from annotation.models import Pair
from annotation.review.decisions import review_batch, take_back_review
from annotation.review.discarded_pairs import BY_RANK, discarded_pairs
from annotation.review.selectors import decisions_of
from foundation.audit.selectors import trail
from foundation.audit.views import NEWEST_FIRST
from foundation.infra.list_pages import Order
from queries.topics.edit_topics import add_topic
from queries.topics.selectors import IN_ORDER_OF_DRAW, topics_of
from tests.annotation.reviewed_worlds import decided_world
from tests.conftest import World

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> World:
    """Six queries of four priorities, all reviewed, two reviews taken back; some pairs are discarded."""
    world = decided_world(4, 3, 2, 1, 0, 4)
    for place, query in enumerate(world.queries):
        batch = query.batches.get(number=1)
        review = review_batch(member=world["ada"], batch_id=batch.pk, decision="finish")
        set_priority(query=query, priority=(0, 2, 0, -1, 1, 0)[place])
        if place > 3:
            take_back_review(member=world["ada"], batch_id=batch.pk, review_id=review.pk)
    Pair.objects.filter(candidate__rank__lte=3).update(status="discarded", grade=None)
    for number in range(4):
        typed = {"id": f"t{number}", "text": f"Somebody does thing {number}.", "split": ("val", "test")[number % 2]}
        add_topic(collection=world.collection, typed=typed)
    return world


LISTS: dict[str, Callable[[World], tuple[QuerySet[Any], Order]]] = {
    "decisions": lambda world: decisions_of(world.collection, ""),
    "decisions taken back": lambda world: decisions_of(world.collection, "taken-back"),
    "discarded pairs": lambda world: (discarded_pairs(world.collection), BY_RANK),
    "queries at work": lambda world: (queries_at_work(world.collection), BY_PRIORITY),
    "changes": lambda world: (trail(world.collection), NEWEST_FIRST),
    "topics": lambda world: (topics_of(world.collection), IN_ORDER_OF_DRAW),
}


@pytest.mark.parametrize("name", LISTS)
def test_what_comes_after_a_row_and_before_it_is_the_rest_of_the_list(world: World, name: str) -> None:
    rows, order = LISTS[name](world)
    listed = list(rows.order_by(*order.expressions()))
    ids = [row.pk for row in listed]
    assert len(ids) >= 2
    for place, row in enumerate(listed):
        cursor = json.loads(json.dumps(order.place(row)))
        after = rows.filter(order.beyond(cursor, backwards=False)).order_by(*order.expressions())
        before = rows.filter(order.beyond(cursor, backwards=True)).order_by(*order.expressions(backwards=True))
        assert [row.pk for row in after] == ids[place + 1 :]
        assert [row.pk for row in before] == ids[:place][::-1]
