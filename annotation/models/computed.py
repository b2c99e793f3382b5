"""Stored results of precomputed figures."""

from django.db import models

from corpus.models import Collection


class Computed(models.Model):
    """The newest result of one computation over a collection. It can always be made anew: nothing rests on it."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="computed")
    name = models.CharField(max_length=60)
    value = models.JSONField(null=True, help_text="Empty until it was computed for the first time.")
    as_of = models.DateTimeField(null=True, help_text="When the computation began to read.")
    took_seconds = models.FloatField(null=True)
    asked_at = models.DateTimeField(null=True, help_text="When a task was last asked for and hasn't answered yet.")
    problem = models.TextField(blank=True, help_text="Why the last try brought nothing.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["collection", "name"], name="one_computed_a_name")]

    def __str__(self) -> str:
        return self.name
