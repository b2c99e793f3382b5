"""`manage.py replay_consensus COLLECTION`."""

from typing import Any, get_args

from django.core.management.base import CommandError, CommandParser

from annotation.batches.transitions import rule_of
from annotation.consensus import Kind, Rounding
from annotation.review.consensus_replay import ASKED, another_rule, in_words, replay_collection
from foundation.collections.command import CollectionCommand
from foundation.counted import counted


class Command(CollectionCommand):
    studies_too = True
    help = "Apply another consensus rule to the stored judgments and show what would change; nothing is changed."

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--rule", dest="kind", choices=get_args(Kind), help="which kind of rule decides")
        parser.add_argument("--first-round", type=int, metavar="N", help="people who judge each pair")
        parser.add_argument("--second-round", type=int, metavar="N", help="others who judge a pair in dispute")
        parser.add_argument("--largest-difference", type=int, metavar="D", help="grades agree when at most this apart")
        parser.add_argument("--trimmed", type=int, metavar="N", help="grades that the paper's rule drops at each end")
        parser.add_argument("--rounding", choices=get_args(Rounding), help="how a mean between two grades is rounded")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        asked = {name: options[name] for name in ASKED}
        try:
            rule = another_rule(rule_of(collection), asked)
        except ValueError as error:
            raise CommandError(str(error)) from error
        replayed = replay_collection(collection=collection, rule=rule)
        self.stdout.write(
            f"{counted(replayed.pairs, 'pair')} with {counted(replayed.judgments, 'judgment')}: "
            f"{replayed.changed:,} would change, "
            f"{replayed.undecided:,} of them would need more judgments."
        )
        for count, before, after in replayed.ordered:
            self.stdout.write(f"  {count:>9,}  {in_words(before)} -> {in_words(after)}")
