"""`manage.py import_descriptions COLLECTION FILE --format FMT`."""

from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from corpus.commanding import CollectionCommand
from corpus.importers import FORMATS, BadFile
from corpus.importing import import_descriptions
from corpus.services import get_or_create_collection


class Command(CollectionCommand):
    help = "Import a file of moment descriptions, whole or not at all; the first import creates the collection."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument("--format", required=True, choices=sorted(FORMATS), help="the file's format")
        parser.add_argument("--title", default="", help="the collection's title, when this import creates it")
        parser.add_argument(
            "--without-clips",
            action="store_true",
            help="when this import creates it: a collection whose moments have no clips to watch",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        if not path.is_file():
            raise CommandError(f"{path} is not a file.")
        try:
            # One transaction with the import: a refused file leaves no empty collection, made with options that
            # the next, corrected call could no longer change.
            with transaction.atomic(), self.bar(total=None, unit="descriptions", title="Importing") as bar:
                collection = get_or_create_collection(
                    name=options["collection"], title=options["title"], has_clips=not options["without_clips"]
                )
                report = import_descriptions(
                    collection=collection, path=path, format_name=options["format"], progress=bar.update
                )
        except ValidationError as error:
            raise CommandError(f"{options['collection']!r} can't name a collection: {error.messages[0]}") from error
        except BadFile as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"{report.added:,} descriptions added, {report.unchanged:,} unchanged; "
            f"{report.moments:,} new moments in {report.videos:,} new videos."
        )
