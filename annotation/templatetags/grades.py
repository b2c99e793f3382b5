"""Grades in templates: the colours of a collection's scale, and where on them a grade is."""

from django import template
from django.template import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotation.scale import Scale, scale_of
from foundation.models import Collection

register = template.Library()


@register.simple_tag(takes_context=True)
def tone(context: Context, grade: int) -> int:
    """The step of the colour ramp that a grade of the page's `scale` or `collection` has: `grade-{% tone grade %}`."""
    scale = _scale(context.get("scale") or context.get("collection"))
    return grade if scale is None else scale.tone(grade)


@register.simple_tag
def grade_colours(of: object) -> SafeString:
    """A style attribute with the colours of a collection or scale; nothing where they are the usual ones."""
    scale = _scale(of)
    return format_html(' style="{}"', scale.style) if scale is not None and scale.style else SafeString("")


def _scale(of: object) -> Scale | None:
    return of if isinstance(of, Scale) else scale_of(of) if isinstance(of, Collection) else None
