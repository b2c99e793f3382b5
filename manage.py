#!/usr/bin/env python
"""Django's command line. Without DATABASE_URL it starts, or joins, the embedded PostgreSQL under var/."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        from config.embedded import ensure_database
    except ImportError as error:
        sys.exit(f"{error}\nThe virtual environment is missing or half installed: run script/demo once.")
    from django.core.management import execute_from_command_line

    # Commands that only describe or check the code need no server.
    if not {"--help", "-h", "help", "version", "--version"} & set(sys.argv[1:]) and len(sys.argv) > 1:
        ensure_database()
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
