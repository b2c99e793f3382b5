"""Start a job from a page, with the message shown while the task queue can't be reached."""

from django.contrib import messages
from django.http import HttpRequest

from corpus.infra.jobs import ask
from corpus.infra.task_queue import KEPT
from corpus.models import Queued


def ask_on_page(request: HttpRequest, row: Queued) -> None:
    """Send a job to a worker; if the queue is away, say that it starts later by itself."""
    if not ask(row):
        messages.warning(request, KEPT)
