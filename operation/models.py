"""Tables of operation: workers' signs of life, alerts, erasures and backups."""

from __future__ import annotations

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_noop

from foundation.models import PlainJob, one_unfinished


class WorkerHeartbeat(models.Model):
    """A Celery worker's last sign of life; one row a worker, by its node name."""

    node = models.CharField(max_length=255, unique=True, help_text="Celery's name of it, e.g. celery@host.")
    started_at = models.DateTimeField(help_text="When its process started.")
    seen_at = models.DateTimeField()
    processes = models.PositiveIntegerField(help_text="Tasks that it works on at the same time.")
    version = models.CharField(max_length=40, help_text="Qreels's.")


class Alert(models.Model):
    """A fault from when it was found to when it was gone. At most one of a check is open."""

    check_name = models.CharField(max_length=40)
    found = models.TextField(help_text="What was found, in a sentence; the newest.")
    since = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    mailed_at = models.DateTimeField(null=True, blank=True, help_text="When owners were told by mail.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["check_name"], condition=models.Q(ended_at=None), name="one_open_alert_of_a_check"
            )
        ]


class Erasure(models.Model):
    """A person who was erased, by numbers alone: whoever restores an older backup erases them again."""

    account = models.BigIntegerField(help_text="Its primary key.")
    member = models.BigIntegerField(
        null=True, blank=True, help_text="The membership that was parted from it; empty: the whole account went."
    )
    at = models.DateTimeField(auto_now_add=True)


class Backup(PlainJob):
    """A backup of the whole site, asked for by the schedule, by an owner or by the command."""

    TASK = "operation.tasks.back_up"
    TITLE = gettext_noop("Backup")
    COLLECTION = ""
    UNIT = gettext_noop("files")
    KEPT = gettext_noop("What was copied stays; the next backup goes on from there.")

    place = models.CharField(max_length=500, help_text="Where it lies: a folder or s3://BUCKET/PREFIX.")
    backup = models.CharField(max_length=20, blank=True, help_text="Its id there, once it is whole.")
    bytes = models.PositiveBigIntegerField(default=0, help_text="Of its files, without the database.")
    verified_at = models.DateTimeField(null=True, blank=True, help_text="When it was last restored to try it.")

    class Meta(PlainJob.Meta):
        constraints = [
            *PlainJob.Meta.constraints,
            one_unfinished("one_unfinished_backup_a_place", "place"),
        ]

    def get_absolute_url(self) -> str:
        return f"{reverse('system')}#backups"
