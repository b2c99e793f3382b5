"""Factors for tests."""

from annotation.factors.declared import declare_factors
from annotation.factors.texts import DeclaredFactor, Words
from foundation.models import Collection

ACTION = DeclaredFactor(
    "action",
    Words("Action", "Is it the same action?", ("no", "in part", "yes")),
    languages={"de": Words("Handlung", "Ist es dieselbe Handlung?", ("nein", "zum Teil", "ja"))},
)
WHOLE = DeclaredFactor("whole", Words("Wholeness", "Is all of it to be seen?", ("no", "yes")), may_skip=True)


def with_factors(collection: Collection, asked: str = "every") -> Collection:
    """The collection, which asks `ACTION` and `WHOLE`."""
    return declare_factors(collection=collection, factors=[ACTION, WHOLE], asked=asked)
