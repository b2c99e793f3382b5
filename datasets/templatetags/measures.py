"""The template filter `as_measure`: a measure's name as people write it."""

import re

from django import template

register = template.Library()


@register.filter
def as_measure(measure: str) -> str:
    """A measure as people write it, with a possible line break after the comma.

    >>> as_measure("NDCG@10,IoU>=0.5").replace("\u00a0", "~")
    'NDCG@10, IoU~≥~0.5'
    """
    return re.sub(r"\s*>\s*", "\u00a0>\u00a0", measure.replace(",", ", ").replace(">=", "\u00a0≥\u00a0"))
