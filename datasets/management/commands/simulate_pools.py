"""`manage.py simulate_pools RELEASE RUN... [--split val|test]`."""

from argparse import Namespace
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from datasets.releases.similarity_ranker import similarity_ranker
from evaluation.commands.pools import add_replay_arguments, replay_and_print
from evaluation.errors import EvaluationError
from evaluation.reading import read_ground_truth


class Command(BaseCommand):
    help = (
        "Replay recipes of a pool over a release's split: what share of the relevant moments each would have found, "
        "with how many judgments, from the runs and from the similarity of captions that the release was made with. "
        "Reads no database and changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("release", metavar="RELEASE", type=Path, help="the folder, where export_release wrote it")
        add_replay_arguments(parser)
        parser.add_argument("--split", choices=("val", "test"), default="test", help="the split that the runs are for")
        parser.add_argument(
            "--runs-only", action="store_true", help="without the similarity of captions as the first ranker"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["release"] / f"{options['split']}.json"
        if not path.is_file():
            raise CommandError(f"{options['release']}: found no {path.name}, expected the folder of a release.")
        try:
            ground_truth = read_ground_truth(path)
            rankers = [] if options["runs_only"] else [similarity_ranker(path)]
            replay_and_print(Namespace(**options), ground_truth, rankers)
        except EvaluationError as error:
            raise CommandError(str(error)) from error
