"""A run of the soak: collection after collection is judged to its end, and looked at."""

import json
import random
import threading
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from django.db import connections

from benchmarks.harness.load import log_in
from benchmarks.harness.measuring import figure, percentiles, ratio, say
from benchmarks.soaking import audit
from benchmarks.soaking.course import SEAT_SECONDS, Course
from benchmarks.soaking.crowd import Crowd
from benchmarks.soaking.faults import SERVERS, Faults
from benchmarks.soaking.lead import PatientVisitor, SteadyLead
from benchmarks.soaking.leaks import Holdings
from benchmarks.soaking.ledger import Books, seconds_of
from benchmarks.soaking.people import CONNECTIONS as BROKEN
from benchmarks.soaking.people import LEAST, RATES, Conduct, Habits, Person, Tab
from benchmarks.soaking.plan import Plan
from benchmarks.soaking.site import Site, SiteLost
from benchmarks.soaking.soak_folder import SoakFolder, Totals, Underway
from demo.simulated_annotators import SimulationError

CONNECTIONS, PEOPLE = "connections", "people"
PASSWORD = "soak-only"
LEAD = "lead"
A_QUERY = 82
"""Judgments that a query comes to: 20 pairs, or 40 where it is extended, each judged by two or four."""
SPARE = 2
"""Queries beyond those: of a few, some come to less."""
WATCHED = 30_000
"""Judgments at a collection's end in which web and worker processes live on, so that what they leak can be seen."""
TWO_TABS = 0.1
"""Of the people."""
SETTLE_SECONDS = 60.0
"""For what workers do by themselves, and for connections to be closed."""
COMPUTE_SECONDS = 600.0
"""For a worker to compute a collection's figures, on a machine that has much else to do."""
POLICY = (1.8, 2.9)
"""Means at which a batch is finished or extended by the worker; between them the lead decides."""

MOST_BUSY = 0.01
"""Of the judgments: answers that ask to try again, because a statement ran into its time limit."""
COMPUTED = ("people", "appendix", "overview")
COMPUTED_SHORT = ("people",)
"""Precomputed figures that are computed anew: names of `annotation.precomputed`."""


