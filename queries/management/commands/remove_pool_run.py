"""`manage.py remove_pool_run COLLECTION --team TEAM --system SYSTEM`."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from foundation.collections.command import CollectionCommand
from queries.models import PoolRun
from queries.runs.add_run import remove_run


class Command(CollectionCommand):
    help = "Remove a run from a collection, as long as nothing that it put into the pool is open for judging."

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--team", required=True)
        parser.add_argument("--system", required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        runs = PoolRun.objects.filter(collection=collection)
        run = runs.filter(team=options["team"], system=options["system"]).first()
        if run is None:
            names = ", ".join(str(other) for other in runs.order_by("team", "system")) or "none"
            raise CommandError(f"There is no run {options['team']} {options['system']}. Runs: {names}.")
        remove_run(run=run)
        self.stdout.write(f"{run} was removed. Make the pool again, so that it follows.")
