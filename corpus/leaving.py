"""What happens to the rooms on the right when somebody no longer judges in a collection: they let go of the person.

A room registers when Django starts (`AppConfig.ready`), so that the corpus needn't know who gives people work.
"""

from collections.abc import Callable

from corpus.models import Membership

_registered: dict[str, Callable[[Membership], None]] = {}


def register(room: str, let_go: Callable[[Membership], None]) -> None:
    """`let_go(member)` is called in the transaction that removes the member or makes them a lead."""
    _registered[room] = let_go


def tell_left(member: Membership) -> None:
    """Tell every room that the member judges no more."""
    for let_go in _registered.values():
        let_go(member)