class Soak:
    """A site, its people, and what came of them."""

    def __init__(self, plan: Plan, home: Path, kept: SoakFolder | None = None) -> None:
        self.plan, self.kept = plan, kept
        self.totals = kept.totals if kept is not None else Totals()
        self.totals.runs += 1
        # Another run of a folder is no repetition of the one before: its keys are new.
        self.dice = random.Random(f"{plan.seed} {self.totals.runs}")
        self.site = Site(home)
        servers = frozenset(SERVERS) - plan.without
        self.faults = Faults(
            self.site, random.Random(self.dice.random()), servers, policy=not plan.short, once=plan.short
        )
        self.faults.early = float("inf") if plan.short else max(0.4, 1 - WATCHED / plan.each)
        self.holdings = Holdings(self.site)
        self.resting: dict[str, Any] = {}
        self.stopping = False
        """Set by whoever ends the run: it stops where it is, within seconds."""
        self._began = time.monotonic()
        self._logins: dict[str, tuple[str, str]] = {}
        self._lead: PatientVisitor | None = None
        self._underway: Underway | None = None

    @property
    def violations(self) -> list[str]:
        """The rules that were broken."""
        return self.totals.violations

    @property
    def is_complete(self) -> bool:
        """Whether there are as many judgments as were asked for."""
        return self.totals.acknowledged >= 0.95 * self.plan.judgments

    @property
    def must_stop(self) -> bool:
        """Whether the run ends in the middle of a collection, to be gone on with."""
        return self.stopping or (self.kept is not None and self._is_late)

    @property
    def _is_late(self) -> bool:
        return self.plan.minutes is not None and time.monotonic() - self._began > 60 * self.plan.minutes

    def run(self) -> None:
        """Judge collections until there are enough judgments, or the time is over."""
        self.site.start_web()
        self.site.start_worker()
        self._log_in()
        while not self.violations and not self.must_stop and not self._is_late:
            if self.is_complete and (self.kept is not None or self.plan.minutes is None):
                break
            try:
                self._judge(self._begun() or self._build())
            except (SiteLost, SimulationError) as fault:
                known = self._underway.books.violations if self._underway is not None else []
                self.violations.extend([*known, f"the run ended early: {fault}"])

    def stop(self) -> None:
        """End what was started, and keep what it came to; what is under way counts as far as it is known."""
        self.faults.join()
        self.site.stop()
        self.totals.seconds += time.monotonic() - self._began
        self.totals.kills += self.faults.counts
        self.totals.add_processes(self.holdings.figures())
        if self.kept is not None:
            self.kept.keep(self._underway)

    # --- one collection ---

    def _judge(self, underway: Underway) -> None:
        began, name, books = time.perf_counter(), underway.name, underway.books
        self._underway = underway
        rates = {
            what: max(rate, LEAST / self.plan.judgments)
            for what, rate in RATES.items()
            if (CONNECTIONS if what in BROKEN else PEOPLE) not in self.plan.without
        }
        habits = Habits(rates, SEAT_SECONDS, self.plan.people)
        conduct = Conduct(self.site.port, name, books, self.faults, habits)
        crowd = Crowd(conduct, underway.tabs)
        lead, stop = self._lead_of(name, books), threading.Event()
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
        self.totals.decisions += Counter(
            extended=lead.extended, finished=lead.finished, taken_back=lead.taken_back, postponed=lead.postponed
        )
        if lead.failure is not None and not books.violations:
            raise lead.failure
        if self.must_stop:
            self._look_at_unfinished(underway)
        else:
            self._look(name, books)
            self._count(underway)
        say(
            f"{name}: {books.acknowledged:,} judgments acknowledged, this time in {time.perf_counter() - began:.0f} s,"
            f" {len(self.violations)} violations"
        )

    def _count(self, underway: Underway) -> None:
        """The collection is finished."""
        self._underway = None
        self.totals.collections += 1
        self.totals.add(underway.books)
        if self.kept is not None:
            self.kept.keep(None)

    def _begun(self) -> Underway | None:
        """What an earlier run left to go on with."""
        if self.kept is None or self.kept.underway is None:
            return None
        underway, self.kept.underway = self.kept.underway, None
        return Underway.of(underway, self._logins, self.dice)

    def _build(self) -> Underway:
        from benchmarks.worlds.judging import BATCH, build_collection
        from foundation.collections.members import add_member
        from foundation.models import Account, Collection

        # A run that was itself killed leaves a collection whose books nobody has.
        name = f"soak{Collection.objects.filter(name__startswith='soak').count() + 1}"
        queries = self.plan.each // A_QUERY + SPARE
        moments = 400 if self.plan.short else 20_000
        people = sorted(self._logins)
        build_collection(
            name, pairs=queries * BATCH, people=people, password=PASSWORD, moments=moments, batches=2, begun=False
        )
        collection = Collection.objects.get(name=name)
        collection.seat_minutes, collection.extend_threshold = SEAT_SECONDS / 60, sum(POLICY) / 2
        if self.faults.policy:
            collection.auto_finish_to, collection.auto_extend_from = POLICY
        collection.save()
        add_member(collection=collection, account=Account.objects.get(username=LEAD), role="lead")
        return Underway(name, Books(), self._tabs())

    def _log_in(self) -> None:
        """Give everybody an account and a session of this run."""
        from django.contrib.auth.hashers import make_password
        from django.test import Client

        from foundation.models import Account

        hashed = make_password(PASSWORD)  # one for everybody: it is slow by design
        for person in (LEAD, *(f"person{number}" for number in range(self.plan.people))):
            account, _ = Account.objects.get_or_create(username=person, defaults={"password": hashed})
            if person != LEAD:
                self._logins[person] = log_in(Client(), account)

    def _tabs(self) -> list[Tab]:
        tabs = []
        for name, (cookies, token) in self._logins.items():
            clock = timedelta(seconds=self.dice.uniform(-900, 900))
            person = Person(name, cookies, token, random.Random(self.dice.random()), clock)
            several = PEOPLE not in self.plan.without and self.dice.random() < TWO_TABS
            tabs += [Tab(person) for _ in range(1 + several)]
        return tabs

    def _lead_of(self, name: str, books: Books) -> SteadyLead:
        if self._lead is None:
            address = f"http://127.0.0.1:{self.site.port}"
            self._lead = PatientVisitor(address, LEAD, PASSWORD, self.faults, books)
        self._lead.books = books
        lead = SteadyLead(self._lead, name, self.dice.randrange(1 << 30))
        lead.leaves = POLICY if self.faults.policy else None
        return lead

    # --- what is looked at ---

    def _look_at_unfinished(self, underway: Underway) -> None:
        """Of a run that stops: what was acknowledged is stored, and every state is what judgments say."""
        connections.close_all()
        name, books = underway.name, underway.books
        taking_back = frozenset(tab.undo for tab in underway.tabs if tab.undo)
        faults = books.violations + audit.books_balance(name, books, taking_back) + audit.states_hold(name)
        self.violations.extend(f"{name}: {line}" for line in faults)

    def _look(self, name: str, books: Books) -> None:
        connections.close_all()
        faults = list(books.violations)
        if books.busy > MOST_BUSY * books.acknowledged:
            faults.append(f"{books.busy:,} answers said that the site is busy")
        faults += self._settled(lambda: audit.stuck(name) + audit.batches_hold(name))
        faults += audit.books_balance(name, books) + audit.states_hold(name)
        faults += audit.progress_holds(name, lambda person: self._progress(name, person), sorted(self._logins))
        faults += audit.computed_holds(name, COMPUTED_SHORT if self.plan.short else COMPUTED, COMPUTE_SECONDS)
        self.resting, left = self.holdings.rest()
        if left:
            faults += self._settled(lambda: self.holdings.rest()[1])
            self.resting, _ = self.holdings.rest()
        faults += self.holdings.leaks()
        self.violations.extend(f"{name}: {line}" for line in faults)

    def _settled(self, look: Any) -> list[str]:
        """What is still wrong after the time that workers have for it."""
        deadline = time.monotonic() + SETTLE_SECONDS
        while (faults := look()) and time.monotonic() < deadline:
            time.sleep(0.5)
        return list(faults)

    def _progress(self, name: str, person: str) -> dict[str, Any]:
        address = f"http://127.0.0.1:{self.site.port}/c/{name}/judge/progress"
        with urlopen(Request(address, headers={"Cookie": self._logins[person][0]}), timeout=30) as answer:
            progress: dict[str, Any] = json.load(answer)
            return progress

    def figures(self) -> dict[str, Any]:
        """All that is to be told of the runs so far."""
        totals = Totals()
        totals.take(json.loads(json.dumps(self.totals.as_json())))
        if self._underway is not None:
            totals.add(self._underway.books)
        return {
            "judgments": totals.acknowledged,
            "collections": totals.collections,
            "people": self.plan.people,
            "seed": self.plan.seed,
            "runs": totals.runs,
            "seconds": round(totals.seconds),
            "judgments_per_second": {
                "calm": round(1 / totals.calm.each, 1) if totals.calm.each else None,
                "with faults": round(1 / totals.stormy.each, 1) if totals.stormy.each else None,
            },
            **percentiles(list(seconds_of(totals.submits)), "submit"),
            **percentiles(list(seconds_of(totals.searches)), "next"),
            "kills": dict(totals.kills),
            "mishaps": dict(totals.mishaps),
            "answers_of_5xx_while_the_database_was_away": totals.excused,
            "answers_that_say_busy": totals.busy,
            "decisions": dict(totals.decisions),
            "processes": totals.processes,
            "at_rest": self.resting,
            "violations": self.violations,
            "ratios": {"without faults": ratio(figure(totals.stormy.each), totals.calm.each)},
        }
