"""What several commands print and write: notes, warnings, progress, files."""

from __future__ import annotations

import gzip
import json
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

from ..arrays import json_ready
from ..errors import EvaluationError
from ..progress import Advance
from ..texts import counted

BETWEEN = 0.2
"""Seconds between two lines of progress."""


def note(text: str) -> None:
    """Print a note to standard error."""
    print(f"note: {text}", file=sys.stderr)


def print_json(value: object) -> None:
    """Print what a command found, for programs."""
    print(json.dumps(json_ready(value), indent=1))


def warn(options: Namespace, texts: Iterable[str]) -> None:
    """Print warnings to standard error, and count them for `refuse_if_strict`."""
    for text in texts:
        print(f"warning: {text}", file=sys.stderr)
        options.warned = getattr(options, "warned", 0) + 1


def refuse_if_strict(options: Namespace) -> None:
    """Raises: EvaluationError if there were warnings, and --strict allows none."""
    if options.strict and (number := getattr(options, "warned", 0)):
        raise EvaluationError(f"{counted(number, 'warning')}, and --strict allows none")


def show_progress(done: int, of: int, what: str) -> None:
    """How far it is, on one line of a terminal, which is cleared at the end."""
    if sys.stderr.isatty():
        end = "\r" + " " * 40 + "\r" if done == of else ""
        print(f"\r{done:,} of {of:,} {what}{end}", end="", file=sys.stderr, flush=True)


class StageLine:
    """Context that shows how far a stage is on one line of a terminal, cleared at its end; called as a `Stage`."""

    def __enter__(self) -> StageLine:
        return self

    def __exit__(self, *error: object) -> None:
        _clear()

    def __call__(self, title: str, total: int | None, unit: str) -> Advance:
        _clear()
        so_far, told = 0, 0.0

        def advance(done: int) -> None:
            nonlocal so_far, told
            so_far += done
            if sys.stderr.isatty() and monotonic() - told > BETWEEN:
                told = monotonic()
                of = f" of {total:,}" if total else ""
                print(f"\r{title}: {so_far:,}{of} {unit}\033[K", end="", file=sys.stderr, flush=True)

        return advance


def _clear() -> None:
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Context in which a file or folder is written. Raises: EvaluationError if it can't be."""
    try:
        yield
    except OSError as error:
        raise EvaluationError(f"{path} cannot be written: {error.strerror}") from error


def write_text(path: Path, lines: Iterable[str]) -> None:
    """Write a file, gzipped if its name ends in .gz. Raises: EvaluationError if it can't be written."""
    opened = gzip.open if path.suffix == ".gz" else open
    with writing(path), opened(path, "wt") as file:
        file.writelines(lines)


def write_files(folder: Path, texts: Mapping[str, str]) -> None:
    """Write texts by file name into a folder, which is made. Raises: EvaluationError if it can't be written."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
