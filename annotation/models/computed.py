"""Stored results of precomputed figures."""

from __future__ import annotations

from typing import Any

from django.db import models

from foundation.models import Collection, Queued


class Computed(Queued):
    """The newest result of one computation over a collection. It can be recomputed at any time."""

    TASK = "annotation.tasks.refresh"

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="computed")
    name = models.CharField(max_length=60)
    value = models.JSONField(null=True, help_text="Empty until it was computed for the first time.")
    as_of = models.DateTimeField(null=True, help_text="When the computation began to read.")
    took_seconds = models.FloatField(null=True)
    done = models.PositiveIntegerField(default=0, db_default=0, help_text="How far a worker is, where that is counted.")
    asked_at = models.DateTimeField(null=True, help_text="When a task was last asked for and hasn't answered yet.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["collection", "name"], name="one_computed_a_name")]

    def __str__(self) -> str:
        return self.name

    @classmethod
    def to_do(cls) -> models.QuerySet[Computed]:
        return cls._default_manager.exclude(asked_at=None)

    @property
    def finished(self) -> bool:
        return self.asked_at is None

    @property
    def task_arguments(self) -> list[Any]:
        return [self.collection_id, self.name]

    def end(self, problem: str = "") -> None:
        self.asked_at, self.problem = None, problem
        type(self)._default_manager.filter(pk=self.pk).update(asked_at=None, problem=problem)
