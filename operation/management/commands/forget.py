"""`manage.py forget [--now]`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from foundation.counted import counted
from operation.retention.forget import due_now, forget_now


class Command(BaseCommand):
    help = "Show what is kept about people, for how long, and what would go now; with --now it goes."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--now", action="store_true", help="let it go; a worker does the same every hour")

    def handle(self, *args: Any, **options: Any) -> None:
        for due in due_now():
            how_long = "for good" if due.days is None else f"{counted(due.days, 'day')} from when {due.since}"
            self.stdout.write(f"{due.name:9} {counted(due.rows, 'row'):>14} would go. {due.what}. Kept: {how_long}.")
        if not options["now"]:
            return
        for name, gone in forget_now():
            self.stdout.write(f"{name:9} {counted(gone, 'row'):>14} went.")
