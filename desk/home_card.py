"""A lead's collection on the home page."""

from django.urls import reverse
from django.utils.translation import gettext

from desk.backlog import batch_states
from desk.selectors import needs_now
from foundation.access.collection_standing import Standing
from foundation.models import Collection


def standing(collection: Collection) -> Standing:
    """How far it is by its batches, and its first need of this moment. As many SQL queries as `needs_now`, and one."""
    if collection.archived_at is not None:
        return Standing(gettext("archived"), "not-begun")
    batches = batch_states(collection)
    needs = needs_now(collection, batches)
    state, look = gettext("being prepared"), "ready"
    if batches["open"] + batches["judging"] + batches["second"]:
        state, look = gettext("being judged"), "working"
    elif any(batches.values()):
        state, look = gettext("judged"), "done"
    if not needs:
        return Standing(state, look)
    return Standing(state, look, needs[0].words, reverse(needs[0].page, args=[collection.name]))
