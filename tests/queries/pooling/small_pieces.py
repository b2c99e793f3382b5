"""The Celery application with small pieces of work, so that few captions make many: for workers of tests."""

import django

from config.celery import app as app

django.setup()

from queries.retrieval import distributed_search, embedding_cache  # noqa: E402 - after Django's setup

distributed_search.QUERIES_A_BLOCK, embedding_cache.BLOCK = 1, 8
