"""`manage.py gold COLLECTION [FILE]`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.gold.exam_gold import add_exam
from annotation.gold.gold_list import add_file, gold_of
from foundation.collections.command import CollectionCommand, reading_files
from foundation.counted import counted
from foundation.models import Membership


class Command(CollectionCommand):
    help = (
        "Make pairs gold by a file: CSV or JSON Lines of pair_id, grade and perhaps explanation. The pairs are decided "
        "and their batches finished. Or an exam's items. Without either: how many are gold."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", nargs="?", type=Path, help="the pairs and their known grades")
        parser.add_argument("--exam", type=int, help="the number of an exam whose items become gold by their truth")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        if options["file"] is not None or options["exam"] is not None:
            lead = Membership.objects.filter(collection=collection, role__in=["owner", "lead"]).order_by("pk").first()
            if lead is None:
                raise CommandError(f"{collection.name} has no lead, by whom the list would be")
            if options["exam"] is not None:
                made = add_exam(lead=lead, number=options["exam"])
                self.stdout.write(f"{counted(made, 'pair')} of exam {options['exam']} added.")
            if options["file"] is not None:
                with reading_files(), options["file"].open("rb") as file:
                    added = add_file(lead=lead, file=file, name=options["file"].name)
                self.stdout.write(f"{counted(added.added, 'pair')} added, {added.unchanged:,} unchanged.")
        self.stdout.write(f"{counted(gold_of(collection).count(), 'pair')} of {collection.name} are gold.")
