"""Lists of captions behind the counts of the rewriting page."""

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from foundation.infra.list_pages import Order
from foundation.models import Collection
from queries.models import Attempt, Caption, Decision

LISTS = {
    "accepted": _("Accepted captions"),
    "review": _("Captions waiting for review"),
    "refused": _("Refused captions"),
    "again": _("Captions that were rewritten again"),
    "textless": _("Captions with an attempt that gave no text"),
    "edited": _("Captions edited by a person"),
    "elsewhere": _("Captions made elsewhere"),
    "names": _("Captions that still name somebody, according to the checks"),
    "similarity": _("Captions too far from their description"),
    "kept": _("Captions that changed more than the names"),
    "persons": _("Captions with another number of people"),
    "gender": _("Captions in which somebody has another gender"),
    "roles": _("Captions in which others do it, or to others"),
    "words": _("Captions in which a word is exchanged for another"),
}
"""Titles of the lists, by their name in the address."""
IN_ORDER_OF_IMPORT = Order(("pk",))


def captions_listed(collection: Collection, of: str) -> QuerySet[Caption]:
    """The captions of a list in `LISTS`, unordered. Raises: KeyError for an unknown list."""
    if of not in LISTS:
        raise KeyError(of)
    rows = Caption.objects.filter(description__collection=collection)
    return rows.filter(_condition(of)).select_related("description", "attempt", "decided_by")


def _condition(of: str) -> Q:
    if of in Caption.Status.values:
        return Q(status=of)
    tried = Attempt.objects.filter(description=OuterRef("description"))
    if of == "again":
        return Q(Exists(tried.filter(number=2)))
    if of == "textless":
        return Q(Exists(tried.filter(text="")))
    if of == "elsewhere":
        return Q(attempt__rewriter="elsewhere")
    if of == "edited":
        return Q(Exists(Decision.objects.filter(caption=OuterRef("pk"), kind=Decision.Kind.EDITED, taken_back_at=None)))
    failed = Q(**{f"attempt__{of}_passed": False}) & ~Q(attempt__text="")
    return failed if of in ("names", "similarity") else failed & Q(attempt__kept_ratio__isnull=False)
