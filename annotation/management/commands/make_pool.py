"""`manage.py make_pool COLLECTION [--recipe R]`."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.batches.pools import make_pool, queries_to_pool
from foundation.collections.command import CollectionCommand
from foundation.models import Collection
from foundation.refused import Refused
from queries.runs.plans import IOU, LEAST_GRADE, set_plan


class Command(CollectionCommand):
    help = (
        "Choose candidates from the collection's runs by its recipe, and set the recipe before where --recipe says "
        "one. Repeating it chooses what is new; what is open for judging or judged stays. Then open judging."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--recipe", help="paper, depth@K, rrf, move-to-front, max-mean, or several joined by + (default: as it is)"
        )
        parser.add_argument(
            "--iou", type=float, default=IOU, help="overlap from which on spans are one moment (%(default)s)"
        )
        parser.add_argument(
            "--relevant",
            type=int,
            default=LEAST_GRADE,
            metavar="GRADE",
            help="grade from which on a moment counts as relevant for move-to-front and max-mean (%(default)s)",
        )
        parser.add_argument(
            "--review", action="store_true", help="every next batch waits for the lead, instead of following by itself"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        if options["recipe"] is not None:
            self._set(collection, options)
        try:
            with self.bar(total=queries_to_pool(collection).count(), unit="queries", title="Pooling") as bar:
                made = make_pool(collection=collection, progress=bar.update)
        except Refused as refusal:
            raise CommandError(f"The pool can't be made: {refusal}.") from refusal
        self.stdout.write(made.in_words())

    def _set(self, collection: Collection, options: dict[str, Any]) -> None:
        plan, anew = set_plan(
            collection=collection,
            recipe=options["recipe"],
            iou=options["iou"],
            least_grade=options["relevant"],
            by_itself=not options["review"],
        )
        if anew:
            self.stdout.write(f"The recipe is {plan.recipe} now, version {plan.version}.")
