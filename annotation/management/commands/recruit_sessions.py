"""`manage.py recruit_sessions COLLECTION [--recruitment NUMBER] [--what sessions|approve|bonus] [--out FILE]`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.recruiting.files import FILES, file_of
from annotation.recruiting.recruitments import recruitments_of
from annotation.recruiting.sessions import session_rows, sessions_of
from foundation.collections.command import CollectionCommand, writing_files


class Command(CollectionCommand):
    help = (
        "Write what a recruitment's sessions come to: every figure as CSV, or what its platform takes to approve "
        "sessions or to pay bonuses. docs/recruiting.md describes it."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--recruitment", type=int, metavar="NUMBER", help="its number; default the newest")
        parser.add_argument("--what", choices=FILES, default="sessions", help="default sessions: every figure")
        parser.add_argument("--out", type=Path, metavar="FILE", help="default standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        some = recruitments_of(collection)
        found = some.first() if options["recruitment"] is None else some.filter(pk=options["recruitment"]).first()
        if found is None:
            known = ", ".join(f"{one.pk} ({one.name})" for one in some) or "none yet"
            raise CommandError(f"{collection.name} has no such recruitment. Recruitments: {known}.")
        sessions = list(sessions_of(found).order_by("pk"))
        made = file_of(options["what"], found.platform, session_rows(collection, sessions))
        if options["out"] is None:
            made.write(self.stdout, line_end="\n")
            return
        with writing_files(), options["out"].open("w", newline="", encoding="utf-8") as file:
            made.write(file)
        self.stdout.write(f"{len(sessions):,} sessions of {found.name}: {options['out']}")
