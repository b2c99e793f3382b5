"""`manage.py compare_releases COLLECTION A B [--json | --csv]`."""

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError, CommandParser

from datasets.releases.archive import DamagedArchive
from datasets.releases.command import release_named
from datasets.releases.diff import compare_releases, write_csv
from foundation.collections.command import CollectionCommand


class Command(CollectionCommand):
    help = "Show what changed from one release to another: queries, pairs and grades, and what the manifests state."

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("first", metavar="A", help="the earlier release's name")
        parser.add_argument("second", metavar="B", help="the later release's name")
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--json", action="store_true", help="everything as JSON")
        form.add_argument("--csv", action="store_true", help="as CSV, one row per difference")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        first, second = (release_named(collection, options[name]) for name in ("first", "second"))
        try:
            comparison = compare_releases(first, second)
        except DamagedArchive as error:
            raise CommandError(f"The releases can't be compared: {error}.") from error
        if options["csv"]:
            write_csv(comparison, self.stdout)  # type: ignore[arg-type]  # it has `write`, all that csv needs
            return
        if options["json"]:
            facts = {
                "from": first.name,
                "to": second.name,
                "counts": comparison.counts,
                "settings": comparison.settings,
            }
            facts["differences"] = [asdict(row) for row in comparison.rows]
            self.stdout.write(json.dumps(facts, ensure_ascii=False, indent=1))
            return
        self.stdout.write(f"From release {first.name} to {second.name} of {collection.name}:")
        for split, kinds in comparison.counts.items():
            for kind, changes in kinds.items():
                if any(changes.values()):
                    changed = ", ".join(f"{count:,} {change}" for change, count in changes.items() if count)
                    self.stdout.write(f"  {split}: {'queries' if kind == 'query' else kind + 's'} {changed}")
        for setting in comparison.settings:
            self.stdout.write(f"  {setting['name']}: {setting['before']} -> {setting['after']}")
        if not comparison.rows and not comparison.settings:
            self.stdout.write("  No differences.")
