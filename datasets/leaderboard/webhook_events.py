"""What webhooks are told of a run that is scored: for leads, who see every run and every value."""

from datasets.models import Run
from foundation.webhooks.kinds import RUN_SCORED
from foundation.webhooks.outbox import note


def note_scored(run: Run) -> None:
    """A run is scored. Part of the caller's transaction."""
    release = run.board.release
    data = {"run": run.pk, "name": str(run), "release": release.name, "values": run.values}
    note(RUN_SCORED, collection=release.collection, data=data)
