"""`manage.py rewrite COLLECTION`."""

from typing import Any

from django.core.management.base import CommandError
from django.db.models import Count

from corpus.commanding import CollectionCommand
from corpus.models import Description
from corpus.spreading import spread
from queries.models import Caption
from queries.rewriters import RewriterError
from queries.tasks import rewrite_block

BLOCK = 200


class Command(CollectionCommand):
    help = "Rewrite every description that has no caption yet, and check it. Goes on where it stopped."

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        pending = list(
            Description.objects.filter(collection=collection, caption__isnull=True)
            .order_by("pk")
            .values_list("pk", flat=True)
        )
        blocks = [
            {"collection": collection.pk, "descriptions": pending[first : first + BLOCK]}
            for first in range(0, len(pending), BLOCK)
        ]
        try:
            with self.bar(total=len(pending), unit="descriptions", title="Rewriting") as bar:
                spread(rewrite_block, blocks, progress=bar.update)
        except RewriterError as error:
            raise CommandError(f"{error} What was rewritten so far is kept.") from error
        counts = dict(
            Caption.objects.filter(description__collection=collection).values_list("status").annotate(Count("pk"))
        )
        self.stdout.write(
            f"{counts.get('accepted', 0):,} captions accepted, {counts.get('review', 0):,} wait for review, "
            f"{counts.get('refused', 0):,} refused."
        )
