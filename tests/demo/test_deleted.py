"""A demo collection that its owner has deleted isn't built again at the next start."""

import pytest
from django.utils import timezone

from demo.build import was_deleted
from demo.plans import THEATRE
from foundation.models import Collection, CollectionDeletion

pytestmark = pytest.mark.django_db


def test_what_was_deleted_stays_so_until_it_is_made_again() -> None:
    assert not was_deleted(THEATRE.name), "it was never there"
    collection = Collection.objects.create(name=THEATRE.name, title=THEATRE.title)
    assert not was_deleted(THEATRE.name)
    Collection.objects.update(archived_at=timezone.now())
    assert not was_deleted(THEATRE.name), "in the archive"
    deletion = CollectionDeletion.objects.create(number=collection.pk, name=THEATRE.name, title=THEATRE.title)
    assert was_deleted(THEATRE.name), "a worker is about to delete it"
    collection.delete()
    CollectionDeletion.objects.filter(pk=deletion.pk).update(state="done", rows_gone=True)
    assert was_deleted(THEATRE.name) and not was_deleted("finished")
    Collection.objects.create(name=THEATRE.name, title=THEATRE.title)
    assert not was_deleted(THEATRE.name), "script/demo --again made it"
