"""What the lead lays down about who judges a query, and when."""

from django.db import transaction
from django.db.models import QuerySet

from annotation.models import Assignment, Batch
from corpus.models import Collection, Membership
from queries.models import Query

PRIORITIES = {-1: "later", 0: "in turn", 1: "sooner", 2: "first"}


def set_priority(*, query: Query, priority: int) -> None:
    """Judge a query before, or after, the others. Raises: ValueError for a priority that isn't one."""
    if priority not in PRIORITIES:
        raise ValueError(f"found the priority {priority}, expected one of {', '.join(map(str, PRIORITIES))}")
    Batch.objects.filter(query=query).update(priority=priority)


@transaction.atomic
def assign_people(*, query: Query, rules: dict[int, str]) -> None:
    """Say anew who is reserved for a query and who is barred from it; whoever isn't named is neither.

    Args: rules: membership id -> "reserved" or "barred".
    Raises: ValueError for another rule, or somebody who doesn't judge in this collection.
    """
    unknown = set(rules.values()) - set(Assignment.Rule.values)
    if unknown:
        raise ValueError(f"found the rule {unknown.pop()!r}, expected reserved or barred")
    people = annotators(query.collection).filter(pk__in=rules)
    if len(people) != len(rules):
        raise ValueError("Somebody named there doesn't judge in this collection.")
    Query.objects.select_for_update(of=("self",), no_key=True).get(pk=query.pk)
    Assignment.objects.filter(query=query).delete()
    Assignment.objects.bulk_create(Assignment(query=query, annotator_id=pk, rule=rule) for pk, rule in rules.items())


def annotators(collection: Collection) -> QuerySet[Membership]:
    """Those who judge in a collection, by worker id."""
    return collection.memberships.filter(role=Membership.Role.ANNOTATOR).order_by("worker")
