"""`manage.py check_release DIR`."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.releases.check_release import check_release, verdict
from foundation.infra.progress import StageBars


class Command(BaseCommand):
    help = (
        "Check a release in a folder from its files alone: hashes, every grade by the raw annotations, no query in two "
        "splits, all formats alike. Reads no database and changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", metavar="DIR", type=Path, help="where export_release wrote it")

    def handle(self, *args: Any, **options: Any) -> None:
        with StageBars() as bars:
            problems = check_release(options["folder"], bars)
        for problem in problems:
            self.stderr.write(problem)
        if problems:
            raise CommandError(verdict(str(options["folder"]), problems))
        self.stdout.write(verdict(str(options["folder"]), problems))
