"""What a deleted collection loses of releases, and why one that was published keeps it."""

from django.utils.translation import ngettext_lazy

from datasets.models import Publication, Run
from foundation.deletion.hooks import Loss
from foundation.models import Collection


def releases_lost(collection: Collection) -> list[Loss]:
    """Its releases and the runs on their boards."""
    runs = Run.objects.filter(board__release__collection=collection)
    return [
        Loss(collection.releases.count(), ngettext_lazy("%(count)s release", "%(count)s releases", "number")),
        Loss(runs.count(), ngettext_lazy("%(count)s run", "%(count)s runs", "number")),
    ]


def published(collection: Collection) -> str:
    """Why it may not go: others may rely on, cite and ask about what was published."""
    public = collection.releases.filter(page__public_since__isnull=False).order_by("created_at").first()
    if public is not None:
        return f"Everybody can read release {public.name}: make it private first, or archive the collection instead."
    sent = Publication.objects.filter(release__collection=collection, state__in=["done", "sending"])
    first = sent.select_related("release").order_by("confirmed_at").first()
    if first is None:
        return ""
    return (
        f"Release {first.release.name} was published at {first.place}: others may rely on it, so what it was made from "
        "is kept. Archive the collection instead."
    )
