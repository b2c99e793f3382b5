"""`manage.py set_cast COLLECTION FILE`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from corpus.description_formats.charsets import whole_text
from corpus.description_formats.rows import Unreadable
from foundation.collections.command import CollectionCommand, reading_files
from foundation.collections.members import set_cast


class Command(CollectionCommand):
    help = (
        "Set the cast of a collection's videos, so that rewriters and checks know their names and genders: "
        'a text file with a line "Name, f", "Name, m" or "Name, ?" each. The whole list is replaced.'
    )

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, nargs="?", help="the cast list")
        parser.add_argument("--context", metavar="TEXT", help="what a rewriter should know besides: the shows' names")

    def handle(self, *args: Any, **options: Any) -> None:
        path, context = options["file"], options["context"]
        if path is None and context is None:
            raise CommandError("Nothing to set: give a FILE with the cast, or --context TEXT.")
        collection = self.collection(options["collection"])
        try:
            with reading_files():
                cast = whole_text(path.read_bytes()) if path else None
        except Unreadable as end:
            raise CommandError(str(end.fault.at(str(path), end.line))) from end
        try:
            members = set_cast(collection=collection, cast=cast, context=context, source=path.name if path else "cast")
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{collection.title} has a cast of {members:,}.")
