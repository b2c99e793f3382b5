"""`manage.py pack_vectors [--check]`."""

from typing import Any

from django.core.management.base import CommandParser

from foundation.collections.command import RefusingCommand
from foundation.counted import counted
from queries.retrieval.vector_shards import encoders_to_pack, forget_damaged, pack


class Command(RefusingCommand):
    help = (
        "Move vectors that lie in the database into files of the storage, while people work; fetch_candidates does so"
        " by itself. Broken off, it goes on where it stopped."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="read all files, and forget those that are damaged")

    def handle(self, *args: Any, **options: Any) -> None:
        for encoder in encoders_to_pack():
            self.stdout.write(f"{counted(pack(encoder=encoder), 'vector')} by {encoder} in files now.")
        if options["check"]:
            problems = forget_damaged()
            for problem in problems:
                self.stdout.write(problem)
            self.stdout.write(
                f"{counted(len(problems), 'file was', 'files were')} forgotten: fetch_candidates encodes what it had."
            )
