"""Who confirmed the consent text, and who withdrew, by worker id."""

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from annotation.models import ConsentAct
from foundation.models import Collection, Membership


def consent_counts(collection: Collection) -> dict[str, int]:
    """How many annotators confirmed the "newest" version, only an "older" one, or "none" yet, and how many are
    "withdrawn". One SQL query."""
    withdrew = Q(consent_withdrawn_at__isnull=False)
    newest = Q(consent_confirmed=collection.consent_version)
    return _annotators(collection).aggregate(
        newest=Count("pk", filter=newest & ~withdrew),
        older=Count("pk", filter=Q(consent_confirmed__gt=0) & ~newest & ~withdrew),
        none=Count("pk", filter=Q(consent_confirmed=0) & ~newest & ~withdrew),
        withdrawn=Count("pk", filter=withdrew),
    )


def annotators_by_consent(collection: Collection) -> QuerySet[Membership]:
    """The annotators, each with `since`: when their last confirmation or withdrawal was; None: there was none."""
    last = ConsentAct.objects.filter(annotator=OuterRef("pk")).order_by("-pk").values("at")[:1]
    return _annotators(collection).annotate(since=Subquery(last))


def _annotators(collection: Collection) -> QuerySet[Membership]:
    return collection.memberships.filter(role=Membership.Role.ANNOTATOR)


def confirmed_of(people: QuerySet[Membership]) -> int:
    """How many of these people ever confirmed a consent text."""
    return people.filter(consent_acts__kind=ConsentAct.Kind.CONFIRMED).distinct().count()
