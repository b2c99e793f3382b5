"""`manage.py import_judgments COLLECTION FILE`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from annotation.scale import scale_of
from datasets.judgment_import.import_judgments import import_judgments
from datasets.judgment_import.jobs import note_import
from datasets.judgment_import.repeated_ids import POLICIES, REFUSE
from evaluation.errors import InputError
from evaluation.reading.grade_scale import read_table
from evaluation.reading.judgment_rows import FORMATS
from evaluation.reading.label_studio import RATINGS
from foundation.collections.command import CollectionCommand, add_founding, founded


class Command(CollectionCommand):
    help = (
        "Import judgments made elsewhere, whole or not at all: raw_annotations.csv of TVR-Ranking's form, or its "
        "three columns with --pairs; Label Studio's export (JSON or CSV); or TREC qrels. Queries and pairs that the "
        "collection lacks are created, and so is the collection; the queries and moments of qrels have to be there."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument(
            "--format", default="", choices=sorted(FORMATS), help="by default detected from the content"
        )
        parser.add_argument(
            "--split", default="test", choices=["val", "test"], help="of queries that the collection lacks (test)"
        )
        parser.add_argument(
            "--ratings",
            default="1-5",
            choices=sorted(RATINGS),
            help="which of Label Studio's ratings stand for the grades 0-4 (1-5: its first star is grade 0)",
        )
        parser.add_argument(
            "--map-grades",
            metavar="TABLE",
            help="what the file's grades are on the collection's scale: a file with a line WORD=GRADE each, or the "
            "entries themselves, such as 0=0,1=2,2=4",
        )
        parser.add_argument(
            "--pairs",
            type=Path,
            nargs="+",
            default=[],
            metavar="PAIRS",
            help="what the pairs are about, if FILE says their ids alone: a release's val.json and test.json, or CSV",
        )
        parser.add_argument(
            "--repeated-ids",
            default=REFUSE,
            choices=POLICIES,
            help="what becomes of a worker's id that stands more than once at a pair (refuse)",
        )
        add_founding(parser, clips=False)

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        for file in (path, *options["pairs"]):
            if not file.is_file():
                raise CommandError(f"{file} is not a file.")
        how: dict[str, Any] = {name: options[name] for name in ("split", "ratings", "repeated_ids")}
        how["format_name"] = options["format"]
        try:
            # One transaction with the import: a refused file leaves no empty collection.
            with transaction.atomic(), self.bar(total=None, unit="judgments", title="Importing") as bar:
                collection = founded(options)
                if options["map_grades"] is not None:
                    how["grade_table"] = read_table(options["map_grades"], scale_of(collection).numbers)
                report = import_judgments(
                    collection=collection,
                    path=path,
                    pairs=options["pairs"],
                    progress=bar.update,
                    step=bar.set_postfix_str,
                    **how,
                )
                note_import(collection, path, report, **how)
        except InputError as error:
            raise CommandError(str(error)) from error
        for sentence in report.sentences:
            self.stdout.write(sentence)
