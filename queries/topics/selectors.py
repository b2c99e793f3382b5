"""What the page of topics shows."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from corpus.models import Collection
from queries.models import Candidate, Query
from queries.pooling.candidates import in_use


@dataclass(frozen=True, slots=True)
class TopicOfList:
    """A topic; `candidates` it has so many, `fixed`: its judging is open."""

    topic: int
    topic_id: str
    text: str
    narrative: str
    language: str
    written_by: str
    split: str
    candidates: int
    fixed: bool


def topics_of(collection: Collection, *, asked: str = "") -> QuerySet[Query]:
    """The collection's topics by split and place. `asked`: words of their text, or an id."""
    found = Query.objects.filter(collection=collection, description__isnull=True)
    for word in asked.split():
        found = found.filter(Q(text__icontains=word) | Q(topic_id__iexact=word))
    return found.order_by("split", "position")


def with_state(topics: QuerySet[Query], *, first: int, size: int) -> list[TopicOfList]:
    """So many topics from the `first` on, from 0, with what the list says of each. Two SQL queries."""
    judged = in_use(Candidate.objects.filter(query=OuterRef("pk")))
    # Which ones first: otherwise the candidates of all are counted.
    shown = list(topics.values_list("pk", flat=True)[first : first + size])
    found = Query.objects.filter(pk__in=shown).annotate(number=Count("candidates"), fixed=Exists(judged))
    return [
        TopicOfList(
            topic=one.pk,
            topic_id=one.topic_id,
            text=one.text,
            narrative=one.narrative,
            language=one.language,
            written_by=one.written_by,
            split=one.split,
            candidates=one.number,
            fixed=one.fixed,
        )
        for one in found.order_by("split", "position")
    ]


def topic_counts(collection: Collection) -> dict[str, Any]:
    """Topics of val and test, and the collection's other queries. One SQL query."""
    topic = Q(description__isnull=True)
    return collection.queries.aggregate(
        val=Count("pk", filter=topic & Q(split="val")),
        test=Count("pk", filter=topic & Q(split="test")),
        drawn=Count("pk", filter=~topic),
    )
