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
        for one in due_now():
            kept = "for good" if one.days is None else f"{counted(one.days, 'day')} from when {one.since}"
            self.stdout.write(f"{one.name:9} {counted(one.rows, 'row'):>14} would go. {one.what}. Kept: {kept}.")
        if not options["now"]:
            return
        for name, gone in forget_now():
            self.stdout.write(f"{name:9} {counted(gone, 'row'):>14} went.")
