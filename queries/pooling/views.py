"""The page "Candidates": what was fetched, what has changed since, and a button to fetch again."""

from django.http import HttpRequest

from foundation.access.pages import PageFacts, lead_act, lead_page
from foundation.infra.job_pages import ask_on_page
from foundation.models import Membership
from queries.pooling.encoder_languages import warn_of_languages
from queries.pooling.fetch_jobs import ask_for_candidates, progress_of_fetch
from queries.pooling.selectors import PoolChange, pool_size_kept, query_counts, search_in_words, searches_of


@lead_page("queries/pool.html")
def pool(request: HttpRequest, member: Membership) -> PageFacts:
    """The page: figures of pool and queries, the last fetch, a button for another."""
    collection = member.collection
    job = collection.candidate_fetches.order_by("-pk").first()
    counts, size = query_counts(collection), pool_size_kept(collection)
    return {
        "drawn": counts.drawn,
        "ranked": counts.ranked,
        "pool": size,
        "searches": [search_in_words(search) for search in searches_of(collection)],
        "warning": warn_of_languages(collection),
        "change": size.change if counts.fetched else PoolChange(),
        "job": job and {"id": job.pk, "asked_at": job.asked_at, **progress_of_fetch(job)},
    }


@lead_act("pool")
def fetch(request: HttpRequest, member: Membership) -> None:
    """Have a worker fetch candidates, or resume the job that waits or runs."""
    ask_on_page(request, ask_for_candidates(member=member))
