"""The room's Celery tasks, imported for autodiscovery; each is safe to repeat."""

from queries.pooling.draw_jobs import draw_queries
from queries.pooling.tasks import fetch_for_lead
from queries.retrieval.distributed_search import search_block
from queries.retrieval.embedding_cache import encode_block
from queries.review.tasks import ask_again, check_edit, check_text
from queries.rewriting.tasks import check_block, go_on_rewriting, rewrite_block

__all__ = [
    "ask_again",
    "check_block",
    "check_edit",
    "check_text",
    "draw_queries",
    "encode_block",
    "fetch_for_lead",
    "go_on_rewriting",
    "rewrite_block",
    "search_block",
]
