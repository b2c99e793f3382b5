"""The trial on other rooms' pages: a clip being judged, with the way to try it."""

from typing import Any

from django import template

from annotation.grades import names_up_to
from annotation.trial.selectors import find_trial

register = template.Library()


@register.inclusion_tag("annotation/trial_glimpse.html")
def trial_glimpse() -> dict[str, Any]:
    """A clip of the trial as it is judged; nothing where no collection offers one."""
    trial = find_trial()
    if trial is None:
        return {}
    return {"shown": trial.pairs[0], "grades": names_up_to(trial.collection.top_grade)}
