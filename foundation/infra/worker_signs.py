"""Whether a worker runs, for pages that say what waits. The room that keeps signs of life registers them here."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet

_signs: dict[str, Callable[[], QuerySet[Any]]] = {}


def register(name: str, look: Callable[[], QuerySet[Any]]) -> None:
    """Called by a room's AppConfig.ready(): `look()` gives the signs of workers that were heard of just now."""
    _signs[name] = look


def signs_of_life() -> dict[str, QuerySet[Any]]:
    """The signs by name, as querysets that a page can combine with its other ones."""
    return {name: look() for name, look in _signs.items()}


def no_worker() -> bool:
    """Whether nobody does what waits in the queue. One SQL query."""
    signs = signs_of_life().values()
    return bool(signs) and not any(rows.exists() for rows in signs)
