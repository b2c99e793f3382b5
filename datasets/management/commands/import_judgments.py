"""`manage.py import_judgments COLLECTION FILE`."""

from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from datasets.judgment_import.formats import FORMATS
from datasets.judgment_import.import_judgments import import_judgments
from datasets.judgment_import.label_studio import RATINGS
from foundation.collections.command import CollectionCommand
from foundation.collections.members import get_or_create_collection


class Command(CollectionCommand):
    help = (
        "Import judgments made elsewhere, whole or not at all: raw_annotations.csv of TVR-Ranking's form, Label "
        "Studio's export (JSON or CSV), or TREC qrels. Queries and pairs that the collection lacks are created, and so "
        "is the collection; the queries and moments of qrels have to be there."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument(
            "--format", default="", choices=sorted(FORMATS), help="by default detected from the content"
        )
        parser.add_argument(
            "--split", default="test", choices=["val", "test"], help="of queries that the collection lacks (test)"
        )
        parser.add_argument(
            "--ratings",
            default="1-5",
            choices=sorted(RATINGS),
            help="which of Label Studio's ratings stand for the grades 0-4 (1-5: its first star is grade 0)",
        )
        parser.add_argument("--title", default="", help="the collection's title, when this import creates it")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        if not path.is_file():
            raise CommandError(f"{path} is not a file.")
        try:
            # One transaction with the import: a refused file leaves no empty collection.
            with transaction.atomic(), self.bar(total=None, unit="judgments", title="Importing") as bar:
                report = import_judgments(
                    collection=get_or_create_collection(
                        name=options["collection"], title=options["title"], has_clips=False
                    ),
                    path=path,
                    format_name=options["format"],
                    split=options["split"],
                    ratings=options["ratings"],
                    progress=bar.update,
                    step=bar.set_postfix_str,
                )
        except ValidationError as error:
            raise CommandError(f"{options['collection']!r} can't name a collection: {error.messages[0]}") from error
        for sentence in report.sentences:
            self.stdout.write(sentence)
