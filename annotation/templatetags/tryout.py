"""The tryout on other rooms' pages: a clip being judged, with the way to try it."""

from typing import Any

from django import template

from annotation.grades import names_up_to
from annotation.tryout.selectors import find_tryout

register = template.Library()


@register.inclusion_tag("annotation/tryout_glimpse.html")
def tryout_glimpse() -> dict[str, Any]:
    """A clip of the tryout as it is judged; nothing where no collection offers one."""
    tryout = find_tryout()
    if tryout is None:
        return {}
    return {"shown": tryout.pairs[0], "grades": names_up_to(tryout.collection.top_grade)}
