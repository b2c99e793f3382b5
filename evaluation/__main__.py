"""``python -m evaluation``, installed alone ``qreels-eval``: its commands."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from .commands import COMMANDS, load
from .errors import EvaluationError

INSTALLED = "qreels-eval"


def parser(names: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """The command line with these commands."""
    whole = argparse.ArgumentParser(
        prog=INSTALLED if Path(sys.argv[0]).name == INSTALLED else "python -m evaluation",
        description="Score, compare, tabulate and convert runs of ranked video moment retrieval, "
        "and ask how far a measure can be trusted.",
    )
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in map(load, names):
        command_parser = commands.add_parser(command.NAME, help=command.HELP, description=command.HELP)
        command.add_arguments(command_parser)
        command_parser.set_defaults(perform=command.perform)
    return whole


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit code: 0, 1 for what doesn't hold, 2 for bad input (told on standard error)."""
    arguments = sys.argv[1:] if arguments is None else arguments
    options = parser([name for name in arguments[:1] if name in COMMANDS] or COMMANDS).parse_args(arguments)
    try:
        code: int | None = options.perform(options)
        sys.stdout.flush()
    except EvaluationError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        # Keep the interpreter from complaining too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # whoever read us (head, less) has seen enough
            print(f"error: standard output cannot be written: {error.strerror}", file=sys.stderr)
            return 2
        return 0
    return code or 0


if __name__ == "__main__":
    sys.exit(main())
