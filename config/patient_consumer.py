"""The worker's end of the task queue, which outlives the loss of its connection whatever the worker is at."""

import logging

from celery.worker.consumer import Consumer

log = logging.getLogger(__name__)


class PatientConsumer(Consumer):  # type: ignore[misc]
    """Celery's, but for what ends its worker.

    A worker whose connection is lost gives back the messages that it holds before it connects again. Where the broker
    is still away that fails with an error which kombu (5.7) doesn't expect of a lost connection, and the worker ends.
    Nothing is lost by going on: the broker, or the sweep, has the messages done again.
    """

    def on_connection_error_after_connected(self, exc: Exception) -> None:
        """Forget the lost connection; the caller connects again."""
        try:
            super().on_connection_error_after_connected(exc)
        except Exception:
            self.connection = None
            log.warning("What the worker held couldn't be given back: the task queue is away", exc_info=True)
