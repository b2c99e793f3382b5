"""`manage.py backup TARGET`."""

import sys
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from tqdm import tqdm

from foundation.collections.command import RefusingCommand
from foundation.counted import counted
from operation.backup.jobs import note_made
from operation.backup.make_backup import claim, make_backup, remove_old
from operation.backup.sealing import Seal
from operation.backup.stores import open_store


class Command(RefusingCommand):
    help = (
        "Make a backup of the database, the storage's files and the uploaded videos, as of one moment, while people"
        " work. Files that are there from an earlier one aren't copied again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("target", help="a folder or s3://BUCKET/PREFIX; many backups lie there together")
        parser.add_argument(
            "--remove-old",
            action="store_true",
            help="then remove backups beyond QREELS_BACKUP_DAYS and QREELS_BACKUP_WEEKS",
        )

        parser.add_argument(
            "--take-over",
            action="store_true",
            help="this database replaces the one whose backups lie there, as after a restore",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        seal = Seal(settings.BACKUPS.key)
        where = open_store(options["target"])
        if options["take_over"]:
            claim(where, seal)
        with tqdm(desc="Files", unit="", disable=not sys.stderr.isatty()) as bar:

            def told(done: int, total: int) -> None:
                bar.total = total
                bar.update(done - bar.n)

            manifest = make_backup(place=where, seal=seal, told=told)
        note_made(address=where.address, backup=manifest.backup, size=manifest.bytes)
        gone = []
        if options["remove_old"]:
            schedule = settings.BACKUPS
            gone = remove_old(place=where, seal=seal, days=schedule.days, weeks=schedule.weeks)
        self.stdout.write(
            f"{where.address} has the backup {manifest.backup}: {counted(len(manifest.files), 'file')},"
            f" {manifest.bytes / 1e6:,.0f} MB, and the database with {counted(sum(manifest.rows.values()), 'row')}."
        )
        for name in manifest.lost:
            self.stderr.write(f"The storage has lost {name}, so the backup hasn't got it.")
        for backup in gone:
            self.stdout.write(f"Removed: {backup}")
