"""Answers that take the same time whatever they are about: how long one took doesn't tell gold from a judgment."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps

from django.http import HttpRequest, HttpResponse

from annotation.assignment.gold import gives_gold
from foundation.models import Membership

BEAT = 0.06
"""Seconds: an answer leaves at a whole number of them. Judging never waits for it, the next clip is at hand."""

View = Callable[[HttpRequest, Membership], HttpResponse]


@contextmanager
def even_time(member: Membership) -> Iterator[None]:
    """Let what is done take a whole number of beats, where the member's collection gives gold; else as long as it
    takes."""
    began = time.monotonic()
    try:
        yield
    finally:
        if gives_gold(member.collection):
            time.sleep((began - time.monotonic()) % BEAT)


def in_even_time(view: View) -> View:
    """A view of the judging page that takes a whole number of beats."""

    @wraps(view)
    def timed(request: HttpRequest, member: Membership) -> HttpResponse:
        with even_time(member):
            return view(request, member)

    return timed
