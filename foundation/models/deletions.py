"""Deletions of whole collections: they outlive what they delete."""

from __future__ import annotations

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_noop

from foundation.models.accounts import Account
from foundation.models.jobs import PlainJob


class CollectionDeletion(PlainJob):
    """A job of the installation that deletes a collection: its rows in one transaction, then its files.

    Nothing in it points to the collection. It has no kind and so no page to stop it on: half a deletion is of no use.
    """

    TASK = "foundation.tasks.delete_collection"
    TITLE, COLLECTION = gettext_noop("Deletion of a collection"), ""
    UNIT = gettext_noop("tables and files")

    number = models.BigIntegerField(unique=True, help_text="The collection's row.")
    name = models.CharField(max_length=60, help_text="Of the collection.")
    title = models.CharField(max_length=200)
    account = models.ForeignKey(Account, models.SET_NULL, null=True, related_name="+", help_text="Who asked for it.")
    files = models.JSONField(default=list, help_text="Names in the storage that are to go, once the rows are gone.")
    rows_gone = models.BooleanField(default=False)

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("collection-deletion", args=[self.pk])
