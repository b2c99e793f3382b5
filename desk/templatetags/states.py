"""The template filter that gives a state of a batch, person, study or job the look of its pill."""

from django import template

register = template.Library()
LOOKS = {
    "working": ("first", "second", "judging", "running", "applicant"),
    "ready": ("queued",),
    "needs-you": ("decided",),
    "done": ("finished", "extended", "judged", "admitted", "done"),
    "out-of-date": ("refused", "stopped", "paused"),
}
_OF = {state: look for look, states in LOOKS.items() for state in states}


@register.filter
def standing(state: str) -> str:
    """The class of `pill.html` for a state; what has no other look is quiet.

    >>> standing("decided"), standing("barred")
    ('needs-you', 'not-begun')
    """
    return _OF.get(str(state), "not-begun")
