"""Threads of a web process: a few short requests at once, and long ones keep nobody waiting."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from config.web.lanes import Lanes

SOON = 20.0
"""Seconds until a test gives up."""
NEVER = 1e6


class Request:
    """Work that says when it began, and ends when it is told to."""

    def __init__(self) -> None:
        self.begun, self.may_end = threading.Event(), threading.Event()

    def __call__(self) -> None:
        self.begun.set()
        assert self.may_end.wait(SOON)


@contextmanager
def lanes(threads: int, short_seconds: float = NEVER) -> Iterator[Lanes]:
    pool = Lanes(threads, at_once=2, short_seconds=short_seconds)
    try:
        yield pool
    finally:
        pool.shutdown()


def test_short_requests_begin_two_at_a_time_first_come_first_served() -> None:
    with lanes(threads=4) as pool:
        requests = [Request() for _ in range(4)]
        for request in requests:
            pool.start(request)
        assert requests[0].begun.wait(SOON)
        assert requests[1].begun.wait(SOON)
        pool.look()
        assert not requests[2].begun.is_set()
        requests[1].may_end.set()
        assert requests[2].begun.wait(SOON)
        assert not requests[3].begun.is_set()
        for request in requests:
            request.may_end.set()
        assert requests[3].begun.wait(SOON)
        assert pool.look() is None


def test_a_long_request_keeps_nobody_waiting_while_there_are_threads() -> None:
    with lanes(threads=3, short_seconds=0.001) as pool:
        requests = [Request() for _ in range(4)]
        for request in requests:
            pool.start(request)
        for request in requests[:3]:
            # As the worker's loop does, which sleeps for as long as it is told to at most.
            while not request.begun.wait(0.001):
                pool.look()
        assert pool.look() is None  # no thread is left for the fourth
        assert not requests[3].begun.is_set()
        requests[0].may_end.set()
        while not requests[3].begun.wait(0.001):
            pool.look()
        for request in requests:
            request.may_end.set()


def test_a_result_or_a_fault_reaches_who_asked_and_the_thread_goes_on() -> None:
    with lanes(threads=1) as pool:
        pool.start(lambda: [][0])
        with pytest.raises(ZeroDivisionError):
            pool.submit(lambda: 1 / 0).result(SOON)
        assert pool.submit(divmod, 7, 2).result(SOON) == (3, 1)


def test_what_waits_is_done_before_the_threads_end() -> None:
    before = set(threading.enumerate())
    pool = Lanes(3, at_once=1, short_seconds=NEVER)
    mine = set(threading.enumerate()) - before
    first = Request()
    pool.start(first)
    assert first.begun.wait(SOON)
    last = pool.submit(lambda: "done")
    pool.shutdown()
    assert last.result(SOON) == "done"
    first.may_end.set()
    for thread in mine:
        thread.join(SOON)
    assert not any(thread.is_alive() for thread in mine)
