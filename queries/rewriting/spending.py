"""What a job may spend: what was spent, what is set aside for requests under way, and whose limit holds."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Generic, TypeVar

from django.utils.translation import gettext as _

from queries.rewriting.amounts_typed import BadAmount, amount_typed
from queries.rewriting.costs import Prices, limit_from, prices_from
from queries.rewriting.llm_settings import LlmSettings
from queries.rewriting.llm_terms import too_high
from queries.rewriting.rewriters.interface import RewriterError

R = TypeVar("R")


class Spending(Generic[R]):
    """A job's limit, held while requests are under way: each has what it may cost set aside until it is answered."""

    def __init__(self, limit: Decimal | None, spent: Decimal) -> None:
        self.limit = limit
        self.spent = spent
        self.stopped_because = ""
        """Why no request may go any more: the limit is reached, and nothing is under way that may cost less."""
        self._aside: dict[R, Decimal] = {}

    def set_aside(self, request: R, estimate: Callable[[], Decimal], *, flying: int) -> bool:
        """Set aside what a request may cost. Args: flying: how many are under way. Returns whether it may go."""
        if self.limit is None:
            return True
        cost = estimate()
        if self.spent + sum(self._aside.values()) + cost > self.limit:
            if not flying:
                self.stopped_because = (
                    f"The spending limit of {self.limit.normalize():f} is reached: {self.spent:.4f} spent, "
                    f"and the next request may cost {cost:.4f}."
                )
            return False
        self._aside[request] = cost
        return True

    def pay(self, request: R, cost: Decimal) -> None:
        """A request was answered for so much, or given up for nothing."""
        self._aside.pop(request, None)
        self.spent += cost


def limit_typed(settings: LlmSettings, prices: Prices, typed: str) -> Decimal | None:
    """What a run may cost, as typed; empty: the limit of the settings.

    Raises: BadAmount for no amount, one above the site's, or a limit without prices.
    """
    most = amount_typed(typed) if typed else limit_from(settings.environ)
    if most is not None and settings.ceiling is not None and most > settings.ceiling:
        raise BadAmount(too_high(most, settings.ceiling))
    if most is not None and not prices.known:
        raise BadAmount(_("A limit needs the prices of the model. Set them under LLM settings."))
    return most


def held_to_site(
    settings: LlmSettings, prices: Prices, limit: Decimal | None, *, model: str
) -> tuple[Prices, Decimal | None]:
    """By the site's key a job that was begun on a page spends as the site says now: its own key may have gone since.

    Returns: the prices and the limit that hold.
    Raises: RewriterError for a limit without prices.
    """
    if not settings.by_site_key:
        return prices, limit
    prices = prices_from(settings.environ)
    if settings.ceiling is not None:
        refuse_without_prices(prices, model)
        limit = settings.ceiling if limit is None else min(limit, settings.ceiling)
    return prices, limit


def refuse_without_prices(prices: Prices, model: str) -> None:
    """Raises: RewriterError for prices that aren't known."""
    if not prices.known:
        raise RewriterError(f"A limit needs the prices of {model}: they are set beside its key.")
