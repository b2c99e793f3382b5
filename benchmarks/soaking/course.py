"""The course of one collection: what is measured, when faults begin, come and end, and when it is over."""

import time
from collections import deque
from dataclasses import dataclass, field
from typing import Protocol

from django.db import connections

from benchmarks.harness.measuring import say
from benchmarks.soaking import audit
from benchmarks.soaking.crowd import Crowd
from benchmarks.soaking.faults import Faults
from benchmarks.soaking.lead import SteadyLead
from benchmarks.soaking.leaks import Holdings
from benchmarks.soaking.people import Conduct
from benchmarks.soaking.plan import Plan
from benchmarks.soaking.site import Site
from benchmarks.soaking.soak_folder import Totals

SEAT_SECONDS = 12.0
CALM_FROM, CALM_UNTIL = 0.03, 0.15
"""Of the first collection, or of so many judgments if it is larger: what is measured before the first fault."""
CALM_OF = 50_000
LAST_PART = 0.96
"""Of a collection: from then on everybody works in peace, so that it comes to its end."""
RUN_DRY = 0.2
"""Judgments a person within two seats: with fewer, nothing is left but what people hold or a policy waits with, and the
end begins, too."""
QUIET_SECONDS = 120.0
"""Without any judgment, a collection that isn't finished is stuck."""


class RunUnderWay(Protocol):
    """What a course knows of the run that it is part of."""

    plan: Plan
    totals: Totals
    holdings: Holdings
    faults: Faults
    site: Site

    @property
    def must_stop(self) -> bool:
        """Whether the run ends in the middle of a collection."""


@dataclass
class Course:
    """How far a collection is: when faults begin, come and end, and when it is over."""

    soak: RunUnderWay
    name: str
    conduct: Conduct
    crowd: Crowd
    lead: SteadyLead
    struck: int = field(init=False)
    last: int = field(init=False)
    since: float = field(default_factory=time.perf_counter)
    at_last: float = field(default_factory=time.perf_counter)
    next_query: float = 0.0
    ending: bool = False
    lately: deque[tuple[float, int]] = field(default_factory=deque)
    """When there were how many judgments, for a time of two seats."""

    def __post_init__(self) -> None:
        self.last = self.conduct.books.acknowledged
        self.struck = self.last // self.soak.plan.every
        self.conduct.calm = self.soak.totals.collections == 0

    def is_over(self) -> bool:
        """Look how far it is, and do what is due. Raises: what ended the lead or a fault."""
        now, books, plan = time.perf_counter(), self.conduct.books, self.soak.plan
        share = books.acknowledged / plan.each
        self.soak.holdings.look(self.soak.totals.acknowledged + books.acknowledged)
        if not self.soak.faults.busy:
            books.violations.extend(
                f"the {name} ended by itself; {name}.log says why" for name in self.soak.site.ended()
            )
        if books.violations or self.lead.failure is not None or self.soak.faults.failure is not None:
            return True
        if self.soak.must_stop:
            return True
        self._measure(now, books.acknowledged)
        if books.acknowledged > self.last:
            self.last, self.at_last = books.acknowledged, now
        if self.ending:
            return self._is_finished(now)
        if self._is_calm_part():
            return False
        self.conduct.calm = False
        over = share >= LAST_PART or self._has_run_dry(now)
        due = books.acknowledged >= (self.struck + 1) * plan.every or (over and self.soak.faults.owes(share=share))
        if due and not self.soak.faults.busy:
            self.struck = books.acknowledged // plan.every
            self.soak.faults.strike(share=share)
        if over and not self.soak.faults.busy:
            self.ending = self.conduct.calm = self.lead.alone = True
            self.crowd.wake()
            say(f"  {books.acknowledged:,} judgments; the last ones in peace")
            connections.close_all()  # ours was cut with the database
        return False

    def _is_calm_part(self, begins: float = 0.0) -> bool:
        """Whether no fault has come yet; measured from where processes are warm."""
        whole = min(self.soak.plan.each, CALM_OF)
        return self.soak.totals.collections == 0 and begins * whole <= self.last < CALM_UNTIL * whole

    def _has_run_dry(self, now: float) -> bool:
        if self.soak.faults.busy:
            self.lately.clear()
        self.lately.append((now, self.last))
        if now - self.lately[0][0] < 2 * SEAT_SECONDS:
            return False
        while now - self.lately[1][0] >= 2 * SEAT_SECONDS:
            self.lately.popleft()
        return self.last - self.lately[0][1] < RUN_DRY * self.soak.plan.people

    def _measure(self, now: float, judgments: int) -> None:
        """Add what passed to the stretch that it belongs to."""
        stretch = None
        if self._is_calm_part(CALM_FROM):
            stretch = self.soak.totals.calm
        elif not self.conduct.calm:
            stretch = self.soak.totals.stormy
        if stretch is not None:
            stretch.seconds += now - self.since
            stretch.judgments += judgments - self.last
        self.since = now

    def _is_finished(self, now: float) -> bool:
        if self.crowd.waits() or now < self.next_query:
            return False
        self.next_query = now + 1.0
        if now - self.at_last > QUIET_SECONDS:
            return True
        return not audit.unfinished(self.name)
