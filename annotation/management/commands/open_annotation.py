"""`manage.py open_annotation COLLECTION`."""

from typing import Any

from annotation.batches.opening import open_annotation
from corpus.collections.command import CollectionCommand


class Command(CollectionCommand):
    help = "Open the first batch of every query that has its candidates. Repeating it opens only what is new."

    def handle(self, *args: Any, **options: Any) -> None:
        opened = open_annotation(collection=self.collection(options["collection"]))
        self.stdout.write(
            f"{opened.batches:,} batches with {opened.pairs:,} pairs opened; {opened.open_before:,} were open before."
        )
        if opened.without_candidates:
            self.stdout.write(f"{opened.without_candidates:,} queries have no candidates yet: fetch_candidates.")
