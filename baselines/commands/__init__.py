"""The commands of ``python -m baselines``: each module has NAME, HELP, add_arguments, perform."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Protocol

from baselines.commands import copy, features, retrieve, table, train


class Command(Protocol):
    """What a command's module offers."""

    @property
    def NAME(self) -> str: ...

    @property
    def HELP(self) -> str: ...

    def add_arguments(self, parser: ArgumentParser) -> None: ...

    def perform(self, options: Namespace) -> None: ...


COMMANDS: tuple[Command, ...] = (features, train, retrieve, table, copy)
