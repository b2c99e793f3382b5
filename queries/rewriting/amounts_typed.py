"""Amounts of money typed into forms: prices and limits."""

from decimal import Decimal

from django.utils.translation import gettext as _

from foundation.access.form_input import with_point
from foundation.refused import Refused
from queries.rewriting.costs import MOST_AMOUNT, read_amount
from queries.rewriting.rewriters.interface import RewriterError


class BadAmount(Refused):
    """What was typed is no amount; the message says what was found and expected."""


def amount_typed(typed: str) -> Decimal:
    """An amount as people write it, 0.5 or 0,5. Raises: BadAmount for anything else, such as 1.234,5."""
    try:
        return read_amount(with_point(typed), "")
    except RewriterError as fault:
        values = {"found": typed[:40], "most": f"{MOST_AMOUNT:,}"}
        raise BadAmount(
            _("Found “%(found)s”, expected an amount from 0 to %(most)s, such as 0.15 or 0,15.") % values
        ) from fault
