"""Crash-safe OpenAI batch jobs."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone

from foundation.counted import counted
from queries.models import Answer, Exchange, Parcel, RewriteJob
from queries.rewriting.jobs import new_answers, new_exchange, rates_of, reserve, spent_by, store_answer
from queries.rewriting.rewriters.batch_api import BatchApi, BatchLine, Remote
from queries.rewriting.rewriters.chat import what_is_refused
from queries.rewriting.rewriters.interface import RewriterError
from queries.rewriting.rewriters.llm import OpenAIRewriter, RequestOutcome, judge
from queries.rewriting.rewriters.prompting import Request, longest_answer
from queries.rewriting.rewriters.reading import CaptionsById

LONGEST_PARCEL = 50_000
"""Requests in one file, as OpenAI allows."""
LARGEST_PARCEL = 100_000_000
"""Characters in one file: half of what OpenAI allows, since a character may be several bytes."""
NEVER_ANSWERED = "The batch ended without an answer to this request."


class Parcels:
    """A job's batches of requests ("parcels"). Every step is stored before the next, so any process can resume."""

    def __init__(self, job: RewriteJob, rewriter: OpenAIRewriter) -> None:
        self.job = job
        self.rewriter = rewriter
        self.stopped_because = ""
        self._api = BatchApi(rewriter.chat)

    def pack(self, requests: Sequence[Request]) -> int:
        """Put requests into parcels, within the spending limit. Returns how many requests."""
        fitting = self._affordable(requests)
        packed: list[Request] = []
        size = 0
        for request in fitting:
            chars = self.rewriter.wording.chars_in(request)
            if packed and (len(packed) >= LONGEST_PARCEL or size + chars > LARGEST_PARCEL):
                self._store(packed)
                packed, size = [], 0
            packed.append(request)
            size += chars
        if packed:
            self._store(packed)
        return len(fitting)

    def look_after_all(self) -> None:
        """Send parcels that weren't sent, and collect finished ones.

        Raises: RewriterError when a batch failed without one answer, or the server can't be used at all.
        """
        for parcel in Parcel.objects.filter(job=self.job, collected_at=None).order_by("pk"):
            if not parcel.remote_id:
                self._send(parcel)
            remote = self._api.look(parcel.remote_id)
            if remote.status != parcel.status:
                parcel.status = remote.status
                parcel.save(update_fields=["status"])
            if remote.is_over:
                self._collect(parcel, remote)

    def _affordable(self, requests: Sequence[Request]) -> Sequence[Request]:
        limit = self.job.limit
        if limit is None:
            return requests
        rates, spent = rates_of(self.job.model), spent_by(self.job)
        planned = Decimal(0)
        for place, request in enumerate(requests):
            planned += reserve(self.job, request, self.rewriter.wording, rates)
            if spent + planned > limit:
                self.stopped_because = (
                    f"The spending limit of {limit.normalize():f} is reached: {spent:.4f} spent, and "
                    f"{counted(len(requests) - place, 'request is', 'requests are')} left."
                )
                return requests[:place]
        return requests

    @transaction.atomic
    def _store(self, requests: Sequence[Request]) -> None:
        parcel = Parcel.objects.create(job=self.job, key=uuid.uuid4().hex)
        rows = [new_exchange(self.job, request) for request in requests]
        for row in rows:
            row.parcel = parcel
        Exchange.objects.bulk_create(rows)
        Answer.objects.bulk_create(
            (answer for row, request in zip(rows, requests, strict=True) for answer in new_answers(row, request)),
            batch_size=5000,
        )

    def _send(self, parcel: Parcel) -> None:
        """Upload the file and begin the batch, once: a batch begun by a process that died is found by its key."""
        if parcel.sent_at is not None:
            parcel.remote_id = self._api.find(parcel.key)
        if not parcel.remote_id:
            parcel.sent_at = timezone.now()
            parcel.save(update_fields=["sent_at"])
            parcel.remote_id = self._api.begin(self._lines(parcel), key=parcel.key)
        parcel.save(update_fields=["remote_id"])

    def _lines(self, parcel: Parcel) -> list[tuple[str, dict[str, Any]]]:
        chat, wording = self.rewriter.chat, self.rewriter.wording
        return [
            (
                str(pk),
                chat.body(wording.messages(request), request.temperature, request.seed, longest_answer(request)),
            )
            for pk, (_, request) in self._waiting(parcel).items()
        ]

    def _waiting(self, parcel: Parcel) -> dict[int, tuple[Exchange, Request]]:
        """The parcel's requests that have no answer yet, by the id of their row."""
        rows = parcel.exchanges.filter(answered_at=None).select_related("job").order_by("pk")
        texts: dict[int, list[str]] = {}
        for answer in Answer.objects.filter(exchange__in=rows).order_by("exchange", "place"):
            texts.setdefault(answer.exchange_id, []).append(answer.text)
        return {
            row.pk: (row, Request(tuple(texts[row.pk]), row.number, row.temperature, row.seed or 0, row.level))
            for row in rows
            if row.pk in texts
        }

    def _collect(self, parcel: Parcel, remote: Remote) -> None:
        """Store every answer of a finished batch; requests without one can be sent again."""
        waiting = self._waiting(parcel)
        adapted = False
        for line in self._api.results(remote):
            known = waiting.get(int(line.key)) if line.key.isdigit() else None
            if known is None:
                continue
            outcome = self._read(known[1], line)
            if outcome is None:
                adapted = adapted or self.rewriter.chat.learns_from(line.status, line.problem)
                continue
            del waiting[int(line.key)]
            self._land(known[0], outcome)
        self._close(parcel, remote, adapted=adapted)

    def _read(self, request: Request, line: BatchLine) -> RequestOutcome | None:
        """The outcome of a request from its line; None if the line says nothing about these descriptions."""
        if line.completion is not None:
            return judge(request, line.completion, by_lines=self.rewriter.wording.by_lines)
        if line.status in (400, 413, 422) and not what_is_refused(line.status, line.problem):
            captions: CaptionsById = dict.fromkeys(request.ids, (None, line.problem))
            return RequestOutcome(request, None, captions, line.problem, declined=True)
        return None

    def _land(self, row: Exchange, outcome: RequestOutcome) -> None:
        per_request = self.rewriter.patience.per_request
        store_answer(row=row, outcome=outcome, wording=self.rewriter.wording, per_request=per_request)

    def _close(self, parcel: Parcel, remote: Remote, *, adapted: bool) -> None:
        with transaction.atomic():
            left = parcel.exchanges.filter(answered_at=None)
            Answer.objects.filter(exchange__in=left).delete()
            left.update(answered_at=timezone.now(), problem=f"{NEVER_ANSWERED} {remote.problem}"[:1000])
            parcel.problem, parcel.collected_at = remote.problem, timezone.now()
            parcel.save(update_fields=["problem", "collected_at"])
            if adapted:
                self.job.answer_format = self.rewriter.chat.answer_format
                self.job.save(update_fields=["answer_format"])
        helped = parcel.exchanges.exclude(problem__startswith=NEVER_ANSWERED).exists()
        if not helped and not adapted:
            raise RewriterError(
                f"The batch {parcel.remote_id} at {self.job.server} is {remote.status} without one answer: "
                f"{remote.problem or 'the server says no more'}."
            )
