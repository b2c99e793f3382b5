"""`manage.py set_content COLLECTION FILE`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from corpus.content.marks import mark_videos
from foundation.collections.command import CollectionCommand, reading_files


class Command(CollectionCommand):
    help = (
        "Mark videos with kinds of content that people may not want to see, and with a minimum age, from CSV or JSON "
        "Lines of video, content (kinds separated by commas), minimum_age. Videos without a row stay as they are."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="the file")

    def handle(self, *args: Any, **options: Any) -> None:
        collection, path = self.collection(options["collection"]), options["file"]
        with reading_files():
            changed = mark_videos(collection=collection, path=path)
        self.stdout.write(f"{changed:,} of the collection's videos changed.")
