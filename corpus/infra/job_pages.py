"""What the pages of all kinds of jobs share: asking for one, and what is said while the task queue is away."""

from django.contrib import messages
from django.http import HttpRequest

from corpus.infra.jobs import ask
from corpus.infra.task_queue import KEPT
from corpus.models import Queued


def ask_on_page(request: HttpRequest, row: Queued) -> None:
    """Have a worker take it up, or say that it begins later by itself."""
    if not ask(row):
        messages.warning(request, KEPT)
