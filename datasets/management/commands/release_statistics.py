"""`manage.py release_statistics COLLECTION [--release NAME] [--json | --as md|tex|csv]`."""

import json
from typing import Any

from django.core.management.base import CommandParser

from datasets.content.statistics import release_statistics, texts_to_read
from datasets.releases.command import release_named
from evaluation.releases.statistics_tables import statistics_tables
from evaluation.releases.tables import WRITTEN
from foundation.collections.command import CollectionCommand
from foundation.models import Collection


class Command(CollectionCommand):
    help = "Print a collection's statistics as a paper's tables: as it stands, or as a release's manifest holds them."

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", metavar="NAME", help="a release's name; without it the present state")
        written = parser.add_mutually_exclusive_group()
        written.add_argument("--json", action="store_true", help="the figures as JSON")
        written.add_argument(
            "--as", dest="ending", choices=WRITTEN, default="md", help="the tables as Markdown, LaTeX or CSV"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        if options["release"] is None:
            statistics = self._present(collection)
        else:
            statistics = release_named(collection, options["release"]).manifest["statistics"]
        if options["json"]:
            self.stdout.write(json.dumps(statistics, ensure_ascii=False, indent=1))
            return
        for table in statistics_tables(statistics):
            written = WRITTEN[options["ending"]][1](table)
            self.stdout.write(_heading(table.title, options["ending"]) + written)

    def _present(self, collection: Collection) -> dict[str, Any]:
        with self.bar(total=texts_to_read(collection), unit="texts", title="Reading texts") as bar:
            return release_statistics(collection=collection, progress=bar.update)


def _heading(title: str, ending: str) -> str:
    return {"md": f"## {title}\n\n", "tex": "", "csv": f"# {title}\n"}[ending]
