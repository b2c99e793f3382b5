"""The room's Celery tasks, imported for autodiscovery; each is safe to repeat."""

from queries.pooling.draw_jobs import draw_queries
from queries.pooling.tasks import fetch_for_lead
from queries.retrieval.approximate_search import search_run
from queries.retrieval.distributed_search import search_block
from queries.retrieval.embedding_cache import encode_block
from queries.retrieval.vector_indexes import index_vectors
from queries.review.tasks import ask_again, check_edit, check_text
from queries.rewriting.tasks import check_block, count_names, go_on_rewriting, preview_rewriting, rewrite_block, try_llm
from queries.runs.run_jobs import add_pool_run
from queries.topics.jobs import import_asked_topics

__all__ = [
    "add_pool_run",
    "ask_again",
    "check_block",
    "check_edit",
    "check_text",
    "count_names",
    "draw_queries",
    "encode_block",
    "fetch_for_lead",
    "go_on_rewriting",
    "import_asked_topics",
    "index_vectors",
    "preview_rewriting",
    "rewrite_block",
    "search_block",
    "search_run",
    "try_llm",
]
