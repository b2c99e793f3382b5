"""Threads that answer requests: few at a time while these are short, all of them where some take long.

Four requests that compute at once take turns at one interpreter, and each finds the processor's caches full of the
others' data: the slowest of them are answered later than if two had waited (docs/scale.md). So a few run together, and
others wait for one of them to end, which is a matter of milliseconds. A request that takes long, since it waits for a
lock or reads a whole collection, keeps nobody waiting: it no longer counts, and the next begins beside it. The thread
that was busy last goes on first: its connection to the database has everything at hand.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

AT_ONCE = 2
"""Short requests that run at the same time in one process."""
SHORT_SECONDS = 0.05
"""A request that runs for longer is not a short one."""

Result = TypeVar("Result")
log = logging.getLogger(__name__)


class Lanes:
    """A pool of threads for the worker's loop, first come, first served.

    Args:
        threads: requests of any length that run at the same time, at least 1.
        at_once: short ones among them.
        short_seconds: how long a request is a short one.
    """

    def __init__(self, threads: int, *, at_once: int = AT_ONCE, short_seconds: float = SHORT_SECONDS) -> None:
        self._at_once, self._short_seconds = at_once, short_seconds
        self._waiting: deque[Callable[[], object]] = deque()
        self._begun: dict[int, float] = {}
        """When each busy thread began what it does, by thread."""
        self._idle: list[threading.Lock] = []
        """A lock of each thread that has nothing to do, the last one last: releasing it calls the thread."""
        self._closed = False
        self._lock = threading.Lock()
        for number in range(threads):
            threading.Thread(target=self._run, name=f"request-{number}").start()

    def start(self, work: Callable[[], object]) -> None:
        """Have a thread do the work, in its turn."""
        with self._lock:
            self._waiting.append(work)
            self._wake()

    def submit(self, work: Callable[..., Result], *args: Any) -> "Future[Result]":
        """The same, for work with a result."""
        future: Future[Result] = Future()
        self.start(partial(_settle, future, work, *args))
        return future

    def look(self) -> float | None:
        """Begin what waits beside requests that turned out to be long.

        Returns: the seconds after which the loop has to look again; None as long as nothing waits for that.
        """
        if not self._waiting:
            return None
        with self._lock:
            self._wake()
            if not (self._waiting and self._idle):
                return None  # whoever ends takes what waits
            ends = [begun + self._short_seconds for begun in self._begun.values()]
        now = time.monotonic()
        return min((end - now for end in ends if end > now), default=self._short_seconds)

    def shutdown(self, wait: bool = False) -> None:
        """End the threads once they have done what waits; never waited for here: the process does at its end."""
        with self._lock:
            self._closed = True
            self._call(len(self._idle))

    def _free(self) -> int:
        """How many more may begin now."""
        if self._closed:
            return len(self._waiting)
        oldest = time.monotonic() - self._short_seconds
        return self._at_once - sum(begun > oldest for begun in self._begun.values())

    def _wake(self) -> None:
        if self._waiting and self._idle and (free := self._free()) > 0:
            self._call(min(free, len(self._waiting)))

    def _call(self, threads: int) -> None:
        for _ in range(min(threads, len(self._idle))):
            self._idle.pop().release()

    def _run(self) -> None:
        me, called = threading.get_ident(), threading.Lock()
        called.acquire()
        while (work := self._next(me, called)) is not None:
            try:
                work()
            except BaseException:
                log.exception("a request's thread goes on after")

    def _next(self, me: int, called: threading.Lock) -> Callable[[], object] | None:
        """In a thread, which is done with what it did: what it does next; None at the end."""
        while True:
            with self._lock:
                self._begun.pop(me, None)
                if self._waiting and self._free() > 0:
                    self._begun[me] = time.monotonic()
                    return self._waiting.popleft()
                if self._closed:
                    return None
                self._idle.append(called)
            called.acquire()


def _settle(future: "Future[Any]", work: Callable[..., Any], *args: Any) -> None:
    try:
        future.set_result(work(*args))
    except BaseException as error:
        future.set_exception(error)
