"""`manage.py estimate_board COLLECTION RELEASE SPLIT --judge J`."""

import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from datasets.guarantees.estimate import ask_for_estimate, estimate_board, judge_named
from datasets.guarantees.selectors import bias, measure_asked, orders, sources, warnings
from datasets.models import BoardEstimate
from datasets.releases.command import release_named
from evaluation.figures.text_table import figure, table
from foundation.collections.command import CollectionCommand


def family(option: str) -> tuple[str, str]:
    """RUN=FAMILY. Raises: ValueError."""
    name, sign, own = option.rpartition("=")
    if not sign or not name:
        raise ValueError(option)
    return name, own


class Command(CollectionCommand):
    help = (
        "Estimate the scores of a released split's runs from the queries that people judged and a machine judge's "
        "grades of all its queries, and say which orders are settled. It is an estimate and no ground truth."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("release", metavar="RELEASE", help="the release's name")
        parser.add_argument("split", metavar="SPLIT", choices=["val", "test"])
        parser.add_argument("--judge", metavar="NAME", required=True, help="the machine judge's name")
        parser.add_argument(
            "--family",
            metavar="RUN=FAMILY",
            type=family,
            action="append",
            default=[],
            help="a run's family, in place of what it declares; again for each run",
        )
        parser.add_argument("--measure", default="", help="the measure to print (default: the leaderboards' first one)")
        parser.add_argument("--json", action="store_true", help="print the whole result as one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        release = release_named(collection, options["release"])
        judge = judge_named(collection, options["judge"])
        job = ask_for_estimate(release=release, split=options["split"], judge=judge, families=dict(options["family"]))
        estimate_board(job.pk)
        job.refresh_from_db()
        if job.state == BoardEstimate.State.REFUSED:
            raise CommandError(job.problem)
        if job.result is None:
            raise CommandError("A worker is estimating it this moment: look at the leaderboard's page.")
        if options["json"]:
            self.stdout.write(json.dumps(job.result, indent=1))
            return
        self._print(job.result, measure_asked(job.result, options["measure"]))

    def _print(self, result: dict[str, Any], measure: str) -> None:
        board = result["boards"][measure]
        self.stdout.write(f"{result['release']} {result['split']}, {result['what']}")
        for line in (*warnings(result), bias(result["judge"]["name"], board), *sources(result)):
            self.stdout.write(line)
        rows = [
            [
                own["run"],
                figure(own["estimate"]),
                _ends(own),
                figure(own["people_only"]["estimate"]),
                _ends(own["people_only"]),
            ]
            for own in board["runs"]
        ]
        self.stdout.write(f"\n{measure}\n\n{table(['run', 'estimate', 'interval', 'people only', 'interval'], rows)}\n")
        if board["in_words"]:
            self.stdout.write(board["in_words"])
        for sentence, _warns in orders(result["judge"]["family"], board["family"]):
            self.stdout.write(sentence)


def _ends(own: dict[str, float]) -> str:
    return f"[{figure(own['low'])}, {figure(own['high'])}]"
