"""`manage.py open_annotation COLLECTION`."""

from typing import Any

from annotation.batches.opening import open_annotation, queries_to_open
from annotation.batches.opening_jobs import CLIPS_MISSING
from corpus.collections.command import CollectionCommand


class Command(CollectionCommand):
    help = "Open the first batch of every query that has its candidates. Repeating it opens only what is new."

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        with self.bar(total=queries_to_open(collection).count(), unit="queries", title="Opening") as bar:
            opened = open_annotation(collection=collection, progress=bar.update)
        self.stdout.write(
            f"{opened.batches:,} batches with {opened.pairs:,} pairs opened; {opened.open_before:,} were open before."
        )
        if opened.without_candidates:
            self.stdout.write(f"{opened.without_candidates:,} queries have no candidates yet: run fetch_candidates.")
        if opened.clips_missing:
            self.stdout.write(f"{opened.clips_missing:,} {CLIPS_MISSING}")
