"""Run a rewriting job: ask, check meanwhile, ask again where a check fails."""

import time
from collections import deque
from collections.abc import Callable, Sequence

from foundation.models import Collection
from queries.models import Answer, RewriteJob
from queries.rewriting.attempts import check_answers
from queries.rewriting.batch_requests import Parcels
from queries.rewriting.costs import limit_from, prices_from
from queries.rewriting.decoding import ModelAndPrompt
from queries.rewriting.jobs import (
    begin_job,
    job_of_single_requests,
    only_runner,
    prices_of,
    rates_of,
    reserve,
    spent_by,
    store_outcomes,
    wording_of,
)
from queries.rewriting.llm_settings import FROM_COLLECTION, FROM_INSTALLATION, environ_of, llm_settings
from queries.rewriting.request_thread import Asking
from queries.rewriting.rewriters.interface import RewriterError
from queries.rewriting.rewriters.llm import OpenAIRewriter
from queries.rewriting.rewriters.prompting import Request
from queries.rewriting.spending import held_to_site, refuse_without_prices
from queries.rewriting.work_left import BLOCK, Need, Pending, find_pending, plan_requests, settled_answers

SLOW_SECONDS = 10.0
"""From a slow model, what is there is checked after so long: a person sees it come."""
NEWS_SECONDS = 0.5

Check = Callable[[RewriteJob, list[list[int]]], None]


def check_here(job: RewriteJob, blocks: list[list[int]]) -> None:
    """Check each block's answers in this process."""
    for block in blocks:
        check_answers(job=job, description_ids=block)


def collection_rewriter(collection: Collection) -> OpenAIRewriter:
    """The LLM rewriter that the settings name (`llm_settings`), with the collection's context.

    Raises: RewriterError when there is none, or a setting that can't be read.
    """
    settings = llm_settings(collection)
    if not settings.is_remote:
        raise RewriterError(
            "This collection is rewritten by rules, as its settings say."
            if settings.by_rules
            else "OPENAI_API_KEY is not set: without it descriptions are rewritten by rules, at no cost."
        )
    rewriter = OpenAIRewriter.from_environ(settings.environ, wording_of(collection))
    rewriter.chat.key_from = settings.key_from
    return rewriter


def rewrite_remotely(*, collection: Collection, description_ids: Sequence[int]) -> int:
    """Caption these descriptions by the LLM, in this process. Returns how many captions were made.

    Raises: RewriterError when the job can't go on, or the limit of REWRITER_LIMIT is reached; Busy while
        another process has the LLM asked for this collection.
    """
    captioned: list[int] = []
    with only_runner(collection):
        job = begin_job(
            collection=collection,
            rewriter=collection_rewriter(collection),
            prices=prices_from(environ_of(collection)),
            limit=limit_from(environ_of(collection)),
        )
        run_job(job=job, progress=captioned.append, description_ids=description_ids)
    if job.problem:
        raise RewriterError(job.problem)
    return sum(captioned)


def ask_once(*, collection: Collection, text: str, number: int) -> Answer:
    """Ask the LLM for one description, for a person who waits; works beside a running job.

    Args: number: which attempt it is for: each has an answer of its own.
    Raises: as `ask_for_some`.
    """
    rewriter = collection_rewriter(collection)
    _ask(collection, rewriter, [text], number)
    # A description that is asked alone is settled by its answer.
    return _stored(collection, rewriter, [text], number)[text]


def ask_for_some(*, collection: Collection, texts: Sequence[str]) -> tuple[dict[str, tuple[str, str]], int]:
    """Ask the LLM for the first attempt at a few descriptions, in one request; stored answers aren't asked again.

    What is answered is stored, so that a job that comes later doesn't pay for it.

    Returns: text -> caption and why there is none; how many were asked.
    Raises: RewriterError when the server can't be used at all, or the spending limit is reached.
    """
    return _ask(collection, collection_rewriter(collection), texts, 1)


def _stored(collection: Collection, rewriter: OpenAIRewriter, texts: Sequence[str], number: int) -> dict[str, Answer]:
    recipe = ModelAndPrompt(rewriter.model, rewriter.prompt_version)
    return settled_answers(collection=collection, recipe=recipe, number=number, texts=texts)


