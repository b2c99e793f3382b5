"""Abstract models of background jobs: a row of the database that a worker works on, with its progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

from django.db import models, transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy, gettext_noop

from foundation.lazy import LazyStr

ENDED: list[Callable[[Any], object]] = []
"""What rooms do when a job has ended, in the transaction in which it does: each is called with it. A room adds its own
when Django starts."""


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
        """The key of the lock that a worker holds meanwhile (`foundation.infra.advisory_lock.alone_at`)."""
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


class StateField(models.CharField):  # type: ignore[type-arg]  # generic in the stubs alone
    """A job's state: one of its kind's `State`, at first that in which it waits for a worker."""

    def contribute_to_class(self, cls: Any, name: str, private_only: bool = False) -> None:
        if hasattr(cls, "State"):
            self.choices, self.default = cls.State.choices, cls.TURN[0]
        super().contribute_to_class(cls, name, private_only)

    def deconstruct(self) -> Any:
        name, _, *rest = super().deconstruct()
        return name, "django.db.models.CharField", *rest


class ByMember(models.Model):
    """A row for which a member asked; empty: nobody is known."""

    member = models.ForeignKey("foundation.Membership", models.SET_NULL, null=True, related_name="+")

    class Meta:
        abstract = True


def plain_states(name: str) -> models.CheckConstraint:
    """The constraint of this name that a job has one of the usual states."""
    return models.CheckConstraint(
        condition=models.Q(state__in=["queued", "running", "done", "refused", "stopped"]), name=name
    )


def one_unfinished(name: str, field: str = "collection") -> models.UniqueConstraint:
    """The constraint of this name that only one job of the kind waits or is under way for what `field` names."""
    return models.UniqueConstraint(fields=[field], condition=models.Q(state__in=["queued", "running"]), name=name)


class Job(Queued):
    """A job is queued, runs, and ends as done, refused or stopped. Its own model says its states in words: `State`."""

    KIND: ClassVar[str] = ""
    """Its kind in addresses, e.g. "import"; empty: it has no page."""
    TITLE: ClassVar[str] = ""
    """What it does, for lists of jobs: "Import of descriptions"."""
    PAGE: ClassVar[str] = ""
    """The name of the page of what it does, which is the collection's, or each job's own (`PAGE_OF_ITS_OWN`)."""
    PAGE_OF_ITS_OWN: ClassVar[bool] = False
    COLLECTION: ClassVar[str] = "collection"
    """The path of its collection in a query; empty: it belongs to none."""
    UNIT: ClassVar[str] = gettext_noop("done")
    """What `done` and `total` count, for pages: "12 of 40 UNIT"."""
    KEPT: ClassVar[str] = gettext_noop("Nothing is half done.")
    """What a stopped or broken off job leaves, in a sentence."""
    TURN: ClassVar[tuple[str, ...]] = ("queued", "running")
    """States in which it waits for a worker or has one."""
    RUNNING: ClassVar[str] = "running"
    """Its state once a worker has begun; empty: unchanged."""
    DONE: ClassVar[str] = "done"
    REFUSED: ClassVar[str] = "refused"
    STOPPED: ClassVar[str] = "stopped"
    """Its state once somebody has stopped it. A worker that is at it notices when it next says how far it is."""

    asked_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True, help_text="When a worker last began.")
    finished_at = models.DateTimeField(null=True, blank=True)
    done = models.PositiveBigIntegerField(default=0, db_default=0, help_text="How much of it is done.")
    total = models.PositiveBigIntegerField(default=0, db_default=0, help_text="How much there is; 0: not known.")
    step = models.CharField(max_length=200, blank=True, db_default="", help_text="What a worker is doing with it.")
    said = models.TextField(blank=True, db_default="", help_text="What came of it, in words.")

    state = StateField(max_length=8)

    class Meta:
        abstract = True

    def get_absolute_url(self) -> str:
        """The page of what it does."""
        own = [self.pk] if self.PAGE_OF_ITS_OWN else []
        return reverse(self.PAGE, args=[self.collection.name, *own])  # type: ignore[attr-defined]  # of its own model

    @classmethod
    def to_do(cls) -> models.QuerySet[Self]:
        return cls._default_manager.filter(state__in=cls.TURN)

    @property
    def finished(self) -> bool:
        return self.state not in self.TURN

    @property
    def asker(self) -> Any:
        """The membership of whoever asked for it; None if nobody is known."""
        return getattr(self, "member", None)

    def values_to_resume(self) -> dict[str, Any]:
        """The columns with which it waits for a worker again after a stop, its state among them."""
        return {"state": self.TURN[0]}

    def begin(self) -> None:
        super().begin()
        # What somebody has stopped meanwhile stays so.
        standing = type(self)._default_manager.filter(pk=self.pk, state=self.state)
        self.state, self.started_at = self.RUNNING or self.state, self.touched_at
        standing.update(state=self.state, started_at=self.started_at)

    def wait(self) -> None:
        type(self)._default_manager.filter(pk=self.pk, state=self.state).update(state=self.TURN[0])

    def end(self, problem: str = "") -> None:
        self.state = self.REFUSED if problem else self.DONE
        self.problem, self.finished_at = problem, timezone.now()
        # A stop that came when all was done came too late; one that was resumed since counts as never made.
        standing = self.TURN if problem else (*self.TURN, self.STOPPED)
        self._change_to_ended(standing, problem=problem)

    def stop(self) -> bool:
        """Mark the job as stopped, if it is under way. Returns whether it was."""
        self.state, self.finished_at = self.STOPPED, timezone.now()
        return self._change_to_ended(self.TURN)

    def _change_to_ended(self, standing: tuple[str, ...], **columns: Any) -> bool:
        with transaction.atomic(savepoint=False):
            rows = type(self)._default_manager.filter(pk=self.pk, state__in=standing)
            changed = bool(rows.update(state=self.state, finished_at=self.finished_at, **columns))
            if changed:
                for hear in ENDED:
                    hear(self)
        return changed


class PlainJob(Job):
    """A job with the usual states. Its own model says what it is about."""

    class State(models.TextChoices):
        QUEUED = "queued", gettext_lazy("waits for a worker")
        RUNNING = "running", gettext_lazy("is under way")
        DONE = "done", gettext_lazy("done")
        REFUSED = "refused", gettext_lazy("refused")
        STOPPED = "stopped", gettext_lazy("stopped")

    class Meta:
        abstract = True
        constraints = [plain_states("%(class)s_state")]


def job_states(running: LazyStr, done: LazyStr, refused: LazyStr) -> type[PlainJob.State]:
    """The `State` of a job that says in its own words what it does, that it did, and that it could not."""
    usual = PlainJob.State

    class State(models.TextChoices):
        QUEUED = usual.QUEUED.value, usual.QUEUED.label
        RUNNING = usual.RUNNING.value, running
        DONE = usual.DONE.value, done
        REFUSED = usual.REFUSED.value, refused
        STOPPED = usual.STOPPED.value, usual.STOPPED.label

    return State  # type: ignore[return-value]  # another enumeration with the same members


class JobLine(models.Model):
    """A line of a job's log. Written by `foundation.infra.job_log`, which keeps the newest of each job."""

    kind = models.CharField(max_length=60, help_text="The label of the job's model, e.g. corpus.import.")
    job = models.BigIntegerField(help_text="The job's row.")
    at = models.DateTimeField()
    text = models.CharField(max_length=1000)

    class Meta:
        indexes = [models.Index(fields=["kind", "job", "id"], name="job_line_of_job")]

    def __str__(self) -> str:
        return self.text
