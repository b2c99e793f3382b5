"""All periodic work; docs/developing/jobs.md has the same list, and a test compares them.

Every worker goes through it (`config/worker.py`), so it goes on as long as one lives: what two of them must not do at
once takes a lock, or claims its rows. Modules are named and not imported, since web processes read this too.
"""

from dataclasses import dataclass
from typing import Any, Literal

from django.utils.module_loading import import_string

SWEEP_SECONDS = 5
"""The shortest interval: that of the worker's own timer."""
MINUTE, HOUR = 60, 3600


@dataclass(frozen=True, slots=True)
class Periodic:
    """One piece of such work."""

    work: str
    """A function's dotted path; of a task, its name."""
    every: int
    """Seconds, a multiple of SWEEP_SECONDS."""
    where: Literal["worker", "idle", "task"]
    """In the worker's main process; there too, by the sweep, while no message waits; or as a task in the queue."""
    does: str

    def run(self, **arguments: Any) -> Any:
        """Do it here, or send the task. Raises: whatever it raises; QueueAway."""
        work = import_string("foundation.infra.task_queue.send" if self.where == "task" else self.work)
        return work(self.work, expires=self.every) if self.where == "task" else work(**arguments)


BEAT = Periodic("operation.health.heartbeat.beat", SWEEP_SECONDS, "worker", "notes that this worker lives")
SWEEP = Periodic("foundation.infra.sweep.sweep", SWEEP_SECONDS, "worker", "sends jobs of which no worker knows")
PERIODIC = (
    BEAT,
    SWEEP,
    Periodic("corpus.video_import.uploads.remove_strays", SWEEP_SECONDS, "idle", "removes uploads given up"),
    Periodic("queries.review.rewrite_again.send_asked_again", SWEEP_SECONDS, "idle", "sends captions asked again"),
    Periodic(
        "annotation.batches.transitions.settle_rounds_over", SWEEP_SECONDS, "idle", "settles rounds that are over"
    ),
    Periodic("annotation.review.automatic_review.ask_policies", SWEEP_SECONDS, "idle", "has clear batches decided"),
    Periodic("datasets.stopping.jobs.ask_when_due", SWEEP_SECONDS, "idle", "looks at what is settled, when it is due"),
    Periodic("campaigns.mails.tell_of_deadlines", SWEEP_SECONDS, "idle", "tells teams that a campaign closes"),
    Periodic("operation.backup.jobs.ask_when_due", SWEEP_SECONDS, "idle", "asks for a backup that is due"),
    Periodic("operation.alerts.watch.watch", MINUTE, "worker", "looks for faults, and mails alerts"),
    Periodic("foundation.mail.letters.gather", MINUTE, "worker", "makes letters of the notices that wait"),
    Periodic("desk.tasks.tell_leads", HOUR, "task", "tells leads of what waits for them"),
    Periodic("annotation.tasks.note_alerts", HOUR, "task", "tells webhooks of new alerts about people"),
    Periodic("operation.tasks.forget", HOUR, "task", "removes what has been kept long enough"),
)
