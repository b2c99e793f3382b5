"""`manage.py measure_leakage COLLECTION [--worst N] [--csv FILE] [--json]`."""

import json
from dataclasses import astuple
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from datasets.content.leakage import WORST, leakage_report, nearest_captions, present_leakage
from datasets.formats.material import create_csv
from datasets.releases.leakage_csv import COLUMNS
from foundation.collections.command import CollectionCommand, writing_files
from foundation.counted import counted
from foundation.infra.progress import StageBars


class Command(CollectionCommand):
    help = (
        "Compare every val and test query with every pseudo-training caption, and say how near they come: by the "
        "cosine of their vectors, exactly, as the collection stands. Vectors that aren't known are made first."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help=f"the figures and the worst {WORST} as JSON")
        parser.add_argument("--csv", type=Path, metavar="FILE", help="write the nearest caption of every query")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        if not collection.queries.exists():
            raise CommandError("no queries are drawn yet: draw queries or add topics first")
        with StageBars() as bars:
            leakage = present_leakage(collection, stage=bars)
        report = leakage_report(collection, leakage)
        if options["csv"] is not None:
            with writing_files(), create_csv(options["csv"], COLUMNS) as writer:
                writer.writerows(map(astuple, nearest_captions(collection, leakage, leakage.queries)))
        if options["json"]:
            self.stdout.write(json.dumps(report, ensure_ascii=False, indent=1))
            return
        self._tell(report)

    def _tell(self, report: dict[str, Any]) -> None:
        self.stdout.write(f"Cosines by {report['encoder']}, pooling: {report['pooling']}.")
        for part, whose in (("val", "queries"), ("test", "queries"), ("training", "pseudo-training queries")):
            counts = report[part]
            told = ", ".join(
                f"{found['queries']:,} from {level}" + ("" if found["share"] is None else f" ({found['share']:.1%})")
                for level, found in counts["from"].items()
            )
            self.stdout.write(f"{part}: {counts['compared']:,} of {counts['queries']:,} {whose} compared; {told}.")
        self.stdout.write(f"{counted(len(report['worst']), 'query that comes', 'queries that come')} nearest:")
        for row in report["worst"]:
            self.stdout.write(
                f"  {row['cosine']:.3f}  {row['split']} {row['query_id']}: {row['query']} | "
                f"training {row['training_query_id']}: {row['training_query']}"
            )
