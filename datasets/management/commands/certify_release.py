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
from foundation.collections.command import CollectionCommand, writing_files
from foundation.counted import counted


class Command(CollectionCommand):
    help = (
        "Compute a release's reusability certificate over the runs of the collection's pool and of the release's "
        "leaderboards, print its advice, and write it as JSON and SVG. Over the same runs nothing is computed again."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("release", metavar="RELEASE")
        parser.add_argument("folder", metavar="FOLDER", type=Path, nargs="?", help="where its files go (default: none)")

    def handle(self, *args: Any, **options: Any) -> None:
        release = release_named(self.collection(options["collection"]), options["release"])
        if why_not := missing(systems_of(release)):
            raise CommandError(why_not)
        job, _ = record_certificate(release)
        assert job is not None
        certify_release(job.pk)
        newest = newest_done(release)
        job.refresh_from_db()
        if job.state == Certificate.State.REFUSED:
            raise CommandError(job.problem)
        if newest is None or newest.pk != job.pk:
            raise CommandError("A worker is computing it this moment. Call this again.")
        for split, figures in newest.results.items():
            self.stdout.write(f"{split}, {counted(len(figures['runs']), 'run')}: {figures['advice']}")
        if options["folder"]:
            self._write(options["folder"], newest)

    def _write(self, folder: Path, certificate: Certificate) -> None:
        content = json.dumps(as_file(certificate, certificate.results), indent=1, cls=FactsEncoder)
        with writing_files():
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "certificate.json").write_text(content + "\n", encoding="utf-8")
            for split, figures in certificate.results.items():
                (folder / f"certificate-{split}.svg").write_text(certificate_figure(figures), encoding="utf-8")
        self.stdout.write(f"Written to {folder}.")
