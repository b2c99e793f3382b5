"""`manage.py hide_regions COLLECTION FILE`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from corpus.content.hiding import hide_regions
from foundation.collections.command import CollectionCommand, reading_files


class Command(CollectionCommand):
    help = (
        "Hide faces or other regions of videos in all clips, from CSV or JSON Lines of video, start, end and x, y, "
        "width, height (shares of the picture), or mask (a picture beside the file). Their clips go, to be cut anew."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="the file")

    def handle(self, *args: Any, **options: Any) -> None:
        collection, path = self.collection(options["collection"]), options["file"]
        with reading_files():
            changed = hide_regions(collection=collection, path=path)
        self.stdout.write(f"{changed:,} of the collection's videos changed. Cut their clips anew: cut_clips.")
