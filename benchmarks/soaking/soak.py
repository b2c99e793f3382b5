"""One run of the soak: collection after collection is judged to its end, and looked at."""

import argparse
import json
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from django.db import connections

from benchmarks.harness.load import log_in
from benchmarks.harness.measuring import figure, percentiles, ratio, say
from benchmarks.soaking import audit
from benchmarks.soaking.crowd import Crowd
from benchmarks.soaking.faults import SERVERS, Faults
from benchmarks.soaking.lead import PatientVisitor, SteadyLead
from benchmarks.soaking.leaks import Holdings
from benchmarks.soaking.ledger import Books
from benchmarks.soaking.people import CONNECTIONS as BROKEN
from benchmarks.soaking.people import RATES, Conduct, Habits, Person, Tab
from benchmarks.soaking.site import Site, SiteLost
from demo.simulated_annotators import SimulationError

CONNECTIONS, PEOPLE = "connections", "people"
PASSWORD = "soak-only"
LEAD = "lead"
A_QUERY = 82
"""Judgments that a query comes to: 20 pairs, or 40 where it is extended, each judged by two or four."""
CALM_FROM, CALM_UNTIL = 0.03, 0.15
"""Of the first collection: what is measured before the first fault."""
LAST_PART = 0.92
"""Of a collection: from then on everybody works in peace, so that it comes to its end."""
SEAT_SECONDS = 12.0
TWO_TABS = 0.1
"""Of the people."""
QUIET_SECONDS = 120.0
"""Without any judgment, a collection that isn't finished is stuck."""
SETTLE_SECONDS = 60.0
"""For what workers do by themselves, and for connections to be closed."""
POLICY = (1.8, 2.9)
"""Means at which a batch is finished or extended by the worker; between them the lead decides."""

MOST_BUSY = 0.01
"""Of the judgments: answers that ask to try again, because a statement ran into its time limit."""
COMPUTED = ("people", "appendix", "overview")
COMPUTED_SHORT = ("people",)
"""Precomputed figures that are computed anew: names of `annotation.precomputed`."""


@dataclass(frozen=True)
class Plan:
    """How long a run is, and what befalls it. `short`: too short for what takes minutes."""

    options: argparse.Namespace
    judgments: int
    minutes: float | None
    each: int
    people: int
    seed: int
    every: int
    without: frozenset[str]
    short: bool


@dataclass
class Stretch:
    """Some time of a run: its seconds and judgments."""

    seconds: float = 0.0
    judgments: int = 0

    @property
    def each(self) -> float:
        """Seconds a judgment."""
        return self.seconds / self.judgments if self.judgments else 0.0


