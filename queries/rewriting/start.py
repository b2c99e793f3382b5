"""Start rewriting from a page: by rules or the LLM, the same jobs as `rewrite --background`."""

from django.utils.translation import gettext as _

from foundation.models import Membership
from queries.models import RewriteJob
from queries.rewriting import jobs
from queries.rewriting.costs import prices_from
from queries.rewriting.llm_settings import llm_settings
from queries.rewriting.preview import LLM
from queries.rewriting.rewriters import as_they_are
from queries.rewriting.rewriters.rules import NAME as RULES
from queries.rewriting.spending import limit_typed

AS_THEY_ARE = "as-they-are"
"""Beside `RULES` and `LLM`, for descriptions that name nobody."""


def start_rewriting(*, member: Membership, rewriter: str, limit: str = "") -> RewriteJob:
    """Begin the collection's rewriting, or resume it; the caller sends it to a worker.

    Args: limit: what the run may cost, as typed; empty: the limit of the settings.
    Raises: Busy while another process rewrites; BadAmount; RewriterError where the LLM can't be asked; ValueError for
        another rewriter.
    """
    if rewriter not in (RULES, LLM, AS_THEY_ARE):
        raise ValueError(_("Choose rules or the LLM."))
    collection = member.collection
    with jobs.only_runner(collection):
        if rewriter != LLM:
            name = as_they_are.NAME if rewriter == AS_THEY_ARE else RULES
            return jobs.begin_rules_job(collection=collection, member=member, rewriter=name)
        from queries.rewriting.run_job import collection_rewriter

        settings = llm_settings(collection)
        prices = prices_from(settings.environ)
        return jobs.begin_job(
            collection=collection,
            rewriter=collection_rewriter(collection),
            prices=prices,
            limit=limit_typed(settings, prices, limit),
            unattended=True,
            member=member,
        )
