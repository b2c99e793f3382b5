"""``python -m baselines``: features, training, retrieval and tables for a release."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from baselines.commands import COMMANDS
from baselines.errors import BaselineError
from evaluation.errors import EvaluationError


def parser() -> argparse.ArgumentParser:
    """The command line with all its commands."""
    whole = argparse.ArgumentParser(
        prog="python -m baselines",
        description="Train systems of ranked video moment retrieval on a release, let them search, and tabulate "
        "what they score.",
    )
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        command_parser = commands.add_parser(command.NAME, help=command.HELP, description=command.HELP)
        command.add_arguments(command_parser)
        command_parser.set_defaults(perform=command.perform)
    return whole


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit code: 0, 2 for bad input (said on standard error), 130 after Ctrl-C."""
    options = parser().parse_args(arguments)
    try:
        options.perform(options)
        sys.stdout.flush()
    except (BaselineError, EvaluationError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped. The same command goes on from here.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Whoever read us (head, less) has seen enough; keep the interpreter from complaining too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    sys.exit(main())
