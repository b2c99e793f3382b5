"""`manage.py evidence_use COLLECTION`."""

import csv
import json
from typing import Any

from django.core.management.base import CommandParser

from annotation.judging.evidence_figures import COLUMNS, as_rows, compute_evidence_use
from foundation.collections.command import CollectionCommand


class Command(CollectionCommand):
    studies_too = True
    help = "Say whether what annotators used beside the picture goes with other grades, as CSV or JSON."

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="as JSON, unrounded")

    def handle(self, *args: Any, **options: Any) -> None:
        found = compute_evidence_use(self.collection(options["collection"]))
        if options["json"]:
            self.stdout.write(json.dumps(found, indent=1))
            return
        writer = csv.writer(self.stdout, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(as_rows(found))
