"""`manage.py grade_words COLLECTION [FILE]`."""

import csv
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.scale import scale_of
from annotation.settings.grade_rows import COLUMNS, GRADE_WORDS, faults, rows_of
from annotation.settings.grade_words import is_fixed, set_grade_words
from corpus.description_import.row_files import RowChoices, read_whole
from foundation.collections.command import CollectionCommand, reading_files


class Command(CollectionCommand):
    help = (
        "Show how a collection's grades are called, explained and coloured, as CSV; or set it from such a file, or "
        f"JSON Lines, of {', '.join(COLUMNS)}: a row a grade and language, colours in any of a grade's rows. How many "
        "grades there are is said by configure: top_grade and grade_step."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, nargs="?", help="without one the words are shown")
        parser.add_argument("--usual", action="store_true", help="go back to the usual words and colours")

    def handle(self, *args: Any, **options: Any) -> None:
        collection, path = self.collection(options["collection"]), options["file"]
        if path is not None and options["usual"]:
            raise CommandError("Give a FILE or --usual, not both.")
        if path is None and not options["usual"]:
            writer = csv.writer(self.stdout, lineterminator="\n")
            writer.writerow(COLUMNS)
            # As they are, since this reads them again.
            writer.writerows([getattr(row, name) for name in COLUMNS] for row in rows_of(scale_of(collection)))
            return
        if path is None and is_fixed(collection):
            raise CommandError("Nothing was changed. Grades were given by these words, so they stay.")
        rows = []
        if path is not None:
            scale = scale_of(collection)
            with reading_files(), path.open("rb") as file:
                read = read_whole(
                    file, path.name, RowChoices(), GRADE_WORDS, conflicts=lambda found: faults(found, scale)
                )
            read.refuse()
            rows = read.rows
        set_grade_words(collection=collection, rows=rows)
        self.stdout.write(f"{collection.title}: the words of its grades are set.")
