"""Shared by commands about releases: find one by name."""

from django.core.management.base import CommandError

from datasets.models import Release
from foundation.models import Collection


def release_named(collection: Collection, name: str) -> Release:
    """The release of this name. Raises: CommandError naming those that exist."""
    release: Release | None = collection.releases.filter(name=name).first()
    if release is None:
        names = ", ".join(collection.releases.order_by("created_at").values_list("name", flat=True)) or "none yet"
        raise CommandError(f"There is no release {name!r} of {collection.name}. Releases: {names}.")
    return release
