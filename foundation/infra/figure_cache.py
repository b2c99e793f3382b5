"""A 60-second cache for figures of large collections.

Figures over a hundred thousand rows take a good part of a second, and stay the same while somebody sorts and pages
through them. Small collections are counted anew each time, so that a change shows at once.
"""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from django.core.cache import cache

from foundation.models import Collection

SECONDS = 60
LARGE = 20_000
"""Collections of at least so many descriptions have their figures cached."""


class Cacheable(Protocol):
    """A result that can be cached: it knows its collection's size and when it was computed (`at`)."""

    @property
    def descriptions(self) -> int: ...


Kept = TypeVar("Kept", bound=Cacheable)


def figure_name(name: str, *jobs: Any) -> str:
    """The name of a figure that is counted anew once a job of these rows (of `Job`s) has begun or ended."""
    newest = [rows.order_by("-pk").values_list("pk", "state").first() or (0, "") for rows in jobs]
    return ":".join([name, *(f"{pk}-{state}" for pk, state in newest)])


def kept(name: str, collection: Collection, compute: Callable[[Collection], Kept]) -> Kept:
    """`compute(collection)`, cached for up to a minute in a large collection."""
    key = f"kept:{name}:{collection.pk}"
    figure: Kept | None = cache.get(key)
    if figure is None:
        figure = compute(collection)
        if figure.descriptions >= LARGE:
            cache.set(key, figure, SECONDS)
    return figure
