"""`manage.py restore SOURCE [--backup ID] [--verify] [--key FILE] [--secret FILE] [--unsigned]`."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from tqdm import tqdm

from foundation.collections.command import RefusingCommand
from foundation.counted import counted
from operation.backup.authenticity import read_secret
from operation.backup.make_backup import backups_of
from operation.backup.restore import chosen, restore, verify
from operation.backup.sealing import Seal, read_secret_keys
from operation.backup.stores import open_store


class Command(RefusingCommand):
    help = "Bring a backup back into an empty installation, or try it beside the running one with --verify."
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("source", help="the folder or s3://BUCKET/PREFIX that backups were made to")
        parser.add_argument("--backup", default="", help="its id, e.g. 20261122T031500Z; the newest without it")
        parser.add_argument("--list", action="store_true", help="print the ids of the backups there, and nothing else")
        parser.add_argument(
            "--verify",
            action="store_true",
            help="read every file, restore the database into one that is dropped again, and count its rows",
        )
        parser.add_argument("--key", type=Path, help="the file with the secret age key of encrypted backups")
        parser.add_argument(
            "--secret",
            type=Path,
            help="a file with the QREELS_SECRET_KEY of the site that made the backup, where this one has another",
        )
        parser.add_argument(
            "--unsigned",
            action="store_true",
            help="take a backup without a signature, of a place where nobody else could write",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        where = open_store(options["source"])
        if options["list"]:
            for backup in backups_of(where):
                self.stdout.write(backup)
            return
        seal = Seal(
            secrets=read_secret_keys(options["key"]) if options["key"] else (),
            signer=read_secret(options["secret"]) if options["secret"] else "",
            unsigned=options["unsigned"],
        )
        manifest = chosen(where, seal, options["backup"])
        with tqdm(desc="Files", unit="", disable=not sys.stderr.isatty()) as bar:

            def told(stage: str, done: int, total: int) -> None:
                bar.set_description(stage.capitalize())
                bar.total, bar.n = total, done
                bar.refresh()

            if options["verify"]:
                verify(place=where, seal=seal, manifest=manifest, told=told)
                self.stdout.write(
                    f"The backup {manifest.backup} can be restored: {counted(len(manifest.files), 'file')} and"
                    f" {counted(sum(manifest.rows.values()), 'row')} are as its manifest says."
                )
                return
            problems = restore(place=where, seal=seal, manifest=manifest, told=told)
        self.stdout.write(
            f"The backup {manifest.backup} is restored: {counted(len(manifest.files), 'file')} and"
            f" {counted(sum(manifest.rows.values()), 'row')}. Everybody has to log in again."
        )
        for problem in problems:
            self.stderr.write(problem)
