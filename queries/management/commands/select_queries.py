"""`manage.py select_queries COLLECTION --val N --test N --seed S`."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from corpus.commanding import CollectionCommand
from queries.selection import SelectionError, select_queries, training_descriptions


class Command(CollectionCommand):
    help = "Draw the val and test queries at random from the distinct captions. The same draw again changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--val", type=int, required=True, metavar="N")
        parser.add_argument("--test", type=int, required=True, metavar="N")
        parser.add_argument("--seed", type=int, required=True, metavar="S")
        parser.add_argument("--redraw", action="store_true", help="throw a standing draw away (before judging only)")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        try:
            drawn = select_queries(
                collection=collection,
                val=options["val"],
                test=options["test"],
                seed=options["seed"],
                redraw=options["redraw"],
            )
        except SelectionError as error:
            raise CommandError(str(error)) from error
        state = "drawn" if drawn.anew else "were drawn already"
        self.stdout.write(
            f"{drawn.val:,} val and {drawn.test:,} test queries {state} from {drawn.captions:,} distinct captions; "
            f"{training_descriptions(collection).count():,} pseudo-training queries are left."
        )
