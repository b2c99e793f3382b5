"""`manage.py import_descriptions COLLECTION FILE [--format FMT] [--skip-bad]`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from corpus.description_formats import FORMATS, BadFile, FileChoices
from corpus.description_formats.csv_dialects import FIELDS
from corpus.description_formats.options import add_file
from corpus.description_import.import_descriptions import ImportReport, import_descriptions
from foundation.collections.command import CollectionCommand, add_founding, founded

WAYS_OUT = {
    "format": "--format names the format.",
    "charset": "--charset names the charset.",
    "separator": "--separator names the separator.",
    "columns": "--column FIELD=HEADER names a column.",
}


class Command(CollectionCommand):
    help = (
        "Import a file of moment descriptions, whole or not at all; the first import creates the collection. "
        "A corrected file updates existing descriptions. docs/importing.md describes the formats."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        add_file(parser, FORMATS)
        parser.add_argument(
            "--column",
            metavar="FIELD=HEADER",
            action="append",
            default=[],
            help=f"of CSV: the column of a field ({', '.join(FIELDS)}); - for none; may be repeated",
        )
        parser.add_argument(
            "--skip-bad", action="store_true", help="import the good rows and write the others to a file"
        )
        parser.add_argument(
            "--rejected",
            metavar="FILE",
            type=Path,
            help="with --skip-bad: where the rejected rows go (here, NAME-OF-FILE.rejected.jsonl)",
        )
        add_founding(parser, clips=True)

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        if not path.is_file():
            raise CommandError(f"{path} is not a file.")
        rejected = self._rejected_file(path, options)
        choices = _choices(options)
        try:
            # One transaction with the import: a refused file leaves no empty collection, made with options that
            # the next, corrected call could no longer change.
            with transaction.atomic(), self.bar(total=None, unit="descriptions", title="Importing") as bar:
                collection = founded(options)
                report = import_descriptions(
                    collection=collection,
                    path=path,
                    choices=choices,
                    rejected=rejected,
                    progress=bar.update,
                )
        except BadFile as error:
            raise CommandError("\n".join([str(error), *_ways_out(error)])) from error
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}.") from error
        self._say(report, rejected)

    def _rejected_file(self, path: Path, options: dict[str, Any]) -> Path | None:
        if options["skip_bad"]:
            return options["rejected"] or Path.cwd() / f"{path.name}.rejected.jsonl"
        if options["rejected"]:
            raise CommandError("--rejected needs --skip-bad: without it no row is left out.")
        return None

    def _say(self, report: ImportReport, rejected: Path | None) -> None:
        for choice, sentence in report.remarks:
            self.stdout.write(f"{sentence} (--{choice} overrides it).")
        self.stdout.write(report.in_words())
        if report.rejected:
            self.stdout.write(f"The rejected rows with their reasons are in {rejected}:")
            for problem in report.problems:
                self.stdout.write(f"  {problem}")
            if report.rejected > len(report.problems):
                self.stdout.write(f"  ... and {report.rejected - len(report.problems):,} more")


def _choices(options: dict[str, Any]) -> FileChoices:
    columns: dict[str, str] = {}
    for option in options["column"]:
        field, equals, header = option.partition("=")
        if not equals or field not in FIELDS or not header.strip():
            raise CommandError(
                f"--column: found {option!r}, expected FIELD=HEADER with a field of {', '.join(FIELDS)}."
            )
        columns[field] = header.strip()
    return FileChoices(options["format"] or "", options["charset"] or "", options["separator"] or "", columns)


def _ways_out(error: BadFile) -> list[str]:
    """The options that settle what the file doesn't tell."""
    choices = dict.fromkeys(problem.choice for problem in error.problems if problem.choice)
    return [WAYS_OUT[choice] for choice in choices]
