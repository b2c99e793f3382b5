"""`manage.py import_videos COLLECTION DIR`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from corpus.commanding import CollectionCommand
from corpus.videos import import_videos


class Command(CollectionCommand):
    help = "Tell each video of the collection its file: NAME.mp4 (or another container) in a folder."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("folder", metavar="DIR", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            report = import_videos(collection=self.collection(options["collection"]), folder=options["folder"])
        except NotADirectoryError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{report.matched:,} videos have their file.")
        self._list("videos without a file", report.without_file)
        self._list("files of no video of this collection", report.without_video)
        self._list("files that can't be read", report.unreadable)
        self._list(
            "videos whose file has another duration than stated",
            [f"{name} (stated {stated:.2f} s, real {real:.2f} s)" for name, stated, real in report.other_duration],
        )

    def _list(self, what: str, names: list[str]) -> None:
        if names:
            more = f" and {len(names) - 10:,} more" if len(names) > 10 else ""
            self.stdout.write(f"{len(names):,} {what}: {', '.join(names[:10])}{more}.")
