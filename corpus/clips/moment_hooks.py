"""Hooks: later rooms report the moments they use.

By these, clips can be cut for candidates alone or for what waits to be judged, judged clips are kept, and anybody may
see those of a tryout, without this room importing later ones.
"""

from collections.abc import Callable
from typing import Literal

from django.db.models import QuerySet

from corpus.models import Moment
from foundation.models import Collection, Membership

Interest = Literal["candidates", "waiting", "judged", "tryout", "context"]
Moments = Callable[[Collection], QuerySet[Moment]]
Shown = Callable[[Membership, int], bool]

_registered: dict[Interest, Moments] = {}
_shown: list[Shown] = []


def register(interest: Interest, moments: Moments) -> None:
    """Called by a room's AppConfig.ready(): `moments(collection)` are those that the room uses in this way."""
    _registered[interest] = moments


def moments_of(interest: Interest, collection: Collection) -> QuerySet[Moment]:
    """The moments; none where no room has registered."""
    asked = _registered.get(interest)
    return Moment.objects.none() if asked is None else asked(collection)


def register_context(shown: Shown) -> None:
    """Called by a room's AppConfig.ready(): whether a member who doesn't lead may see what surrounds a moment (id)."""
    _shown[:] = [shown]


def shows_context(member: Membership, moment_id: int) -> bool:
    """Whether some room shows the member what surrounds the moment."""
    return any(shown(member, moment_id) for shown in _shown)
