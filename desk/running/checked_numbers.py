"""The values of a run to open, checked before it begins: a bad one would stop it hours later."""

from django.utils.translation import gettext as _

from corpus.models import Description
from desk.models import RunToOpen
from foundation.models import Collection
from queries.models import Caption
from queries.pooling.drawable import drawable
from queries.pooling.query_selection import drawn_queries
from queries.rewriting.llm_settings import llm_settings


def faults_of(collection: Collection, rewriter: str, val: int | None, test: int | None) -> dict[str, str]:
    """What can't be done of what is asked for, by field (rewriter, val, test); empty where all can.

    Each description that has no caption yet may become one that nobody else has. Where there is nothing to draw from
    yet, or queries are drawn, numbers aren't looked at.
    """
    faults = {}
    of_kinds = Description.objects.filter(collection=collection, kind__in=collection.query_kinds)
    to_come = of_kinds.exclude(caption__status=Caption.Status.ACCEPTED).count()
    if rewriter == RunToOpen.Rewriter.LLM and to_come and not llm_settings(collection).is_remote:
        faults["rewriter"] = _("No LLM is set up: choose rules, or enter its key under LLM settings first.")
    if (val is None and test is None) or drawn_queries(collection).exists():
        return faults
    most = drawable(collection).captions + to_come
    asked = (val or 0) + (test or 0)
    field = "test" if test is not None else "val"
    if most and asked > most:
        words = _("Found %(found)s queries in all, expected at most %(most)s: there are no more captions to draw from.")
        faults[field] = words % {"found": f"{asked:,}", "most": f"{most:,}"}
    elif val == test == 0:
        faults[field] = _("Found 0 queries in both splits, expected at least 1.")
    return faults
