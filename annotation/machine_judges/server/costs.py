"""What a judge on a server costs: what a job may spend, and what it would before it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import ceil

from django.db.models import Avg, Count, Exists, OuterRef, Q, Subquery, Sum, Value
from django.db.models.functions import Coalesce, Length
from django.utils.translation import gettext as _

from annotation.machine_judges.server.declared import Declared
from annotation.machine_judges.server.pairs import Scope, left_in, waiting_in
from annotation.machine_judges.server.parameters import MOST_FRAMES
from annotation.machine_judges.server.replies import usual_tokens
from annotation.models import MachineJudging
from corpus.models import Description, clip_ready
from foundation.refused import FieldsRefused
from queries.rewriting.amounts_typed import BadAmount, amount_typed
from queries.rewriting.costs import Prices, prices_from
from queries.rewriting.llm_settings import LlmSettings, llm_settings
from queries.rewriting.rewriters.prompting import CHARS_A_TOKEN
from queries.rewriting.spending import held_to_site, limit_typed

TILE, TOKENS_A_PICTURE, TOKENS_A_TILE = 512, 85, 170
"""What OpenAI's models count of a picture: so many tokens, and so many more for each square of so many pixels that it
touches. Other models count otherwise: after a few answers theirs are what is reckoned with."""
TOKENS_OUT = 4
"""Of an answer that is one grade."""
ABOVE = Decimal("1.25")
"""By how much more than its estimate is set aside for a request."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a job would ask and cost at most, were nothing of it stored: `cost` is None without prices. `waiting`: pairs
    beside these whose clip isn't cut yet."""

    pairs: int
    unseen: int
    """Pairs without a clip, or without a description where it is told that."""
    waiting: int
    requests: int
    pictures: int
    tokens_in: int
    tokens_out: int
    cost: Decimal | None
    learned: bool
    """Whether tokens are reckoned from this judge's answers."""


def estimate(declared: Declared, scope: Scope, prices: Prices) -> Estimate:
    """What a job of this scope would ask and cost."""
    judge, seen = declared.judge, clip_ready("moment__clip__")
    letters: Value | Coalesce = Value(0)
    if declared.reads:
        written = Description.objects.filter(moment=OuterRef("moment"))
        total = written.order_by().values("moment").annotate(letters=Sum(Length("text"))).values("letters")
        seen, letters = Q(Exists(written)), Coalesce(Subquery(total), 0)
    left = (
        left_in(judge, scope)
        .order_by()
        .aggregate(
            pairs=Count("pk"),
            seen=Count("pk", filter=seen),
            letters=Avg(Length("query__text") + Length("query__narrative") + letters),
        )
    )
    learned = usual_tokens(judge)
    sent, answered = learned or guessed_tokens(declared, left["letters"] or 0.0)
    requests = left["seen"] * declared.parameters.samples
    tokens_in, tokens_out = round(requests * sent), round(requests * answered)
    return Estimate(
        pairs=left["pairs"],
        unseen=left["pairs"] - left["seen"],
        waiting=waiting_in(judge, scope),
        requests=requests,
        pictures=requests * (judge.frames or 0),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost=prices.cost(tokens_in, tokens_out, batch_api=False),
        learned=learned is not None,
    )


def guessed_tokens(declared: Declared, letters: float) -> tuple[float, float]:
    """Tokens of a request and its answer, before its model has said any.

    Args: letters: of its query and description.
    """
    squares = ceil(declared.parameters.pixels / TILE) ** 2
    pictures = 0 if declared.reads else declared.judge.frames or MOST_FRAMES
    text = (declared.wording.chars("") + letters) / CHARS_A_TOKEN
    return text + pictures * (TOKENS_A_PICTURE + squares * TOKENS_A_TILE), TOKENS_OUT


def prices_of(job: MachineJudging) -> Prices:
    """The prices that a job was begun with."""
    return Prices(job.price_in, job.price_out)


def spent_by(job: MachineJudging) -> Decimal:
    """The cost of a job's answers so far."""
    return job.replies.aggregate(total=Sum("cost"))["total"] or Decimal(0)


def terms_typed(declared: Declared, typed: Mapping[str, str]) -> tuple[Prices, Decimal | None]:
    """The prices and the limit of a new job: those of the settings, or as typed (`price_in`, `price_out`, `limit`).

    Raises: FieldsRefused, by name; RewriterError for a setting that can't be read.
    """
    settings = llm_settings(declared.judge.collection, model=declared.judge.model)
    prices, faults, amounts = prices_from(settings.values), {}, {}
    for name in ("price_in", "price_out"):
        try:
            amounts[name] = amount_typed(typed[name].strip()) if typed.get(name, "").strip() else None
        except BadAmount as fault:
            faults[name] = str(fault)
    if not faults and (amounts["price_in"] is None) != (amounts["price_out"] is None):
        missing = "price_in" if amounts["price_in"] is None else "price_out"
        faults[missing] = _("A cost needs both prices. Enter this one too, or neither.")
    elif not faults and amounts["price_in"] is not None:
        if are_the_sites(settings):
            faults["price_in"] = _("The key is the site's, and so are its prices. Enter no price.")
        prices = Prices(amounts["price_in"], amounts["price_out"])
    limit = None
    try:
        limit = limit_typed(settings, prices, typed.get("limit", "").strip())
    except BadAmount as fault:
        faults["limit"] = str(fault)
    if faults:
        raise FieldsRefused(faults)
    return prices, limit


def hold_to_site(job: MachineJudging, settings: LlmSettings) -> None:
    """Have a job that was begun on a page spend as `held_to_site` says. Raises: RewriterError."""
    if job.member_id is None or not are_the_sites(settings):
        return
    prices, job.limit = held_to_site(settings, prices_of(job), job.limit, model=job.judge.model)
    job.price_in, job.price_out = prices.sent, prices.answered
    job.save(update_fields=["price_in", "price_out", "limit"])


def are_the_sites(settings: LlmSettings) -> bool:
    """Whether the prices are the site's: with its key, where it has any for this model or a limit that needs them."""
    return settings.by_site_key and (settings.ceiling is not None or prices_from(settings.values).known)
