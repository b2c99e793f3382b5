"""The tryout on other rooms' pages: a clip being judged, with the way to try it."""

from typing import Any

from django import template

from annotation.scale import scale_of
from annotation.tryout.selectors import find_tryout

register = template.Library()


@register.inclusion_tag("annotation/tryout_glimpse.html")
def tryout_glimpse() -> dict[str, Any]:
    """A clip of the tryout as it is judged; nothing where no collection offers one."""
    tryout = find_tryout()
    if tryout is None:
        return {}
    grades = scale_of(tryout.collection).named()
    return {"shown": tryout.pairs[0], "collection": tryout.collection, "grades": grades}
