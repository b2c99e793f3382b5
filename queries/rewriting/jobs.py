"""Rewriting jobs: one per collection at a time, resumable, every answer stored as it comes."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Count, Sum
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.collections.cast import parse_cast
from foundation.infra.advisory_lock import alone_at
from foundation.models import Collection, Membership, RewritingStyle
from foundation.refused import Busy
from queries.models import Answer, Exchange, Parcel, RewriteJob
from queries.rewriting.costs import HALF, Prices, Rates
from queries.rewriting.decoding import ModelAndPrompt
from queries.rewriting.refusals import take_up_refused
from queries.rewriting.rewriters.as_they_are import NAME as AS_THEY_ARE
from queries.rewriting.rewriters.interface import RewriterError
from queries.rewriting.rewriters.llm import OpenAIRewriter, RequestOutcome
from queries.rewriting.rewriters.prompting import Request, Wording, prompt_version
from queries.rewriting.rewriters.rules import DIVERSE_MODEL, MODEL
from queries.rewriting.rewriters.rules import NAME as RULES
from queries.rewriting.work_left import digest, is_last_try

ASK_NOBODY = (RULES, AS_THEY_ARE)
"""The rewriters of jobs that ask nobody."""


@contextmanager
def only_runner(collection: Collection) -> Iterator[None]:
    """Context that locks the collection's rewriting; a killed process releases the lock at once.

    PostgreSQL holds the lock for this thread's connection: no heartbeat, and nothing to expire.
    Raises: Busy if somebody does.
    """
    with alone_at("queries.rewriting", collection.pk, wait=False) as ours:
        if not ours:
            raise Busy(_("Another process is rewriting %(title)s right now.") % {"title": collection.title})
        yield


def wording_of(collection: Collection) -> Wording:
    """The prompt's wording: the collection's context and cast."""
    version = prompt_version(collection.rewriting_style, os.environ)
    return Wording(collection.context, tuple(parse_cast(collection.cast)), version)


def recipe_of(job: RewriteJob) -> ModelAndPrompt:
    return ModelAndPrompt(job.model, job.prompt_version)


@transaction.atomic
def begin_job(
    *,
    collection: Collection,
    rewriter: OpenAIRewriter,
    prices: Prices,
    limit: Decimal | None = None,
    batch_api: bool = False,
    unattended: bool = False,
    member: Membership | None = None,
) -> RewriteJob:
    """Resume the collection's open job if model, prompt, server and mode are the same; otherwise begin a new one.

    A job is open while it runs, and while a batch of it is out.
    A job that is taken up again keeps what it has spent; a limit given now replaces its own.

    Raises: RewriterError for a limit without prices, and while a batch of an earlier run is out and this run
        is none for batches: its answers are paid for.
    """
    if limit is not None and not prices.known:
        raise RewriterError(
            "A limit needs prices: set REWRITER_PRICE_IN and REWRITER_PRICE_OUT, for a million tokens each."
        )
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    take_up_refused(collection, rewriter.name)
    make = _make(rewriter, batch_api=batch_api)
    running = RewriteJob.objects.filter(collection=collection, state=RewriteJob.State.RUNNING).first()
    out = Parcel.objects.filter(job__collection=collection, collected_at=None).exclude(sent_at=None).first()
    # A job that stopped with a batch out is the one that collects it.
    open_job = running or (out.job if out is not None else None)
    if open_job is not None and all(getattr(open_job, name) == value for name, value in make.items()):
        open_job.state, open_job.problem, open_job.finished_at = RewriteJob.State.RUNNING, "", None
        open_job.limit = open_job.limit if limit is None else limit
        open_job.price_in, open_job.price_out, open_job.batch_share = prices.sent, prices.answered, prices.batch_share
        open_job.instructions, open_job.unattended = rewriter.wording.instructions, unattended
        open_job.member = member or open_job.member
        open_job.save()
        return open_job
    if out is not None:
        raise RewriterError(
            f"A batch of an earlier run is still out ({out.remote_id or out.key}, model {out.job.model}, "
            f"at {out.job.server}): collect it first, with --batch-api and the same model and server, or leave it "
            "with --leave-batch and pay for its descriptions again."
        )
    # What was packed and never sent is packed anew.
    Parcel.objects.filter(job__collection=collection, collected_at=None, sent_at=None).delete()
    if running is not None:
        running.end("A run of another make took over.")
    return _create_job(collection, rewriter, prices, limit=limit, unattended=unattended, member=member, **make)


@transaction.atomic
def begin_rules_job(*, collection: Collection, member: Membership | None = None, rewriter: str = RULES) -> RewriteJob:
    """The job by which a worker captions the collection by one of `ASK_NOBODY`: the one that runs, or a new one.

    Raises: RewriterError while a batch is out at an LLM's server, whose answers are paid for, and as `take_up_refused`.
    """
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    if Parcel.objects.filter(job__collection=collection, collected_at=None).exclude(sent_at=None).exists():
        raise RewriterError(_("The LLM's server still has a batch of an earlier run. Resume that run first."))
    take_up_refused(collection, rewriter)
    running = RewriteJob.objects.filter(collection=collection, state=RewriteJob.State.RUNNING).first()
    if running is not None and running.rewriter == rewriter:
        RewriteJob.objects.filter(pk=running.pk).update(unattended=True)
        running.unattended = True
        return running
    if running is not None:
        running.end("A run of another make took over.")
    by_rules = DIVERSE_MODEL if collection.rewriting_style == RewritingStyle.DIVERSE else MODEL
    model = by_rules if rewriter == RULES else ""
    return RewriteJob.objects.create(
        collection=collection, rewriter=rewriter, model=model, unattended=True, member=member
    )


def job_of_single_requests(*, collection: Collection, rewriter: OpenAIRewriter, prices: Prices) -> RewriteJob:
    """The job to which a person's single requests belong: the collection's newest alike, or a new closed one."""
    make = _make(rewriter, batch_api=False)
    newest = RewriteJob.objects.filter(collection=collection, **make).order_by("-pk").first()
    done = {"state": RewriteJob.State.DONE, "finished_at": timezone.now()}
    if newest is None:
        return _create_job(collection, rewriter, prices, **done, **make)
    newest.price_in, newest.price_out = prices.sent, prices.answered
    newest.save(update_fields=["price_in", "price_out"])
    return newest


def _create_job(collection: Collection, rewriter: OpenAIRewriter, prices: Prices, /, **more: Any) -> RewriteJob:
    return RewriteJob.objects.create(
        collection=collection,
        instructions=rewriter.wording.instructions,
        answer_format=known_format(rewriter),
        price_in=prices.sent,
        price_out=prices.answered,
        batch_share=prices.batch_share,
        **more,
    )


def known_format(rewriter: OpenAIRewriter) -> str:
    """The answer format that this server is known to support for this model; "" if not known yet."""
    jobs = RewriteJob.objects.filter(server=rewriter.chat.place, model=rewriter.model).exclude(answer_format="")
    return jobs.order_by("-pk").values_list("answer_format", flat=True).first() or ""


def _make(rewriter: OpenAIRewriter, *, batch_api: bool) -> dict[str, Any]:
    """The fields in which jobs differ."""
    return {
        "rewriter": rewriter.name,
        "model": rewriter.model,
        "prompt_version": rewriter.prompt_version,
        "server": rewriter.chat.place[:500],
        "batch_api": batch_api,
    }


@transaction.atomic
def leave_parcels(*, collection: Collection) -> int:
    """Give up batches under way: their texts may be asked for, and paid for, again. Returns how many batches."""
    parcels = Parcel.objects.select_for_update().filter(job__collection=collection, collected_at=None)
    count = parcels.count()
    Answer.objects.filter(exchange__parcel__in=parcels, exchange__answered_at=None).delete()
    Exchange.objects.filter(parcel__in=parcels, answered_at=None).update(
        answered_at=timezone.now(), problem="The batch was left before it was collected."
    )
    parcels.update(collected_at=timezone.now(), problem="Left before it was collected.")
    return count


@dataclass(slots=True)
class Landed:
    """What a stored outcome means: what it cost, what is settled by it, what has failed and is to be asked again."""

    cost: Decimal
    settled: list[str]
    failed: list[str]


@transaction.atomic
def store_outcomes(
    *, job: RewriteJob, outcomes: Sequence[RequestOutcome], wording: Wording, per_request: int
) -> list[Landed]:
    """Store the outcomes of requests, raw and by description, in one transaction.

    An answer that never came says nothing of its descriptions: they stay unasked, unless this was their last try.
    """
    rows = [new_exchange(job, outcome.request) for outcome in outcomes]
    for row, outcome in zip(rows, outcomes, strict=True):
        _fill(row, outcome, wording)
    Exchange.objects.bulk_create(rows)
    read = [_read(row, outcome, per_request) for row, outcome in zip(rows, outcomes, strict=True)]
    Answer.objects.bulk_create([answer for answers, _ in read for answer in answers], ignore_conflicts=True)
    return [landed for _, landed in read]


@transaction.atomic
def store_answer(*, row: Exchange, outcome: RequestOutcome, wording: Wording, per_request: int) -> Landed:
    """`store_outcomes` for one request of a parcel, whose rows are stored already."""
    _fill(row, outcome, wording)
    row.save()
    answers, landed = _read(row, outcome, per_request)
    row.answers.all().delete()
    Answer.objects.bulk_create(answers, ignore_conflicts=True)
    return landed


def _fill(row: Exchange, outcome: RequestOutcome, wording: Wording) -> None:
    request, completion = outcome.request, outcome.completion
    row.seed = request.seed if completion is None or completion.seeded else None
    row.tries, row.problem, row.answered_at = outcome.tries, outcome.problem, timezone.now()
    row.chars_in = wording.chars_in(request, row.job.answer_format)
    if completion is None:
        return
    row.content, row.chars_out = completion.content or completion.refusal, len(completion.content)
    row.served_model, row.fingerprint = completion.model, completion.fingerprint
    row.request_id, row.finish_reason = completion.request_id, completion.finish_reason
    usual = Rates()
    row.tokens_estimated = completion.tokens_in is None or completion.tokens_out is None
    row.tokens_in = round(row.chars_in * usual.sent) if completion.tokens_in is None else completion.tokens_in
    row.tokens_out = round(row.chars_out * usual.answered) if completion.tokens_out is None else completion.tokens_out
    row.cost = prices_of(row.job).cost(row.tokens_in, row.tokens_out, batch_api=row.parcel_id is not None)


def _read(row: Exchange, outcome: RequestOutcome, per_request: int) -> tuple[list[Answer], Landed]:
    """The answer to store for each description, and what it settles."""
    last = is_last_try(outcome.request, per_request)
    answered = outcome.completion is not None or outcome.declined
    landed = Landed(row.cost or Decimal(0), [], [])
    answers = []
    for answer in new_answers(row, outcome.request):
        caption, error = outcome.captions.get(str(answer.place), (None, outcome.problem))
        answer.caption, answer.error, answer.settled = caption or "", error, caption is not None or last
        (landed.settled if answer.settled else landed.failed).append(answer.text)
        if answer.settled or answered:
            answers.append(answer)
    return answers, landed


def new_exchange(job: RewriteJob, request: Request) -> Exchange:
    """The unsaved row of a request."""
    return Exchange(
        job=job,
        number=request.number,
        level=request.level,
        temperature=request.temperature,
        seed=request.seed,
    )


def new_answers(row: Exchange, request: Request) -> list[Answer]:
    """The unsaved, empty rows of a request's descriptions."""
    key = recipe_of(row.job).key(request.number)
    return [
        Answer(
            exchange=row,
            collection_id=row.job.collection_id,
            recipe=key,
            digest=digest(text),
            text=text,
            place=place,
        )
        for place, text in enumerate(request.texts, start=1)
    ]


