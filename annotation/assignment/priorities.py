"""Query priorities, and annotators reserved for or barred from a query."""

from collections.abc import Iterable

from django.db import transaction
from django.db.models import Count, F, OuterRef, Prefetch, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy

from annotation.models import Assignment, Batch
from corpus.models import clip_ready
from foundation.infra.list_pages import Order
from foundation.models import Collection, Membership
from queries.models import Candidate, Query

PRIORITIES = {
    -1: gettext_lazy("later"),
    0: gettext_lazy("in turn"),
    1: gettext_lazy("sooner"),
    2: gettext_lazy("first"),
}
BY_PRIORITY = Order(("-priority", "split", "position"))


def set_priority(*, query: Query, priority: int) -> None:
    """Set whether a query is judged before or after the others. Raises: ValueError for an unknown priority."""
    if priority not in PRIORITIES:
        raise ValueError(f"found the priority {priority}, expected one of {', '.join(map(str, PRIORITIES))}")
    Batch.objects.filter(query=query).update(priority=priority)


@transaction.atomic
def assign_people(*, query: Query, rules: dict[int, str]) -> None:
    """Replace a query's reserved and barred annotators.

    Args: rules: membership id -> "reserved" or "barred".
    Raises: ValueError for another rule, or somebody who doesn't judge in this collection.
    """
    unknown = set(rules.values()) - set(Assignment.Rule.values)
    if unknown:
        raise ValueError(f"found the rule {unknown.pop()!r}, expected reserved or barred")
    people = annotators(query.collection).filter(pk__in=rules)
    if len(people) != len(rules):
        raise ValueError("One of these people doesn't judge in this collection.")
    Query.objects.select_for_update(of=("self",), no_key=True).get(pk=query.pk)
    Assignment.objects.filter(query=query).delete()
    Assignment.objects.bulk_create(Assignment(query=query, annotator_id=pk, rule=rule) for pk, rule in rules.items())


def annotators(collection: Collection) -> QuerySet[Membership]:
    """A collection's annotators, by worker id."""
    return collection.memberships.filter(role=Membership.Role.ANNOTATOR).order_by("worker")


def posters_of(queries: Iterable[Query]) -> dict[int, str]:
    """Query id -> the public name of the clip of its first candidate, where there is one. One SQL query."""
    first = Candidate.objects.filter(clip_ready("moment__clip__"), query__in=list(queries), rank=1)
    return dict(first.values_list("query_id", "moment__clip__public_name"))


def queries_at_work(collection: Collection, asked: str = "") -> QuerySet[Query]:
    """The queries open for judging, unordered; `asked`: words to find in their text.

    Each has its `batches`, and says by `assigned` how many people are reserved for it or barred from it.
    """
    # A subquery is asked for the rows of a page alone; a join would group all of them.
    assigned = Assignment.objects.filter(query=OuterRef("pk")).order_by().values("query")
    queries = (
        collection.queries.filter(batches__number=1)
        .annotate(
            priority=F("batches__priority"),
            assigned=Coalesce(Subquery(assigned.annotate(people=Count("pk")).values("people")), 0),
        )
        .prefetch_related(Prefetch("batches", Batch.objects.order_by("number")))
    )
    for word in asked.split():
        queries = queries.filter(text__icontains=word)
    return queries
