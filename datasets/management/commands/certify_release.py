"""`manage.py certify_release COLLECTION RELEASE [FOLDER]`."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from datasets.certificates.jobs import certify_release, newest_done, record_certificate
from datasets.certificates.selectors import as_file
from datasets.certificates.systems import missing, systems_of
from datasets.models import Certificate
from datasets.releases.command import release_named
from evaluation.pooling.certificate_figure import certificate_figure
from foundation.access.pages import FactsEncoder
from foundation.collections.command import CollectionCommand
from foundation.counted import counted


class Command(CollectionCommand):
    help = (
        "Compute a release's reusability certificate over the runs of the collection's pool and of the release's "
        "leaderboards, print its advice, and write it as JSON and SVG. Over the same runs nothing is computed again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("release", metavar="RELEASE")
        parser.add_argument("folder", metavar="FOLDER", type=Path, nargs="?", help="where its files go (default: none)")

    def handle(self, *args: Any, **options: Any) -> None:
        release = release_named(self.collection(options["collection"]), options["release"])
        if told := missing(systems_of(release)):
            raise CommandError(told)
        made, _ = record_certificate(release)
        assert made is not None
        certify_release(made.pk)
        found = newest_done(release)
        made.refresh_from_db()
        if made.state == Certificate.State.REFUSED:
            raise CommandError(made.problem)
        if found is None or found.pk != made.pk:
            raise CommandError("A worker is computing it this moment. Call this again.")
        for split, one in found.results.items():
            self.stdout.write(f"{split}, {counted(len(one['runs']), 'run')}: {one['advice']}")
        if options["folder"]:
            self._write(options["folder"], found)

    def _write(self, folder: Path, found: Certificate) -> None:
        said = json.dumps(as_file(found, found.results), indent=1, cls=FactsEncoder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "certificate.json").write_text(said + "\n", encoding="utf-8")
            for split, one in found.results.items():
                (folder / f"certificate-{split}.svg").write_text(certificate_figure(one), encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{folder} can't be written: {error.strerror}.") from error
        self.stdout.write(f"Written to {folder}.")
