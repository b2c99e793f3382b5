"""What the page of topics shows."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from foundation.infra.list_pages import Order
from foundation.models import Collection
from queries.models import Candidate, Query
from queries.pooling.candidates import in_use

IN_ORDER_OF_DRAW = Order(("split", "position"))


def topics_of(collection: Collection, *, asked: str = "") -> QuerySet[Query]:
    """The collection's topics, unordered. `asked`: words of their text, or an id."""
    topics = Query.objects.filter(collection=collection, description__isnull=True)
    for word in asked.split():
        topics = topics.filter(Q(text__icontains=word) | Q(topic_id__iexact=word))
    return topics


def with_state(topics: Iterable[Query]) -> list[Any]:
    """Topics in their order; each says its `number` of candidates, and by `fixed` whether its judging is open. One SQL
    query."""
    shown = {topic.pk: place for place, topic in enumerate(topics)}
    judged = in_use(Candidate.objects.filter(query=OuterRef("pk")))
    rows = Query.objects.filter(pk__in=shown).annotate(number=Count("candidates"), fixed=Exists(judged))
    return sorted(rows, key=lambda topic: shown[topic.pk])


def topic_counts(collection: Collection) -> dict[str, Any]:
    """Topics of val and test, and the collection's other queries. One SQL query."""
    topic = Q(description__isnull=True)
    return collection.queries.aggregate(
        val=Count("pk", filter=topic & Q(split="val")),
        test=Count("pk", filter=topic & Q(split="test")),
        drawn=Count("pk", filter=~topic),
    )
