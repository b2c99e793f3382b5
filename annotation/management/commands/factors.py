"""`manage.py factors COLLECTION [FILE | --paper] [--asked WHEN] [--retire KEY]`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.factors.declared import declare_factors, declared_in, factors_of, retire_factor
from annotation.factors.texts import paper_factors
from annotation.factors.whole_files import read_factors
from foundation.collections.command import CollectionCommand
from foundation.models import Collection, FactorsAsked


class Command(CollectionCommand):
    help = (
        "Show a collection's factors, the questions that annotators answer after a grade; declare those of a file in "
        "the place of those that it has, CSV or JSON Lines of key, name, question, answers (with | between them), "
        "language, may_skip; or retire one. Once something is judged they can only be retired."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        source = parser.add_mutually_exclusive_group()
        source.add_argument("file", nargs="?", type=Path, help="the factors to declare")
        source.add_argument("--paper", action="store_true", help="declare the three of the paper's appendix B.1")
        source.add_argument("--retire", metavar="KEY", help="ask this one no more, for good")
        parser.add_argument("--asked", choices=FactorsAsked.values, help="after which grades they are asked")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        try:
            self._change(collection, options)
        except OSError as fault:
            raise CommandError(f"Nothing was changed. {options['file']}: {fault.strerror}") from fault
        collection.refresh_from_db()
        factors = factors_of(collection)
        self.stdout.write(f"Asked: {FactorsAsked(collection.factors_asked).label}." if factors else "There are none.")
        for factor in factors:
            answers = ", ".join(f"{value} {answer}" for value, answer in enumerate(factor.answers))
            more = ", can't say" if factor.may_skip else ""
            also = f"; also in {', '.join(factor.languages)}" if factor.languages else ""
            retired = f", retired {factor.retired_at:%Y-%m-%d}" if factor.retired_at else ""
            self.stdout.write(f"  {factor.key}: {factor.question} ({answers}{more}{also}){retired}")

    def _change(self, collection: Collection, options: dict[str, Any]) -> None:
        if options["retire"]:
            retire_factor(collection=collection, key=options["retire"])
            return
        if options["file"]:
            with options["file"].open("rb") as file:
                factors = read_factors(file, str(options["file"]))
        elif options["paper"]:
            factors = paper_factors()
        elif options["asked"]:
            factors = declared_in(collection)
        else:
            return
        declare_factors(collection=collection, factors=factors, asked=options["asked"])
