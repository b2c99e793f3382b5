"""Whether what a release or its public page would show is still judged by somebody: blindness comes before publication.

Anybody can read a public page, annotators too. The rule, which docs/publishing.md tells:

- Files hold captions and every grade. None is given out while anything of the collection is judged: while a batch of it
  or of one of its studies is being judged or reviewed, a hidden repeat or gold waits, or somebody is in training.
- A sample shows the grades of one query. While the collection is judged it is shown only if the judging of that query
  has ended: all its batches are reviewed, no pair is undecided, no study asks for it, and no pair may come again as a
  hidden repeat or gold. Its moments may be candidates of other queries: meanwhile it doesn't say of which videos they
  are.
- Counts, procedure, agreement and boards tell nothing of any one pair.

It is looked up at each request, so that a batch that is opened again takes its sample back at once.
"""

from collections.abc import Sequence

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.models import Batch, Pair, Repeat
from foundation.models import Collection, Membership
from queries.models import Query
from queries.pooling.query_columns import query_source_id

OPEN = (Batch.Status.FIRST_ROUND, Batch.Status.SECOND_ROUND, Batch.Status.DECIDED)
UNDECIDED = (Pair.Status.OPEN, Pair.Status.DISPUTED)


def still_judged(collection: Collection) -> str:
    """What of the collection or its studies somebody judges or is about to judge, in words; "" where nothing is.

    At most three queries.
    """
    collections = _judged_with(collection)
    if Batch.objects.filter(collection__in=collections, status__in=OPEN).exists():
        return _("batches are being judged or wait for review")
    if Repeat.objects.filter(annotator__collection__in=collections, closed_at=None).exists():
        return _("pairs wait to be judged a second time")
    training = Membership.objects.filter(collection__in=collections, account__isnull=False)
    if training.filter(role=Membership.Role.ANNOTATOR, status=Membership.Status.APPLICANT).exists():
        return _("people are in training")
    return ""


def ended_queries(collection: Collection, query_ids: Sequence[str]) -> set[str]:
    """Those of a release's query ids whose grades nobody can be asked for any more. At most five queries."""
    if not still_judged(collection):
        return set(query_ids)
    repeated = Repeat.objects.filter(annotator__collection=collection, closed_at=None)
    if collection.repeat_share or collection.gold_share or repeated.exists():
        return set()
    batches = Batch.objects.filter(query=OuterRef("pk"))
    undecided = Pair.objects.filter(batch__query=OuterRef("pk"), status__in=UNDECIDED)
    in_study = Query.objects.filter(
        collection__study_of=collection, collection__archived_at=None, normalised=OuterRef("normalised")
    )
    ended = Query.objects.alias(source=query_source_id()).filter(
        Exists(batches),
        ~Exists(batches.filter(status__in=OPEN)),
        ~Exists(undecided),
        ~Exists(in_study),
        collection=collection,
        source__in=query_ids,
    )
    return set(ended.values_list(query_source_id(), flat=True))


def _judged_with(collection: Collection) -> QuerySet[Collection]:
    """The collection and its studies, as far as they aren't archived: there nothing is judged."""
    return Collection.objects.filter(Q(pk=collection.pk) | Q(study_of=collection), archived_at=None)
