"""Progress on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from tqdm import tqdm

Item = TypeVar("Item")


def bar(items: Iterable[Item], *, desc: str, unit: str, total: int | None = None) -> Iterator[Item]:
    """The items one after the other, with a bar. Nothing is shown where there is nothing to do."""
    yield from tqdm(items, desc=desc, unit=unit, total=total, mininterval=0.5, delay=0.5)


def shown_on(bar: Any) -> Callable[[int, int], None]:
    """Shows on tqdm's bar how many are done, of how many."""

    def show(done: int, of: int) -> None:
        bar.total = of
        bar.update(done - bar.n)

    return show