class Soak:
    """A site, its people, and what came of them."""

    def __init__(self, plan: Plan, home: Path) -> None:
        self.plan, self.dice = plan, random.Random(plan.seed)
        self.site = Site(home)
        servers = frozenset(SERVERS) - plan.without
        self.faults = Faults(self.site, random.Random(plan.seed + 1), servers, policy=not plan.short)
        if plan.short:
            self.faults.early = 1.0
        self.holdings = Holdings(self.site)
        self.violations: list[str] = []
        self.judgments = self.collections = self.excused = self.busy = 0
        self.mishaps: Counter[str] = Counter()
        self.submits: list[float] = []
        self.searches: list[float] = []
        self.calm, self.stormy = Stretch(), Stretch()
        self.decisions: Counter[str] = Counter()
        self.resting: dict[str, Any] = {}
        self._logins: dict[str, tuple[str, str]] = {}
        self._lead: PatientVisitor | None = None
        self._books = Books()

    def run(self) -> None:
        """Judge collections until there are enough judgments, or the time is over."""
        began = time.monotonic()
        self.site.start_web()
        self.site.start_worker()
        while not self.violations:
            if self.plan.minutes is None and self.judgments >= 0.95 * self.plan.judgments:
                break
            if self.plan.minutes is not None and time.monotonic() - began > 60 * self.plan.minutes:
                break
            try:
                self._judge(f"soak{self.collections + 1}")
            except (SiteLost, SimulationError) as fault:
                self.violations.append(f"the run ended early: {fault}")

    def look_at_unfinished(self) -> None:
        """After an interruption: what was acknowledged until then is stored, and every state is what judgments say."""
        self.faults.join()
        connections.close_all()
        name = f"soak{self.collections + 1}"
        found = self._books.violations + audit.books_balance(name, self._books) + audit.states_hold(name)
        self.violations += [f"{name}: {line}" for line in found]

    def stop(self) -> None:
        """End what was started; what is under way counts as far as it is known."""
        self.faults.join()
        self._add_up()
        self.site.stop()

    # --- one collection ---

    def _judge(self, name: str) -> None:
        began = time.perf_counter()
        self._build(name)
        books = self._books = Books()
        rates = {
            what: rate
            for what, rate in RATES.items()
            if (CONNECTIONS if what in BROKEN else PEOPLE) not in self.plan.without
        }
        habits = Habits(rates, SEAT_SECONDS, self.plan.people)
        conduct = Conduct(self.site.port, name, books, self.faults, habits)
        crowd = Crowd(conduct, self._tabs())
        lead, stop = self._lead_of(name), threading.Event()
        thread = threading.Thread(target=lead.run, args=(stop,), daemon=True)
        thread.start()
        course = Course(self, name, conduct, crowd, lead)
        try:
            crowd.work(course.is_over)
            self.faults.wait()
            stop.set()
            thread.join()
        finally:
            stop.set()
            crowd.close()
        self.collections += 1
        self.decisions += Counter(
            extended=lead.extended, finished=lead.finished, taken_back=lead.taken_back, postponed=lead.postponed
        )
        if lead.failure is not None and not books.violations:
            raise lead.failure
        self._look(name, books)
        say(
            f"{name}: {books.acknowledged:,} judgments acknowledged in {time.perf_counter() - began:.0f} s,"
            f" {len(self.violations)} violations"
        )
        self._add_up()

    def _build(self, name: str) -> None:
        from django.contrib.auth.hashers import make_password
        from django.test import Client

        from benchmarks.worlds.judging import BATCH, build_collection
        from corpus.collections.members import add_member
        from corpus.models import Account, Collection

        people = [f"person{number}" for number in range(self.plan.people)]
        queries = max(3, self.plan.each // A_QUERY)
        moments = 400 if self.plan.short else 20_000
        build_collection(
            name, pairs=queries * BATCH, people=people, password=PASSWORD, moments=moments, batches=2, begun=False
        )
        collection = Collection.objects.get(name=name)
        collection.seat_minutes, collection.extend_threshold = SEAT_SECONDS / 60, sum(POLICY) / 2
        if self.faults.policy:
            collection.auto_finish_to, collection.auto_extend_from = POLICY
        collection.save()
        lead, _ = Account.objects.get_or_create(username=LEAD, defaults={"password": make_password(PASSWORD)})
        add_member(collection=collection, account=lead, role="lead")
        for person in people:
            if person not in self._logins:
                self._logins[person] = log_in(Client(), Account.objects.get(username=person))

    def _tabs(self) -> list[Tab]:
        tabs = []
        for name, (cookies, token) in self._logins.items():
            clock = timedelta(seconds=self.dice.uniform(-900, 900))
            person = Person(name, cookies, token, random.Random(self.dice.random()), clock)
            several = PEOPLE not in self.plan.without and self.dice.random() < TWO_TABS
            tabs += [Tab(person) for _ in range(1 + several)]
        return tabs

    def _lead_of(self, name: str) -> SteadyLead:
        if self._lead is None:
            address = f"http://127.0.0.1:{self.site.port}"
            self._lead = PatientVisitor(address, LEAD, PASSWORD, self.faults, self._books)
        self._lead.books = self._books
        lead = SteadyLead(self._lead, name, self.dice.randrange(1 << 30))
        lead.leaves = POLICY if self.faults.policy else None
        return lead

    # --- what is looked at ---

    def _look(self, name: str, books: Books) -> None:
        found = list(books.violations)
        if books.busy > MOST_BUSY * books.acknowledged:
            found.append(f"{books.busy:,} answers said that the site is busy")
        found += self._settled(lambda: audit.stuck(name) + audit.batches_hold(name))
        found += audit.books_balance(name, books) + audit.states_hold(name)
        found += audit.progress_holds(name, lambda person: self._progress(name, person), sorted(self._logins))
        found += audit.computed_holds(name, COMPUTED_SHORT if self.plan.short else COMPUTED, SETTLE_SECONDS)
        self.resting, left = self.holdings.rest()
        if left:
            found += self._settled(lambda: self.holdings.rest()[1])
            self.resting, _ = self.holdings.rest()
        found += self.holdings.leaks()
        self.violations += [f"{name}: {line}" for line in found]

    def _settled(self, look: Any) -> list[str]:
        """What is still wrong after the time that workers have for it."""
        deadline = time.monotonic() + SETTLE_SECONDS
        while (found := look()) and time.monotonic() < deadline:
            time.sleep(0.5)
        return list(found)

    def _progress(self, name: str, person: str) -> dict[str, Any]:
        address = f"http://127.0.0.1:{self.site.port}/c/{name}/judge/progress"
        with urlopen(Request(address, headers={"Cookie": self._logins[person][0]}), timeout=30) as answer:
            return json.load(answer)  # type: ignore[no-any-return]

    def _add_up(self) -> None:
        books, self._books = self._books, Books()
        self.judgments += books.acknowledged
        self.excused += books.excused
        self.busy += books.busy
        self.mishaps += books.mishaps
        self.submits += books.submits
        self.searches += books.searches

    def figures(self) -> dict[str, Any]:
        """All that is to be told of a run."""
        return {
            "judgments": self.judgments,
            "collections": self.collections,
            "people": self.plan.people,
            "seed": self.plan.seed,
            "judgments_per_second": {
                "calm": round(1 / self.calm.each, 1) if self.calm.each else None,
                "with faults": round(1 / self.stormy.each, 1) if self.stormy.each else None,
            },
            **percentiles(self.submits, "submit"),
            **percentiles(self.searches, "next"),
            "kills": dict(self.faults.counts),
            "mishaps": dict(self.mishaps),
            "answers_of_5xx_while_the_database_was_away": self.excused,
            "answers_that_say_busy": self.busy,
            "decisions": dict(self.decisions),
            "processes": self.holdings.figures(),
            "at_rest": self.resting,
            "violations": self.violations,
            "ratios": {"without faults": ratio(figure(self.stormy.each), self.calm.each)},
        }


@dataclass
class Course:
    """How far a collection is: when faults begin, come and end, and when it is over."""

    soak: Soak
    name: str
    conduct: Conduct
    crowd: Crowd
    lead: SteadyLead
    struck: int = 0
    last: int = 0
    since: float = field(default_factory=time.perf_counter)
    at_last: float = field(default_factory=time.perf_counter)
    next_query: float = 0.0
    ending: bool = False

    def __post_init__(self) -> None:
        self.conduct.calm = self.soak.collections == 0

    def is_over(self) -> bool:
        """Look how far it is, and do what is due. Raises: what ended the lead or a fault."""
        now, books = time.perf_counter(), self.conduct.books
        share = books.acknowledged / self.soak.plan.each
        self.soak.holdings.look(self.soak.judgments + books.acknowledged)
        if books.violations or self.lead.failure is not None or self.soak.faults.failure is not None:
            return True
        self._measure(now, books.acknowledged, share)
        if books.acknowledged > self.last:
            self.last, self.at_last = books.acknowledged, now
        if self.ending:
            return self._is_finished(now)
        if share < CALM_UNTIL and self.soak.collections == 0:
            return False
        self.conduct.calm = False
        if books.acknowledged >= (self.struck + 1) * self.soak.plan.every and not self.soak.faults.busy:
            self.struck = books.acknowledged // self.soak.plan.every
            self.soak.faults.strike(share=share)
        if (share >= LAST_PART or now - self.at_last > 2 * SEAT_SECONDS) and not self.soak.faults.busy:
            self.ending = self.conduct.calm = self.lead.alone = True
            self.crowd.wake()
            say(f"  {books.acknowledged:,} judgments; the last ones in peace")
            connections.close_all()  # ours was cut with the database
        return False

    def _measure(self, now: float, judgments: int, share: float) -> None:
        """Add what passed to the stretch that it belongs to."""
        stretch = None
        if self.soak.collections == 0 and CALM_FROM <= share < CALM_UNTIL:
            stretch = self.soak.calm
        elif not self.conduct.calm:
            stretch = self.soak.stormy
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
