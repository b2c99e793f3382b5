"""Faults of the servers, one after the other in a thread of their own, and when each was."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import psycopg

from benchmarks.harness.measuring import say
from benchmarks.soaking.site import Site, kill

WEB, WORKER, BROKER, DATABASE = "web", "worker", "broker", "database"
SERVERS = (WEB, WORKER, BROKER, DATABASE)
DECISION = "the worker killed in a decision"
BREAK_OFF_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Outage:
    """One fault: what it was, and from when to when (time.perf_counter) the server was down; `until` inf: still."""

    kind: str
    server: str
    since: float
    until: float = float("inf")


@dataclass
class Faults:
    """The faults so far. Only a database that is away excuses an answer of the site that says so (5xx)."""

    site: Site
    dice: random.Random
    servers: frozenset[str]
    policy: bool = False
    """Whether a policy decides batches, so that the worker can be killed at it."""
    once: bool = False
    """Whether each kind comes once, and then no more."""
    early: float = 0.4
    """In this first share of a collection, web and worker processes are killed too. Later they live on, so that
    leaks can be seen."""
    outages: list[Outage] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    failure: BaseException | None = None
    _thread: threading.Thread | None = None
    _left: list[str] = field(default_factory=list)

    @property
    def kinds(self) -> dict[str, tuple[str, Callable[[], object]]]:
        """Name -> the server, and what is done to it."""
        site = self.site
        return {
            "a web process killed": (WEB, lambda: site.kill_one(WEB)),
            "the database killed": (DATABASE, site.kill_database),
            "the worker's process killed": (WORKER, lambda: site.kill_one(WORKER)),
            "the broker killed": (BROKER, site.kill_broker),
            "the web server killed": (WEB, lambda: site.kill_all(WEB)),
            "a database connection killed": (DATABASE, site.crash_database),
            "the broker emptied": (BROKER, site.empty_broker),
            "the worker killed": (WORKER, lambda: site.kill_all(WORKER)),
            "the database restarted": (DATABASE, site.restart_database),
            DECISION: (WORKER, self._break_off_decision),
        }

    @property
    def busy(self) -> bool:
        """Whether something is down."""
        return self._thread is not None and self._thread.is_alive()

    def strike(self, *, share: float) -> None:
        """Begin the next fault, unless one is going on; each kind has its turn before any comes again.

        Args: share: how much of the collection is judged, 0-1.
        """
        allowed = self._allowed(share)
        if self.busy or not allowed:
            return
        if not any(name in allowed for name in self._left):
            self._left += self.dice.sample(allowed, len(allowed))
        name = next(name for name in self._left if name in allowed)
        self._left.remove(name)
        self._thread = threading.Thread(target=self._run, args=(name,), daemon=True)
        self._thread.start()

    def owes(self, *, share: float) -> bool:
        """Whether a kind that is to come once hasn't come yet: a slow machine leaves time for few."""
        return self.once and bool(self._allowed(share))

    def _allowed(self, share: float) -> list[str]:
        return [
            name
            for name, (server, _) in self.kinds.items()
            if server in self.servers
            and (share < self.early or server in (BROKER, DATABASE))
            and (self.policy or name != DECISION)
            and not (self.once and self.counts[name])
        ]

    def join(self) -> None:
        """Wait until the fault that is going on is over."""
        if self._thread is not None:
            self._thread.join()

    def wait(self) -> None:
        """The same. Raises: what a fault ended with."""
        self.join()
        if self.failure is not None:
            raise self.failure

    def touched(self, since: float, until: float) -> bool:
        """Whether any server was down at some time in between: no time to measure by."""
        return any(outage.since < until and since < outage.until for outage in self.outages)

    def excused(self, since: float, until: float) -> bool:
        """Whether the database was away at some time in between."""
        return any(
            outage.server == DATABASE and outage.since < until and since < outage.until for outage in self.outages
        )

    def _run(self, name: str) -> None:
        server, act = self.kinds[name]
        began = time.perf_counter()
        self.outages.append(Outage(name, server, began))
        happened: object = True
        try:
            happened = act()
        except BaseException as fault:
            self.failure = fault
        finally:
            ended = time.perf_counter()
            self.outages[-1] = Outage(name, server, began, ended)
            if happened is False:
                self._left.append(name)  # later
            else:
                self.counts[name] += 1
                say(f"  {name}, back after {ended - began:.1f} s")

    def _break_off_decision(self) -> bool:
        """Kill the worker's process while its decision on a batch is written and not yet committed.

        The decision's last statement waits for the lock that is held here on the table of reviews.

        Returns: whether there was one.
        """
        from annotation.review.automatic_review import clear_batches
        from foundation.infra.task_queue import send
        from foundation.models import Collection

        newest = Collection.objects.order_by("-pk")[0]
        if not any(clear_batches(collection=newest).values()):
            return False
        with self.site.connect() as own, own.transaction():
            own.execute("LOCK TABLE annotation_review IN SHARE MODE")
            send("annotation.tasks.apply_review_policy", newest.pk)
            deadline = time.monotonic() + BREAK_OFF_SECONDS
            while not self._waits_for_reviews(own):
                if time.monotonic() > deadline:
                    return False
                time.sleep(0.05)
            for process in self.site.processes[WORKER]:
                kill(process)
        return True

    def _waits_for_reviews(self, own: "psycopg.Connection[tuple[object, ...]]") -> bool:
        row = own.execute(
            "SELECT EXISTS (SELECT FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid WHERE NOT l.granted"
            " AND l.relation = 'annotation_review'::regclass AND a.application_name = %s)",
            [WORKER],
        ).fetchone()
        return row == (True,)
