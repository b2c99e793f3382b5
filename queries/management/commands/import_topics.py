"""`manage.py import_topics COLLECTION FILE [--format FMT] [--split val|test]`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from corpus.description_formats.options import add_file
from foundation.collections.command import CollectionCommand, add_founding, founded, reading_files
from queries.topics.import_topics import import_topics
from queries.topics.readers import FORMATS, TopicFileChoices
from queries.topics.topic_rows import SPLITS


class Command(CollectionCommand):
    help = (
        "Import a file of topics, queries of their own, whole or not at all; the first import creates the collection. "
        "A corrected file changes topics whose judging isn't open. docs/topics.md describes the formats."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        add_file(parser, FORMATS)
        parser.add_argument(
            "--split", choices=SPLITS, default="test", help="of new topics that state none; test by default"
        )
        add_founding(parser, clips=True)

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        if not path.is_file():
            raise CommandError(f"{path} is not a file.")
        chosen = {name: options[name] or "" for name in ("format", "charset", "separator", "split")}
        # One transaction with the import: a refused file leaves no empty collection.
        with reading_files(), transaction.atomic(), self.bar(total=None, unit="topics", title="Importing") as bar:
            report = import_topics(
                collection=founded(options), path=path, choices=TopicFileChoices(**chosen), progress=bar.update
            )
        for remark in report.remarks:
            self.stdout.write(f"{remark}.")
        self.stdout.write(report.in_words())
