"""The commands of ``python -m evaluation``: each module has NAME, HELP, add_arguments, perform."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Protocol

from ..commands import (
    audit,
    certificate,
    compare,
    convert,
    diff,
    estimate,
    plan,
    pools,
    posteriors,
    sampled,
    score,
    select,
    settled,
    significance,
    stability,
    table,
    verify,
)


class Command(Protocol):
    """What a command's module offers."""

    @property
    def NAME(self) -> str: ...

    @property
    def HELP(self) -> str: ...

    def add_arguments(self, parser: ArgumentParser) -> None: ...

    def perform(self, options: Namespace) -> int | None: ...


COMMANDS: tuple[Command, ...] = (
    score,
    compare,
    diff,
    significance,
    table,
    convert,
    stability,
    select,
    pools,
    certificate,
    audit,
    estimate,
    posteriors,
    plan,
    sampled,
    settled,
    verify,
)