def _ask(
    collection: Collection, rewriter: OpenAIRewriter, texts: Sequence[str], number: int
) -> tuple[dict[str, tuple[str, str]], int]:
    known = _stored(collection, rewriter, texts, number)
    captions = {text: (answer.caption, answer.error) for text, answer in known.items()}
    left = [text for text in texts if text not in captions]
    if not left:
        return captions, 0
    job = job_of_single_requests(collection=collection, rewriter=rewriter, prices=prices_from(environ_of(collection)))
    rewriter.chat.answer_format = job.answer_format or rewriter.chat.answer_format
    per_request = rewriter.patience.per_request
    for request in plan_requests(dict.fromkeys(((number, text) for text in left), 0), per_request):
        _must_afford(job, request, rewriter)
        outcome = rewriter.ask(request)
        store_outcomes(job=job, outcomes=[outcome], wording=rewriter.wording, per_request=per_request)
        for place, text in request.ids.items():
            caption, fault = outcome.captions.get(place, (None, outcome.problem))
            captions[text] = (caption or "", fault)
    return captions, len(left)


def _must_afford(job: RewriteJob, request: Request, rewriter: OpenAIRewriter) -> None:
    """Refuse a job over its spending limit: its own or the setting, whichever is more. Raises: RewriterError."""
    limits = [limit for limit in (job.limit, limit_from(environ_of(job.collection))) if limit is not None]
    if not limits:
        return
    refuse_without_prices(prices_of(job), job.model)
    spent, cost = spent_by(job), reserve(job, request, rewriter.wording, rates_of(job.model))
    if spent + cost > max(limits):
        raise RewriterError(
            f"The spending limit of {max(limits).normalize():f} is reached: {spent:.4f} spent, and this request may "
            f"cost {cost:.4f}. {_raises_limit(job.collection)} raises it."
        )


def _raises_limit(collection: Collection) -> str:
    where = llm_settings(collection).origin["limit"]
    return (
        f"The limit in the settings of the {where}"
        if where in (FROM_COLLECTION, FROM_INSTALLATION)
        else "REWRITER_LIMIT"
    )


def run_job(
    *,
    job: RewriteJob,
    progress: Callable[[int], object] = lambda captions: None,
    check: Check = check_here,
    until: float | None = None,
    description_ids: Sequence[int] | None = None,
) -> bool:
    """Resume a running job until it is done, stopped, or out of time. Returns False if out of time.

    The caller is the collection's only runner (`only_runner`). Whatever ends it, a later call goes on from what is
    stored: nothing that was answered is asked again.

    Args: progress: called with the number of captions made, and with 0 in between; it may raise what ends the run;
        check: checks blocks of descriptions, here or by workers; until: a time of the monotonic clock;
        description_ids: these alone.

    Raises: RewriterError when it can't go on at all (wrong key, unknown model, no server): the job is stopped.
    """
    try:
        rewriter = collection_rewriter(job.collection)
        _refuse_other_make(job, rewriter)
        _hold_to_site(job)
    except RewriterError as fault:
        job.end(str(fault))
        raise
    rewriter.chat.answer_format = job.answer_format or rewriter.chat.answer_format
    run = _Run(job, rewriter, progress, check, until, description_ids)
    try:
        because = run.by_batches() if job.batch_api else run.by_requests()
    except RewriterError as fault:
        job.end(str(fault))
        raise
    except KeyboardInterrupt:
        # What is out in a batch is paid for: the job stays open for whoever collects it.
        if not job.parcels.filter(collected_at=None).exists():
            job.end("It was interrupted.")
        raise
    if because is None:
        return False
    job.end(because)
    return True


def _refuse_other_make(job: RewriteJob, rewriter: OpenAIRewriter) -> None:
    """What another model answers must never be kept as the job's. Raises: RewriterError."""
    if (rewriter.model, rewriter.chat.place[:500], rewriter.prompt_version) != (
        job.model,
        job.server,
        job.prompt_version,
    ):
        raise RewriterError(
            f"The settings have changed since this job began with {job.model} at {job.server}: begin another one."
        )


