"""The commands of ``python -m evaluation``: each module has NAME, its own, HELP, add_arguments, perform."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from importlib import import_module
from typing import Protocol, cast


class Command(Protocol):
    """What a command's module offers."""

    @property
    def NAME(self) -> str: ...

    @property
    def HELP(self) -> str: ...

    def add_arguments(self, parser: ArgumentParser) -> None: ...

    def perform(self, options: Namespace) -> int | None: ...


COMMANDS = (
    "score",
    "compare",
    "diff",
    "significance",
    "table",
    "report",
    "convert",
    "export",
    "fuse",
    "stability",
    "select",
    "pools",
    "certificate",
    "fragility",
    "audit",
    "estimate",
    "posteriors",
    "plan",
    "sampled",
    "settled",
    "verify",
)


def load(name: str) -> Command:
    """A command's module: importing them all takes longer than scoring a run."""
    return cast(Command, import_module(f"{__name__}.{name}"))
