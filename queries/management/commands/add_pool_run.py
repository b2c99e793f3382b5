"""`manage.py add_pool_run COLLECTION FILE --team TEAM --system SYSTEM`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from foundation.collections.command import CollectionCommand
from queries.runs.add_run import add_run
from queries.runs.received_run import VIDEOS_HELP, run_here


class Command(CollectionCommand):
    help = (
        "Add a system's run to a collection, for its pool: JSON Lines, TVR-Ranking's or TREC's, gzipped or not. The "
        "same file again changes nothing. For a leaderboard: add_run."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="the run")
        parser.add_argument("--videos", metavar="FILE", type=Path, help=VIDEOS_HELP)
        parser.add_argument("--team", required=True, help="who made the system")
        parser.add_argument("--system", required=True, help="the system's name, one run each")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        with (
            run_here(options["file"], options["videos"]) as path,
            self.bar(total=None, unit="queries", title="Storing") as bar,
        ):
            added = add_run(
                collection=collection,
                path=path,
                file_name=options["file"].name,
                team=options["team"],
                system=options["system"],
                progress=bar.update,
            )
        self.stdout.write(added.in_words())
