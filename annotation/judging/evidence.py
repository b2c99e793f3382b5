"""What annotators may use beside a clip's pictures, and what is kept of what they used. Pure.

>>> kinds_used(Collection(context_seconds=5.0), ["context", "context", "sound"])
['context']
>>> kinds_used(Collection(), ["context"]) is None
True
"""

from collections.abc import Iterable

from annotation.models import Used
from foundation.models import Collection


def kinds_asked(collection: Collection) -> list[str]:
    """The kinds whose use is kept with the collection's judgments; none in a collection that shows pictures alone."""
    if not collection.has_clips:
        return []
    asked = {
        Used.CONTEXT: collection.context_seconds > 0,
        Used.SOUND: collection.counts_sound,
        Used.SUBTITLES: collection.counts_subtitles,
    }
    return [kind.value for kind in Used if asked[kind]]


def kinds_used(collection: Collection, sent: Iterable[str] | None) -> list[str] | None:
    """What is kept of the kinds that were sent, in the order of `Used`; None: not known, or nothing is asked."""
    # Where a kind was switched off meanwhile, the grade is no worse for it.
    asked = kinds_asked(collection)
    return None if sent is None or not asked else [kind for kind in asked if kind in set(sent)]
