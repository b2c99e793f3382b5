"""Abstract models of background jobs: a row of the database that a worker works on, with its progress."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from django.db import models
from django.utils import timezone


class Queued(models.Model):
    """A row that may wait for a worker. The row is the truth; messages in the queue only point to it."""

    TASK: ClassVar[str]
    """The name of the Celery task that works on it."""

    due_at = models.DateTimeField(
        null=True, blank=True, help_text="When its message in the queue is due; empty: none was sent."
    )
    begun = models.PositiveIntegerField(
        default=0, db_default=0, help_text="How often a worker has begun since it was asked for or last went well."
    )
    touched_at = models.DateTimeField(null=True, blank=True, help_text="When a worker last said how far it is.")
    problem = models.TextField(blank=True, db_default="", help_text="Why it ended without what was asked for.")

    class Meta:
        abstract = True

    @classmethod
    def to_do(cls) -> models.QuerySet[Self]:
        """Rows that wait for a worker or are being worked on."""
        raise NotImplementedError

    @property
    def finished(self) -> bool:
        """Whether there is nothing (more) for a worker to do."""
        raise NotImplementedError

    @property
    def lock(self) -> tuple[str, int]:
        """The key of the lock that a worker holds meanwhile (`corpus.infra.advisory_lock.alone_at`)."""
        return self._meta.label_lower, self.pk

    @property
    def task_arguments(self) -> list[Any]:
        return [self.pk]

    def begin(self) -> None:
        """Mark the row as being worked on."""
        self.begun += 1
        self.touched_at = timezone.now()
        self.save(update_fields=["begun", "touched_at"])

    def wait(self) -> None:
        """Mark the row as waiting again."""

    def end(self, problem: str = "") -> None:
        """Mark the job as ended, unless it was ended meanwhile."""
        raise NotImplementedError


class Job(Queued):
    """A job is queued, runs, and ends as done or refused. Its own model adds the field `state`."""

    TURN: ClassVar[tuple[str, ...]] = ("queued", "running")
    """States in which it waits for a worker or has one."""
    RUNNING: ClassVar[str] = "running"
    """Its state once a worker has begun; empty: unchanged."""
    DONE: ClassVar[str] = "done"
    REFUSED: ClassVar[str] = "refused"

    asked_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True, help_text="When a worker last began.")
    finished_at = models.DateTimeField(null=True, blank=True)

    state: str | models.Field[Any, Any]

    class Meta:
        abstract = True

    @classmethod
    def to_do(cls) -> models.QuerySet[Self]:
        return cls._default_manager.filter(state__in=cls.TURN)

    @property
    def finished(self) -> bool:
        return self.state not in self.TURN

    def begin(self) -> None:
        super().begin()
        # What somebody has stopped meanwhile stays so.
        standing = type(self)._default_manager.filter(pk=self.pk, state=self.state)
        self.state, self.started_at = self.RUNNING or self.state, self.touched_at
        standing.update(state=self.state, started_at=self.started_at)

    def wait(self) -> None:
        type(self)._default_manager.filter(pk=self.pk, state=self.state).update(state=self.TURN[0])

    def end(self, problem: str = "") -> None:
        before, self.state = self.state, self.REFUSED if problem else self.DONE
        self.problem, self.finished_at = problem, timezone.now()
        type(self)._default_manager.filter(pk=self.pk, state=before).update(
            state=self.state, problem=problem, finished_at=self.finished_at
        )
