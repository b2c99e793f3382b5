"""Bounded concurrent requests; results are handled in the calling thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue
from threading import Event
from typing import Generic, TypeVar

R = TypeVar("R")
O = TypeVar("O")  # noqa: E741
PARTS = 8


class Flight(Generic[R, O]):
    """Sends requests on threads, at most `most` at once, and hands results one by one to the calling thread.

    The first goes alone: what it teaches (the key is wrong, the server knows no structured output) costs one
    request and not `most`. Threads, because the client's work for an answer is small beside the waiting.
    """

    def __init__(self, send: Callable[[R], O], *, most: int, halted: Event, pulse: float | None = None) -> None:
        """Args: pulse: seconds after which `take` is asked again though nothing has come; None: never."""
        self._send = send
        self._pulse = pulse
        self._most = most
        self._halted = halted
        self._news: SimpleQueue[Future[O] | None] = SimpleQueue()

    def look_again(self) -> None:
        """Wake the flight, from any thread: there may be more to take, or it may end."""
        self._news.put(None)

    def run(
        self, take: Callable[[int], R | None], land: Callable[[Sequence[O]], None], *, may_end: Callable[[], bool]
    ) -> None:
        """Send until nothing is left to take, nothing is in flight, and it may end.

        Args: take: the next request, given how many are in the air, or None; land: called in this thread with all of
            what has come, in its order, as soon as it is free; may_end: whether no more can come.
        Raises: what `send`, `take` or `land` raised first; what was in the air by then is landed before.
        """
        pool = ThreadPoolExecutor(max_workers=self._most, thread_name_prefix="asking")
        flying, allowed = 0, 1
        fault: BaseException | None = None
        try:
            while True:
                try:
                    while fault is None and flying < allowed and (request := take(flying)) is not None:
                        pool.submit(self._send, request).add_done_callback(self._news.put)
                        flying += 1
                except Exception as error:
                    fault = error
                    self._halted.set()
                if not flying and (fault is not None or may_end()):
                    break
                landed, faults = self._await()
                if not landed and not faults:
                    continue
                flying -= len(landed) + len(faults)
                allowed = self._most
                try:
                    if landed:
                        land(landed)
                except Exception as error:
                    faults.append(error)
                if faults:
                    fault = fault or faults[0]
                    self._halted.set()
        finally:
            self._halted.set()
            pool.shutdown(wait=True, cancel_futures=True)
        if fault is not None:
            raise fault

    def _await(self) -> tuple[list[O], list[BaseException]]:
        """Wait for results. Returns those that have come, and errors raised instead.

        A part of those in the air at most: landing a few and filling their places keeps answers that came
        together from going out together again, and all places from being empty meanwhile.
        """
        landed: list[O] = []
        faults: list[BaseException] = []
        try:
            some = self._news.get(timeout=self._pulse)
        except Empty:
            return landed, faults
        while True:
            if some is not None:
                error = some.exception()
                if error is None:
                    landed.append(some.result())
                else:
                    faults.append(error)
            if len(landed) + len(faults) >= max(1, self._most // PARTS):
                return landed, faults
            try:
                some = self._news.get_nowait()
            except Empty:
                return landed, faults