def prices_of(job: RewriteJob) -> Prices:
    """The prices that the job was begun with."""
    return Prices(job.price_in, job.price_out, HALF if job.batch_share is None else job.batch_share)


def reserve(job: RewriteJob, request: Request, wording: Wording, rates: Rates) -> Decimal:
    """The amount to reserve for a request: a quarter above its estimated cost."""
    tokens_in, tokens_out = rates.tokens(request, wording, job.answer_format)
    cost = prices_of(job).cost(tokens_in, tokens_out, batch_api=job.batch_api)
    return (cost or Decimal(0)) * Decimal("1.25")


def spent_by(job: RewriteJob) -> Decimal:
    """The cost of the job's answers so far."""
    return job.exchanges.aggregate(total=Sum("cost"))["total"] or Decimal(0)


def rates_of(model: str) -> Rates:
    """Tokens per character, learned from this model's stored answers in all collections."""
    sums = Exchange.objects.filter(job__model=model, tokens_estimated=False, tokens_in__gt=0).aggregate(
        answers=Count("pk"),
        chars_in=Sum("chars_in", default=0),
        tokens_in=Sum("tokens_in", default=0),
        chars_out=Sum("chars_out", default=0),
        tokens_out=Sum("tokens_out", default=0),
    )
    return Rates.learned(**sums)