def _hold_to_site(job: RewriteJob) -> None:
    """Have a job that was begun on a page spend as `held_to_site` says. Raises: RewriterError."""
    if job.member_id is None:
        return
    settings = llm_settings(job.collection)
    prices, job.limit = held_to_site(settings, prices_of(job), job.limit, model=job.model)
    job.price_in, job.price_out = prices.sent, prices.answered
    job.save(update_fields=["price_in", "price_out", "limit"])


class _Run:
    """One run of a job. Both ways return "" when all is done, why they stopped, or None when the time is over."""

    def __init__(
        self,
        job: RewriteJob,
        rewriter: OpenAIRewriter,
        progress: Callable[[int], object],
        check: Check,
        until: float | None,
        description_ids: Sequence[int] | None,
    ) -> None:
        self.job = job
        self.rewriter = rewriter
        self._progress = progress
        self._check = check
        self._until = until
        self._ids = description_ids

    def by_requests(self) -> str | None:
        """Ask on a thread, check answers here, ask again for what failed a check."""
        per_request = self.rewriter.patience.per_request
        pending = self._find(self._ids)
        ready = deque(pk for need in pending.answered for pk in pending.ids[need])
        again: dict[Need, int] = {}
        checked_at = time.monotonic()
        with Asking(self.job, self.rewriter) as asking:
            asking.add(pending.requests(per_request))
            while not self._is_late():
                idle = asking.is_idle
                for need in asking.settled(wait=0 if idle or len(ready) >= BLOCK else NEWS_SECONDS):
                    ready.extend(pending.ids[need])
                everything = idle or time.monotonic() - checked_at > SLOW_SECONDS
                if len(ready) >= BLOCK or (everything and ready):
                    checked = self._check_some(ready, everything=everything)
                    checked_at = time.monotonic()
                    next_ = self._find(checked)
                    pending.ids.update(next_.ids)
                    ready.extend(pk for need in next_.answered for pk in next_.ids[need])
                    again.update(next_.to_ask)
                elif idle and (asking.fault or asking.stopped_because or not again):
                    break
                if again and (idle or len(again) >= per_request):
                    asking.add(plan_requests(again, per_request))
                    again = {}
        if asking.fault:
            raise asking.fault
        return None if self._is_late() else asking.stopped_because

    def by_batches(self) -> str | None:
        """Send everything in batches, collect them, check answers, send again what failed."""
        parcels = Parcels(self.job, self.rewriter)
        while True:
            parcels.look_after_all()
            pending = self._find(self._ids)
            if pending.answered:
                ready = deque(pk for need in pending.answered for pk in pending.ids[need])
                self._check_some(ready, everything=True)
                continue
            if pending.to_ask:
                # Those that wait for their next attempt go when the others are back: a batch takes hours.
                if not pending.under_way and not parcels.pack(pending.requests(self.rewriter.patience.per_request)):
                    return parcels.stopped_because
                if not pending.under_way:
                    continue
            elif not pending.under_way:
                return ""
            if self._is_late(self.rewriter.patience.poll):
                return None
            self.rewriter.chat.halted.wait(self.rewriter.patience.poll)

    def _find(self, ids: Sequence[int] | None) -> Pending:
        recipe = ModelAndPrompt(self.job.model, self.job.prompt_version)
        return find_pending(collection=self.job.collection, recipe=recipe, description_ids=ids)

    def _check_some(self, ready: deque[int], *, everything: bool) -> list[int]:
        """Check whole blocks of what is ready, or all of it. Returns the descriptions."""
        count = len(ready) if everything else len(ready) // BLOCK * BLOCK
        ids = [ready.popleft() for _ in range(count)]
        self._check(self.job, [ids[first : first + BLOCK] for first in range(0, count, BLOCK)])
        captioned = self.job.collection.descriptions.filter(pk__in=ids, caption__isnull=False).count()
        self._progress(captioned)
        return ids

    def _is_late(self, wait: float = 0.0) -> bool:
        self._progress(0)
        return self._until is not None and time.monotonic() + wait >= self._until
