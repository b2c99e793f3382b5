"""`manage.py decide_reviews COLLECTION`."""

from datetime import timedelta
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.review.automatic_review import GRACE, apply_policy, has_policy
from foundation.collections.command import CollectionCommand
from foundation.counted import counted


class Command(CollectionCommand):
    help = (
        "Apply the batch review policy (auto_extend_from and auto_finish_to) to the batches that wait for "
        "review. A worker does that by itself; this is for batches judged while none ran, or before the policy was set."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--grace",
            type=float,
            default=GRACE.total_seconds() / 60,
            metavar="MINUTES",
            help="skip batches judged in the last MINUTES, whose judgments may still be taken back (default "
            "%(default)g)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        if options["grace"] < 0:
            raise CommandError(f"Found --grace {options['grace']:g}, expected 0 or more minutes.")
        if not has_policy(collection):
            raise CommandError(
                "The collection has no batch review policy: set auto_extend_from, auto_finish_to or both "
                "(manage.py configure)."
            )
        done = apply_policy(collection=collection, grace=timedelta(minutes=options["grace"]))
        self.stdout.write(
            f"{counted(done.extended, 'batch', 'batches')} extended and {done.finished:,} finished by the policy; "
            f"{done.left:,} left to the lead."
        )
