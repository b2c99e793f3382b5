"""What the pages of all kinds of jobs share: asking for one, and what is said while the task queue is away."""

from django.contrib import messages
from django.http import HttpRequest

from corpus.jobs import ask
from corpus.models import Queued
from corpus.task_queue import KEPT


def ask_on_page(request: HttpRequest, row: Queued) -> None:
    """Have a worker take it up, or say that it begins later by itself."""
    if not ask(row):
        messages.warning(request, KEPT)
