"""The thread that sends a job's LLM requests; each answer is stored before the next step."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from queue import Empty, SimpleQueue
from threading import Lock, Thread

from django.db import connection

from queries.models import RewriteJob
from queries.rewriting.jobs import Landed, rates_of, reserve, spent_by, store_outcomes
from queries.rewriting.rewriters.llm import OpenAIRewriter, RequestOutcome
from queries.rewriting.rewriters.prompting import Request, ladder, split_evenly
from queries.rewriting.spending import Spending
from queries.rewriting.work_left import Need, is_last_try


class Asking:
    """Sends requests on a thread of its own and reports what is settled; checks run beside it.

    As a context it is begun and, however it is left, ended: what is in the air then is still stored.
    """

    def __init__(self, job: RewriteJob, rewriter: OpenAIRewriter) -> None:
        self.job = job
        self.rewriter = rewriter
        self.fault: Exception | None = None
        """What ended it."""
        self._waiting: deque[Request] = deque()
        self._settled: SimpleQueue[Need | None] = SimpleQueue()
        self._lock = Lock()
        self._no_more = False
        self._leaving = False
        self._flying = 0
        self._spending: Spending[Request] = Spending(job.limit, spent_by(job))
        self._rates = rates_of(job.model)
        self._flight = rewriter.flight()
        if job.answer_format:
            rewriter.chat.answer_format = job.answer_format
        self._thread = Thread(target=self._run, name="rewriting", daemon=True)

    @property
    def stopped_because(self) -> str:
        """Why it asks no more though there is more to ask: the spending limit."""
        return self._spending.stopped_because

    def __enter__(self) -> Asking:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()
        self._thread.join()

    def add(self, requests: Iterable[Request]) -> None:
        """Add requests."""
        with self._lock:
            self._waiting.extend(requests)
        self._flight.look_again()

    def finish(self) -> None:
        """Declare that nothing more is added: the thread ends when everything is asked."""
        self._no_more = True
        self._flight.look_again()

    def join(self) -> None:
        """Wait until everything is asked, after `finish`. Raises: what ended it before."""
        self._thread.join()
        if self.fault:
            raise self.fault

    def leave(self) -> None:
        """Stop asking: requests in flight are finished, waiting retries are dropped."""
        self._leaving = True
        self.rewriter.chat.halted.set()
        self._flight.look_again()

    @property
    def is_idle(self) -> bool:
        """Whether nothing is in flight or queued."""
        with self._lock:
            return not self._thread.is_alive() or (not self._flying and (not self._waiting or self._may_not_ask()))

    def settled(self, wait: float = 0.0) -> list[Need]:
        """What was settled since the last call; waits up to so many seconds for the first."""
        needs: list[Need] = []
        try:
            item = self._settled.get(timeout=wait) if wait else self._settled.get_nowait()
            while True:
                if item is not None:
                    needs.append(item)
                item = self._settled.get_nowait()
        except Empty:
            return needs

    def _run(self) -> None:
        try:
            self._flight.run(self._take, self._land, may_end=lambda: self._no_more or self._may_not_ask())
        except Exception as fault:
            # Told to whoever runs the job, in the thread that can do something about it.
            self.fault = fault
        finally:
            connection.close()
            self._settled.put(None)

    def _may_not_ask(self) -> bool:
        return self._leaving or bool(self.stopped_because)

    def _take(self, flying: int) -> Request | None:
        with self._lock:
            self._flying = flying
            if not self._waiting or self._may_not_ask():
                return None
            request = self._waiting[0]
            estimate = partial(reserve, self.job, request, self.rewriter.wording, self._rates)
            if not self._spending.set_aside(request, estimate, flying=flying):
                if self.stopped_because:
                    self._settled.put(None)
                return None
            self._flying = flying + 1
            return self._waiting.popleft()

    def _land(self, outcomes: Sequence[RequestOutcome]) -> None:
        """Store outcomes in one transaction, then report them."""
        real = [outcome for outcome in outcomes if not outcome.halted]
        for outcome, landed in zip(real, self._store(real), strict=True):
            # First told, then off the count: whoever finds it idle finds everything told.
            for text in landed.settled:
                self._settled.put((outcome.request.number, text))
            with self._lock:
                self._spending.pay(outcome.request, landed.cost)
                self._waiting.extend(self._smaller(outcome.request, landed.failed))
        with self._lock:
            self._flying -= len(outcomes)
        self._settled.put(None)

    def _store(self, outcomes: Sequence[RequestOutcome]) -> list[Landed]:
        chat, job = self.rewriter.chat, self.job
        if job.answer_format != chat.answer_format and any(outcome.completion for outcome in outcomes):
            job.answer_format = chat.answer_format
            job.save(update_fields=["answer_format"])
        landed = store_outcomes(
            job=job,
            outcomes=outcomes,
            wording=self.rewriter.wording,
            per_request=self.rewriter.patience.per_request,
        )
        if job.limit is not None and not self._rates.answers:
            self._rates = rates_of(job.model)
        return landed

    def _smaller(self, request: Request, failed: list[str]) -> Iterable[Request]:
        """Smaller requests that retry what failed in a larger one."""
        if not failed or is_last_try(request, self.rewriter.patience.per_request):
            return ()
        level = request.level + 1
        size = ladder(self.rewriter.patience.per_request)[level]
        return [replace(request, texts=texts, level=level) for texts in split_evenly(failed, size)]
