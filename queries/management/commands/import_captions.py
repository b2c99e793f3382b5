"""`manage.py import_captions COLLECTION FILE [--made-by WHO] [--look]`."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from corpus.description_formats.options import add_file
from corpus.description_import.row_files import RowChoices
from foundation.collections.command import CollectionCommand, reading_files
from foundation.counted import counted
from foundation.models import Collection
from queries.caption_import.caption_rows import CAPTIONS
from queries.caption_import.import_captions import bring_captions, read_captions
from queries.caption_import.jobs import maker_typed
from queries.models import CaptionImport


class Command(CollectionCommand):
    help = (
        "Import captions that were made elsewhere: CSV or JSON Lines of id (the description's), caption, made_by. They "
        "pass the checks that all captions pass; what fails waits for a person. docs/rewriting.md describes it."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        add_file(parser, CAPTIONS.formats)
        parser.add_argument("--made-by", default="", help="the model or person who made the captions that don't say it")
        parser.add_argument("--look", action="store_true", help="only say what the file would change")

    def handle(self, *args: Any, **options: Any) -> None:
        collection, path = self.collection(options["collection"]), options["file"]
        choices = RowChoices(*(options[name] or "" for name in ("format", "charset", "separator")))
        made_by = maker_typed(options["made_by"])
        with reading_files(), path.open("rb") as file, self.bar(total=None, unit="rows", title="Reading") as bar:
            read, standing = read_captions(
                collection=collection,
                file=file,
                name=path.name,
                choices=choices,
                made_by=made_by,
                progress=bar.update,
            )
        read.refuse()
        for remark in read.remarks:
            self.stdout.write(f"{remark}.")
        fresh, replaced = len(standing.fresh(read.rows)), standing.replaced(read.rows)
        if options["look"]:
            others = f"{counted(replaced, 'caption gives', 'captions give')} way"
            self.stdout.write(f"{counted(fresh, 'caption')} of {len(read.rows):,} to be checked and kept; {others}.")
            return
        job = _noted(collection, path, choices, made_by)
        with self.bar(total=fresh, unit="captions", title="Checking") as bar:
            report = bring_captions(job=job, read=read, standing=standing, progress=bar.update)
        CaptionImport.objects.filter(pk=job.pk).update(said=report.in_words())
        self.stdout.write(report.in_words())


def _noted(collection: Collection, path: Path, choices: RowChoices, made_by: str) -> CaptionImport:
    """The row by which the page shows what this process imports, and by which it can be taken back."""
    return CaptionImport.objects.create(
        collection=collection,
        file_name=path.name[-200:],
        made_by=made_by,
        doing=CaptionImport.Doing.IMPORT,
        state=CaptionImport.State.DONE,
        finished_at=timezone.now(),
        **asdict(choices),
    )
