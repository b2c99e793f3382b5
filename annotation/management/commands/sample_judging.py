"""`manage.py sample_judging COLLECTION --queries N | --pairs-per-query N ...`."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.batches.transitions import design_of
from annotation.models import MachineJudge, SamplingDesign
from annotation.sampling.designs import extend_design, make_design
from annotation.sampling.selectors import design_facts
from foundation.collections.command import CollectionCommand
from foundation.counted import counted
from foundation.models import Collection
from foundation.refused import Refused


class Command(CollectionCommand):
    help = (
        "Draw which queries, or which pairs of each query, people judge, with known probabilities; where a design is "
        "there, draw more of it. What was drawn stays. Then open judging."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        how = parser.add_mutually_exclusive_group(required=True)
        how.add_argument("--queries", type=int, metavar="N", help="how many queries are judged whole")
        how.add_argument(
            "--pairs-per-query",
            type=int,
            nargs="+",
            metavar="N",
            help="how many pairs of each query are judged: in all, or of each stratum",
        )
        strata = "by what units are told apart before they are drawn (default: by nothing)"
        parser.add_argument("--strata", choices=["split", "rank", "run", "machine"], default="", help=strata)
        parser.add_argument("--bands", type=int, nargs="+", default=[], metavar="RANK", help="last rank of each band")
        parser.add_argument("--judge", metavar="NAME", help="the machine judge whose grades are strata")
        parser.add_argument("--seed", type=int, default=1, help="of the permanent random numbers (%(default)s)")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        try:
            self._draw(collection, options)
        except Refused as refusal:
            raise CommandError(f"Nothing was drawn: {refusal}") from refusal
        facts = design_facts(collection)
        assert facts is not None
        unit = "query" if facts.unit == "query" else "pair"
        drawn = counted(facts.size, "query", "queries") if unit == "query" else counted(facts.size, "pair")
        self.stdout.write(f"{facts.drawn:,} of {drawn} are drawn, in {counted(len(facts.stages), 'stage')}.")
        for row in facts.of_strata:
            between = f"{row.least:.3f}" + (f" to {row.greatest:.3f}" if row.greatest > row.least else "")
            self.stdout.write(f"  {row.name}: {row.drawn:,} of {row.size:,}, probability {between}")

    def _draw(self, collection: Collection, options: dict[str, Any]) -> None:
        whole = options["queries"] is not None
        numbers = [options["queries"]] if whole else options["pairs_per_query"]
        unit = SamplingDesign.Unit.QUERY if whole else SamplingDesign.Unit.PAIR
        design = design_of(collection)
        if design is not None:
            if design.unit != unit:
                raise CommandError(f"The collection's design draws by {design.unit}, found another unit.")
            extend_design(design, numbers)
            return
        judge = None
        if options["judge"]:
            judge = MachineJudge.objects.filter(collection=collection, name=options["judge"]).first()
            if judge is None:
                raise CommandError(f"Found no machine judge named {options['judge']!r} in {collection.name}.")
        make_design(
            collection=collection,
            unit=unit,
            numbers=numbers,
            seed=options["seed"],
            strata=options["strata"],
            bands=options["bands"],
            judge=judge,
        )
