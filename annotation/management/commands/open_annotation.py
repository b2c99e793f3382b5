"""`manage.py open_annotation COLLECTION`."""

from typing import Any

from annotation.batches.opening import open_annotation, queries_to_open
from annotation.batches.opening_jobs import in_words
from foundation.collections.command import CollectionCommand


class Command(CollectionCommand):
    help = "Open the first batch of every query that has its candidates. Repeating it opens only what is new."

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        with self.bar(total=queries_to_open(collection).count(), unit="queries", title="Opening") as bar:
            opened = open_annotation(collection=collection, progress=bar.update)
        self.stdout.write(in_words(opened))
