"""A simulated lead who reviews batches and answers flags while servers come and go."""

import random
import threading
import time
from collections.abc import Callable
from typing import Any

import requests

from benchmarks.soaking.faults import Faults
from benchmarks.soaking.ledger import Books
from demo.simulated_annotators import Lead, SimulationError, Visitor

PAUSE = 0.5
LOOK_AT = 0.1
"""Of the batches: those that are opened before they are decided."""
THINK_AGAIN = 0.05
"""Of the decisions: those that are taken back, or put off before."""


class PatientVisitor(Visitor):
    """Asks again where the network or the database was away; anything else that is unexpected is an error."""

    def __init__(self, address: str, username: str, password: str, faults: Faults, books: Books) -> None:
        self.faults, self.books = faults, books
        self.began, self.status, self.busy = time.perf_counter(), 0, False
        super().__init__(address, username, password)
        self.session.hooks["response"].append(self._note)
        # As the page's script asks: what became of a decision, and not the next page.
        self.session.headers["Accept"] = "application/json"

    def get(self, path: str, **options: Any) -> requests.Response:
        return self._ask(super().get, path, options)

    def post(self, path: str, *, expect: tuple[int, ...] = (200,), **options: Any) -> requests.Response:
        return self._ask(super().post, path, {"expect": expect, **options})

    def _note(self, answer: requests.Response, *_: object, **__: object) -> None:
        self.status = answer.status_code
        self.busy = answer.status_code == 503 and "Retry-After" in answer.headers

    def _ask(self, ask: Callable[..., requests.Response], path: str, options: dict[str, Any]) -> requests.Response:
        while True:
            self.began, self.status, self.busy = time.perf_counter(), 0, False
            try:
                return ask(path, **options)
            except requests.RequestException:
                pass
            except SimulationError as fault:
                # The table of reviews is locked while a decision is broken off: the lead's own wait for it, too.
                if self.status >= 500 and self.faults.touched(self.began, time.perf_counter()):
                    self.books.excused += 1
                elif self.busy:
                    self.books.busy += 1
                else:
                    self.books.violations.append(str(fault))
                    raise
            time.sleep(0.1)


class SteadyLead(Lead):
    """Decides what the rule recommends; thinks again now and then.

    `leaves` are means between which the lead decides: what lies outside is the policy's, until `alone`.
    """

    def __init__(self, visitor: PatientVisitor, collection: str, seed: int) -> None:
        super().__init__(visitor, collection)
        self.dice = random.Random(seed)
        self.leaves: tuple[float, float] | None = None
        self.alone = False
        self.taken_back = self.postponed = 0
        self.failure: BaseException | None = None

    def run(self, stop: threading.Event) -> None:
        """Work until `stop`; what goes wrong is kept for whoever started this."""
        try:
            self.work(stop)
        except BaseException as fault:
            self.failure = fault

    def work(self, stop: threading.Event) -> None:
        while not stop.is_set():
            self._answer_flags()
            waiting = self.visitor.get(f"/c/{self.collection}/review/queue").json()["batches"]
            for batch in [batch for batch in waiting if self._is_mine(batch["mean"])]:
                self._review(batch)
            stop.wait(PAUSE)

    def _is_mine(self, mean: float | None) -> bool:
        return self.alone or self.leaves is None or mean is None or self.leaves[0] < mean < self.leaves[1]

    def _review(self, batch: dict[str, Any]) -> None:
        page = f"/c/{self.collection}/review/{batch['batch']}/"
        if self.dice.random() < LOOK_AT:
            self.visitor.get(page)
        if self.dice.random() < THINK_AGAIN:
            self._say(page, "later")
            self.postponed += 1
        decision = "extend" if batch["extend"] else "finish"
        answer = self._say(page, decision)
        self.extended += decision == "extend" and not answer["failed"]
        self.finished += decision == "finish" and not answer["failed"]
        if answer["review"] and self.dice.random() < THINK_AGAIN:
            # An extension stands once somebody sits at the next batch, which the answer says.
            data = {"review": str(answer["review"])}
            self.taken_back += not self.visitor.post_json(f"{page}take-back", data=data)["failed"]

    def _say(self, page: str, decision: str) -> dict[str, Any]:
        return self.visitor.post_json(f"{page}decide", data={"decision": decision})
