"""Collections that a later room offers to build for somebody who has none yet, on the home page."""

from collections.abc import Callable
from dataclasses import dataclass

from foundation.models import Account, Job


@dataclass(frozen=True, slots=True)
class Offer:
    """What is offered.

    Args:
        name: in its address.
        words: of its button.
        told: what it makes, and how long that takes, in a sentence.
        begin: makes the collection, which the account owns, and asks for the job that fills it.
    """

    name: str
    words: str
    told: str
    begin: Callable[[Account], Job]


_offers: dict[str, Offer] = {}


def register(offer: Offer) -> None:
    """Called by a room's AppConfig.ready()."""
    _offers[offer.name] = offer


def offers() -> list[Offer]:
    """All that are registered."""
    return list(_offers.values())


def offer_called(name: str) -> Offer | None:
    """The offer of this name; None if there is none."""
    return _offers.get(name)
