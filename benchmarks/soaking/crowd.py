"""Everybody at once, driven by one thread: plain sockets and one selector."""

import contextlib
import heapq
import selectors
import time
from collections.abc import Callable
from itertools import count

from benchmarks.soaking.people import PATIENCE, Conduct, Stray, Tab

TICK = 0.1
"""Seconds between two looks at how far it is."""


class Crowd:
    """The tabs of all people at one collection."""

    def __init__(self, conduct: Conduct, tabs: list[Tab]) -> None:
        self.conduct, self.tabs = conduct, tabs
        self._selector = selectors.DefaultSelector()
        self._strays: dict[Stray, float] = {}
        self._turns: list[tuple[float, int, Tab]] = []
        self._order = count()

    def work(self, done: Callable[[], bool]) -> None:
        """Let everybody work until `done()`, which is asked every TICK."""
        for tab in self.tabs:
            self._put(tab)
        next_look = 0.0
        while True:
            now = time.perf_counter()
            if now >= next_look:
                if done():
                    return
                self._give_up_strays(now)
                next_look = time.perf_counter() + TICK
            self._act(now)
            until = min(next_look, self._turns[0][0] if self._turns else next_look)
            for key, _ in self._selector.select(timeout=max(0.0, until - time.perf_counter())):
                self._read(key.data)

    def waits(self) -> bool:
        """Whether somebody who is there has something to send, or waits for an answer."""
        return any((tab.queue or tab.undo or tab.asked) and not tab.person.gone for tab in self.tabs)

    def wake(self) -> None:
        """Let everybody who rests or is silent go on now."""
        now = time.perf_counter()
        for tab in self.tabs:
            if not tab.asked and not tab.person.gone:
                tab.due = tab.offline_until = min(tab.due, now)
                self._put(tab)

    def close(self) -> None:
        """Close every connection."""
        for line in [*(tab.line for tab in self.tabs), *(stray.line for stray in self._strays)]:
            if line is not None:
                line.socket.close()
        self._selector.close()

    def _put(self, tab: Tab) -> None:
        heapq.heappush(self._turns, (tab.due, next(self._order), tab))

    def _act(self, now: float) -> None:
        while self._turns and self._turns[0][0] <= now:
            due, _, tab = heapq.heappop(self._turns)
            if due != tab.due:
                continue  # it was put off, or brought forward, and has another turn
            if tab.asked:
                self.conduct.books.mishaps["requests given up"] += 1
                self._drop(tab, now)
            else:
                self._go_on(tab, now)

    def _go_on(self, tab: Tab, now: float) -> None:
        request = self.conduct.request(tab, now)
        if request is None:
            if not tab.person.gone:
                self._put(tab)
            return
        fresh = tab.line is None
        try:
            stray = self.conduct.send(tab, *request, now)
        except OSError:
            if fresh or tab.line is None:
                self.conduct.drop(tab, now)
                self._put(tab)
            else:
                self._drop(tab, now)
            return
        assert tab.line is not None
        if fresh:
            self._selector.register(tab.line.socket, selectors.EVENT_READ, tab)
        if stray is not None:
            self._strays[stray] = now + PATIENCE
            self._selector.register(stray.line.socket, selectors.EVENT_READ, stray)
        self._put(tab)

    def _read(self, whose: Tab | Stray) -> None:
        now = time.perf_counter()
        if isinstance(whose, Stray):
            self._read_stray(whose, now)
            return
        assert whose.line is not None
        try:
            got = whose.line.receive()
        except OSError:
            if whose.asked:
                self._drop(whose, now)
            else:
                # The server was restarted, or had enough of a connection that says nothing.
                self._selector.unregister(whose.line.socket)
                whose.line.socket.close()
                whose.line = None
            return
        if whose.cut and whose.line.received:
            self._drop(whose, now)
        elif got is not None:
            self.conduct.hear(whose, *got, now)
            self._put(whose)

    def _read_stray(self, stray: Stray, now: float) -> None:
        try:
            got = stray.line.receive()
        except OSError:
            got = (0, b"")
        if got is None:
            return
        if got[0]:
            self.conduct.judge_status("a request sent twice", "grade", *got, stray.began, now)
        self._forget(stray)

    def _forget(self, stray: Stray) -> None:
        del self._strays[stray]
        self._selector.unregister(stray.line.socket)
        stray.line.socket.close()

    def _give_up_strays(self, now: float) -> None:
        for stray in [stray for stray, until in self._strays.items() if until < now]:
            self._forget(stray)

    def _drop(self, tab: Tab, now: float) -> None:
        if tab.line is not None:
            with contextlib.suppress(KeyError, ValueError):
                self._selector.unregister(tab.line.socket)
        self.conduct.drop(tab, now)
        self._put(tab)
