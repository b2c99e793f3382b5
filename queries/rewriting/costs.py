"""Prices of tokens, and what answers cost. No database."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from queries.rewriting.rewriters.interface import RewriterError
from queries.rewriting.rewriters.prompting import CHARS_A_TOKEN, Request, Wording, chars_out

MILLION = 1_000_000
HALF = Decimal("0.5")
FEWEST_FOR_RATES = 3
"""Answers of a model that are needed before their tokens count instead of the usual four characters a token."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of a million tokens, in the limit's currency; None where not given."""

    sent: Decimal | None = None
    answered: Decimal | None = None
    batch_share: Decimal = HALF
    """What the Batch endpoints take of the price."""

    @property
    def known(self) -> bool:
        return self.sent is not None and self.answered is not None

    def cost(self, tokens_in: float, tokens_out: float, *, batch_api: bool) -> Decimal | None:
        """The cost of so many tokens; None without prices."""
        if self.sent is None or self.answered is None:
            return None
        full = (Decimal(tokens_in) * self.sent + Decimal(tokens_out) * self.answered) / MILLION
        return full * self.batch_share if batch_api else full


@dataclass(frozen=True, slots=True)
class Rates:
    """Tokens a character, sent and answered; `answers` is how many they were learned from, 0 for the usual rate."""

    sent: float = 1 / CHARS_A_TOKEN
    answered: float = 1 / CHARS_A_TOKEN
    answers: int = 0

    @classmethod
    def learned(cls, *, answers: int, chars_in: int, tokens_in: int, chars_out: int, tokens_out: int) -> Rates:
        """Rates learned from earlier answers; the usual rate while these are too few."""
        if answers < FEWEST_FOR_RATES or not (chars_in and tokens_in and chars_out and tokens_out):
            return cls()
        return cls(tokens_in / chars_in, tokens_out / chars_out, answers)

    def tokens(self, request: Request, wording: Wording, answer_format: str) -> tuple[float, float]:
        """Estimated tokens of a request and its answer."""
        return wording.chars_in(request, answer_format) * self.sent, chars_out(request) * self.answered


def prices_from(environ: Mapping[str, str] = os.environ) -> Prices:
    """REWRITER_PRICE_IN, REWRITER_PRICE_OUT and REWRITER_BATCH_SHARE. Raises: RewriterError for what is no price."""
    sent = amount_from(environ, "REWRITER_PRICE_IN")
    answered = amount_from(environ, "REWRITER_PRICE_OUT")
    if (sent is None) != (answered is None):
        missing = "REWRITER_PRICE_IN" if sent is None else "REWRITER_PRICE_OUT"
        raise RewriterError(f"{missing} is not set, though the other price is: a cost needs both.")
    share = amount_from(environ, "REWRITER_BATCH_SHARE")
    if share is not None and share > 1:
        raise RewriterError(f"REWRITER_BATCH_SHARE is {share}, expected a part of the price, from 0 to 1.")
    return Prices(sent, answered, HALF if share is None else share)


def limit_from(environ: Mapping[str, str] = os.environ) -> Decimal | None:
    """REWRITER_LIMIT: what a run may cost. Raises: RewriterError if it is no amount."""
    return amount_from(environ, "REWRITER_LIMIT")


def amount_from(environ: Mapping[str, str], name: str) -> Decimal | None:
    """An amount >= 0 from the environment. Raises: RewriterError naming what was found and expected."""
    text = environ.get(name, "").strip()
    return read_amount(text, name) if text else None


MOST_AMOUNT = 100_000


def read_amount(text: str, name: str) -> Decimal:
    """Raises: RewriterError unless it is an amount from 0 to a hundred thousand."""
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or not 0 <= amount <= MOST_AMOUNT:
        raise RewriterError(f"{name} is {text!r}, expected an amount such as 0.15.")
    return amount
