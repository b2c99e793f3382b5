#!/usr/bin/env python
"""Django's command line. Without DATABASE_URL it starts, or joins, the embedded PostgreSQL under var/."""

import os
import signal
import subprocess
import sys
from types import FrameType


class Terminated(KeyboardInterrupt):
    """SIGTERM: ends a command as Ctrl-C does, so that psycopg cancels the statement it waits for."""


def terminate(number: int, frame: FrameType | None) -> None:
    """The first SIGTERM ends the command in order, a second one at once."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    raise Terminated


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        from config.embedded import ensure_database
    except ImportError as error:
        sys.exit(f"{error}\nThe virtual environment is missing or half installed: run script/demo once.")
    from django.core.management import execute_from_command_line

    from config.variables import BadVariables

    signal.signal(signal.SIGTERM, terminate)
    try:
        # Commands that only describe or check the code need no server.
        if not {"--help", "-h", "help", "version", "--version"} & set(sys.argv[1:]) and len(sys.argv) > 1:
            ensure_database()
        # Once: the process that it starts anew at every change has RUN_MAIN.
        if sys.argv[1:2] == ["runserver"] and "RUN_MAIN" not in os.environ:
            subprocess.run([sys.executable, sys.argv[0], "owner_link", "--at-start"], check=False)
        execute_from_command_line(sys.argv)
    except BadVariables as error:
        # Nothing can run with them, the check neither: it says the same by itself.
        print(f"{error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt as stop:
        print("\nStopped. What was not finished was not kept; the same command goes on from there.", file=sys.stderr)
        sys.exit(128 + (signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT))


if __name__ == "__main__":
    main()
