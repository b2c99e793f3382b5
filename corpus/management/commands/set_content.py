"""`manage.py set_content COLLECTION FILE`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from corpus.content.marks import mark_videos
from foundation.collections.command import CollectionCommand


class Command(CollectionCommand):
    help = (
        "Mark videos with kinds of content that people may not want to see, and with a minimum age, from CSV or JSON "
        "Lines of video, content (kinds separated by commas), minimum_age. Videos without a row stay as they are."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE", type=Path, help="the file")

    def handle(self, *args: Any, **options: Any) -> None:
        collection, path = self.collection(options["collection"]), options["file"]
        try:
            changed = mark_videos(collection=collection, path=path)
        except OSError as error:
            raise CommandError(f"{path} can't be read: {error.strerror}.") from error
        self.stdout.write(f"{changed:,} of the collection's videos changed.")
