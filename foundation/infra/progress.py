"""Progress of long work: its stages, and progress bars for them on standard error."""

import sys
from types import TracebackType
from typing import Any

from tqdm import tqdm

from evaluation.progress import BYTES, Advance, Stage, untold

__all__ = ["BYTES", "Advance", "Stage", "StageBars", "progress_bar", "untold"]


def progress_bar(*, total: int | None, unit: str, title: str) -> "tqdm[Any]":
    """A progress bar on standard error, one line at a time where that is no terminal."""
    terminal = sys.stderr.isatty()
    return tqdm(
        total=total,
        unit=f" {unit}" if unit != BYTES else unit,
        unit_scale=unit == BYTES,
        desc=title,
        file=sys.stderr,
        dynamic_ncols=terminal,
        mininterval=0.2 if terminal else 10,
        disable=None if terminal else False,
    )


class StageBars:
    """Context that shows one progress bar per stage; called as a `Stage`."""

    def __init__(self) -> None:
        self._bar: tqdm[Any] | None = None

    def __enter__(self) -> "StageBars":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close(done=kind is None)

    def __call__(self, title: str, total: int | None, unit: str) -> Advance:
        self._close()
        self._bar = progress_bar(total=total, unit=unit, title=title)
        advance: Advance = self._bar.update
        return advance

    def later(self, title: str, total: int | None, unit: str) -> Advance:
        """A stage whose bar appears with its first progress."""
        advance: Advance | None = None

        def go_on(done: int) -> None:
            nonlocal advance
            advance = advance or self(title, total, unit)
            advance(done)

        return go_on

    def _close(self, *, done: bool = True) -> None:
        if self._bar is not None:
            if done and self._bar.total is not None:
                self._bar.total = self._bar.n  # less than was reckoned with, and all of it
                self._bar.refresh()
            self._bar.close()
            self._bar = None
