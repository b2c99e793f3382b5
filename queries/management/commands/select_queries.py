"""`manage.py select_queries COLLECTION --val N --test N --seed S [--stratify BY | --each-caption]`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evaluation.formats.video_names import show_of
from foundation.collections.command import CollectionCommand
from queries.pooling.query_selection import Strata, in_words, query_captions, select_queries
from queries.pooling.strata import BadStrata, read_attribute


class Command(CollectionCommand):
    help = (
        "Draw the val and test queries at random from the captions, no two equal. The same draw again changes nothing."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--val", type=int, required=True, metavar="N")
        parser.add_argument("--test", type=int, required=True, metavar="N")
        parser.add_argument("--seed", type=int, required=True, metavar="S")
        chances = parser.add_mutually_exclusive_group()
        chances.add_argument(
            "--each-caption",
            action="store_true",
            help="give equal captions a chance each, as in the paper; otherwise they have one together",
        )
        chances.add_argument(
            "--stratify",
            default="",
            metavar="show|FILE.csv:COLUMN",
            help="give every show (taken from the videos' names) its share of each split; or every value of "
            "COLUMN in a CSV file that names the videos in a column video_name",
        )
        parser.add_argument("--redraw", action="store_true", help="replace the existing draw (before judging only)")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        strata = _strata(options["stratify"])
        with self.bar(total=query_captions(collection).count(), unit="captions", title="Reading captions") as bar:
            drawn = select_queries(
                collection=collection,
                val=options["val"],
                test=options["test"],
                seed=options["seed"],
                strata=strata,
                each_caption=options["each_caption"],
                redraw=options["redraw"],
                progress=bar.update,
            )
        self.stdout.write(in_words(collection, drawn))


def _strata(asked: str) -> Strata | None:
    if asked in ("", "show"):
        return Strata(show_of, "show") if asked else None
    path, _, column = asked.rpartition(":")
    if not path or not column:
        raise BadStrata(f"found --stratify {asked}, expected show, or FILE.csv:COLUMN")
    values, named = read_attribute(Path(path), column)
    return Strata(values.get, named)
