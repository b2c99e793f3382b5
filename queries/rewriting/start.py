"""Start rewriting from a page: by rules or the LLM, the same jobs as `rewrite --background`."""

from django.utils.translation import gettext as _

from corpus.models import Membership
from queries.models import RewriteJob
from queries.rewriting.amounts_typed import BadAmount, amount_typed
from queries.rewriting.costs import limit_from, prices_from
from queries.rewriting.jobs import begin_job, begin_rules_job, only_runner
from queries.rewriting.llm_settings import llm_settings
from queries.rewriting.llm_terms import too_high
from queries.rewriting.preview import LLM, RULES


class BadLimit(BadAmount):
    """The limit that was entered can't hold; the message says why. Nothing was begun."""


def start_rewriting(*, member: Membership, rewriter: str, limit: str = "") -> RewriteJob:
    """Begin the collection's rewriting, or resume it; the caller sends it to a worker.

    Args: limit: what the run may cost, as typed; empty: the limit of the settings.
    Raises: JobRuns while another process rewrites; BadAmount, BadLimit; RewriterError where the LLM can't be asked;
        ValueError for another rewriter.
    """
    if rewriter not in (RULES, LLM):
        raise ValueError(_("Choose rules or the LLM."))
    collection = member.collection
    with only_runner(collection):
        if rewriter == RULES:
            return begin_rules_job(collection=collection, member=member)
        from queries.rewriting.run_job import collection_rewriter

        settings = llm_settings(collection)
        prices = prices_from(settings.environ)
        most = amount_typed(limit) if limit else limit_from(settings.environ)
        if most is not None and settings.ceiling is not None and most > settings.ceiling:
            raise BadLimit(too_high(most, settings.ceiling))
        if most is not None and not prices.known:
            raise BadLimit(_("A limit needs the prices of the model. Set them under LLM settings."))
        return begin_job(
            collection=collection,
            rewriter=collection_rewriter(collection),
            prices=prices,
            limit=most,
            unattended=True,
            member=member,
        )
