"""`manage.py upgrade [--backup-to TARGET | --backup-if-set | --no-backup]`, `--announce`, `--cancel`, `--check`."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from foundation.collections.command import RefusingCommand
from operation.upgrade import perform


class Command(RefusingCommand):
    help = (
        "Bring the database to this version: announce it to everybody, wait for jobs, make a backup, migrate, check."
        " Broken off, the site stays closed, and the command goes on where it stopped when it is called again."
    )
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        backup = parser.add_mutually_exclusive_group()
        backup.add_argument(
            "--backup-to", default="", metavar="TARGET", help="where the backup goes (QREELS_BACKUP_TO)"
        )
        backup.add_argument("--no-backup", action="store_true", help="make none: you have one")
        backup.add_argument(
            "--backup-if-set", action="store_true", help="make one where QREELS_BACKUP_TO is set, else none"
        )
        parser.add_argument(
            "--wait", type=float, default=300, metavar="SECONDS", help="for jobs that are at work (300)"
        )
        only = parser.add_mutually_exclusive_group()
        only.add_argument(
            "--announce", action="store_true", help="only have this machine say it, before new code comes"
        )
        only.add_argument("--cancel", action="store_true", help="only take that back, if the tables are this version's")
        only.add_argument("--check", action="store_true", help="only see whether the tables are this version's")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["announce"]:
            perform.announce()
            self.stdout.write("The site says that it is being upgraded, and workers of this machine begin no job.")
        elif options["cancel"]:
            perform.cancel()
            self.stdout.write("The site is open again.")
        elif options["check"]:
            perform.check()
        elif perform.upgrade(
            backup_to=options["backup_to"],
            without_backup=options["no_backup"] or (options["backup_if_set"] and not settings.BACKUPS.place),
            patience=options["wait"],
            say=self.stdout.write,
        ):
            self.stdout.write(
                "Restart the server and the workers: those of older code take no request and no job any longer."
            )
