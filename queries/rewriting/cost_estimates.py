"""Requests, tokens and cost of rewriting: spent and expected."""

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, TypedDict

from django.db.models import Count, F, Q, QuerySet, Sum

from foundation.models import Collection
from queries.models import RewriteJob
from queries.rewriting.costs import Prices
from queries.rewriting.decoding import ModelAndPrompt
from queries.rewriting.jobs import known_format, rates_of
from queries.rewriting.rewriters.llm import OpenAIRewriter
from queries.rewriting.work_left import find_pending

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """Estimated requests, tokens and cost of the first attempt at everything left."""

    descriptions: int
    """Without a caption."""
    texts: int
    """That will be asked: equal descriptions once, those with a stored answer not at all."""
    requests: int
    tokens_in: int
    tokens_out: int
    cost: Decimal | None
    """None without prices."""
    answers: int
    """How many stored answers of this model the tokens are reckoned from; 0: four characters a token."""
    asked_again: float | None
    """The share of this model's first attempts that failed a check here; None before there are any."""


def estimate(
    *, collection: Collection, rewriter: OpenAIRewriter, prices: Prices, batch_api: bool = False
) -> CostEstimate:
    """Estimate from the requests as they will be sent; tokens are estimated from their characters."""
    recipe = ModelAndPrompt(rewriter.model, rewriter.prompt_version)
    pending = find_pending(collection=collection, recipe=recipe)
    requests = pending.requests(rewriter.patience.per_request)
    rates = rates_of(rewriter.model)
    answer_format = known_format(rewriter) or rewriter.chat.answer_format
    sizes = [rates.tokens(request, rewriter.wording, answer_format) for request in requests]
    tokens_in, tokens_out = round(sum(size[0] for size in sizes)), round(sum(size[1] for size in sizes))
    return CostEstimate(
        descriptions=pending.descriptions,
        texts=len(pending.to_ask),
        requests=len(requests),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost=prices.cost(tokens_in, tokens_out, batch_api=batch_api),
        answers=rates.answers,
        asked_again=_share_asked_again(collection, rewriter.model),
    )


def _share_asked_again(collection: Collection, model: str) -> float | None:
    tries = collection.descriptions.filter(attempts__model=model).aggregate(
        first=Count("attempts", filter=Q(attempts__number=1)), again=Count("attempts", filter=Q(attempts__number=2))
    )
    return tries["again"] / tries["first"] if tries["first"] else None


class JobFigures(TypedDict):
    """Sums over a job's exchanges: `failures` are requests without an answer, `waiting` are in a parcel, `estimated`
    are answers whose tokens the server didn't say; `cost` is None without prices."""

    requests_sent: int
    retries: int
    failures: int
    waiting: int
    tokens_in: int
    tokens_out: int
    cost: Decimal | None
    estimated: int


def jobs_with_figures(collection: Collection) -> "QuerySet[WithAnnotations[RewriteJob, JobFigures]]":
    """The collection's jobs, newest first, annotated with their figures."""
    answered = Q(exchanges__answered_at__isnull=False)
    return (
        RewriteJob.objects.filter(collection=collection)
        .annotate(
            requests_sent=Count("exchanges", filter=answered),
            retries=Sum(F("exchanges__tries") - 1, filter=answered, default=0),
            failures=Count("exchanges", filter=answered & Q(exchanges__content="")),
            waiting=Count("exchanges", filter=Q(exchanges__answered_at=None, exchanges__pk__isnull=False)),
            tokens_in=Sum("exchanges__tokens_in", default=0),
            tokens_out=Sum("exchanges__tokens_out", default=0),
            cost=Sum("exchanges__cost"),
            estimated=Count("exchanges", filter=Q(exchanges__tokens_estimated=True)),
        )
        .order_by("-pk")
    )


def job_with_figures(job: RewriteJob) -> "WithAnnotations[RewriteJob, JobFigures]":
    """`jobs_with_figures` for one job."""
    return jobs_with_figures(job.collection).get(pk=job.pk)
