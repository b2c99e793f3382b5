"""The template tag that draws the menu of leads' pages."""

from typing import Any

from django import template

from desk.menu import menu_of

register = template.Library()


@register.inclusion_tag("leads_menu.html", takes_context=True)
def leads_menu(context: template.Context) -> dict[str, Any]:
    """The menu of the context's collection, on the page that the context's request asked for."""
    match = context["request"].resolver_match
    return {"menu": menu_of(context["collection"], match.url_name or "" if match else "")}
