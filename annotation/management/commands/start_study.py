"""`manage.py start_study --collection COLLECTION --kind pilot|depth [--queries N] [--seed S]`."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.models import Pair, Study
from annotation.studies.services import start_study
from foundation.collections.command import CollectionCommand
from foundation.counted import counted


class Command(CollectionCommand):
    help = (
        "Start a pilot or a depth study of a collection: annotators judge it beside the collection, and it "
        "never counts. If one of that kind is being judged already, the command names it and starts nothing."
    )
    made_sentences = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--collection", required=True, metavar="COLLECTION", help="the collection's short name")
        parser.add_argument("--kind", required=True, choices=Study.Kind.values)
        parser.add_argument(
            "--queries", type=int, metavar="N", help="number of queries; default 5 for a pilot, 10 for a depth study"
        )
        parser.add_argument("--seed", type=int, metavar="S", help="seed of the draw; default the study's number")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        with self.bar(total=None, unit="texts", title="Encoding and ranking") as bar:

            def step(done: int, total: int) -> None:
                bar.total = total
                bar.update(done - bar.n)

            study = start_study(
                collection=collection,
                kind=options["kind"],
                queries=options["queries"],
                seed=options["seed"],
                step=step,
            )
        if study.made is None:
            self.stdout.write(f"{study} of {collection.name} is being made by another process right now.")
            return
        pairs = Pair.objects.filter(batch__collection=study.made).count()
        where = "outside the splits" if study.outside else "val or test queries among them"
        self.stdout.write(
            f"{study} of {collection.name} is open for judging as {study.made.name}: "
            f"{counted(study.made.queries.count(), 'query', 'queries')} ({where}; seed {study.seed}), "
            f"{counted(pairs, 'pair')}. Nothing of it counts."
        )
