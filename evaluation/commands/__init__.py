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
    export,
    fragility,
    fuse,
    plan,
    pools,
    posteriors,
    report,
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
    report,
    convert,
    export,
    fuse,
    stability,
    select,
    pools,
    certificate,
    fragility,
    audit,
    estimate,
    posteriors,
    plan,
    sampled,
    settled,
    verify,
)
