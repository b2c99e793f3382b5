"""The template tags of every page's frame: the menu of leads' pages, and where Help leads."""

from typing import Any

from django import template

from desk.help.manuals import address_of
from desk.help.topics import topic_of
from desk.menu import menu_of, pages_in_use
from foundation.infra.worker_signs import signs_of_life

register = template.Library()


@register.inclusion_tag("leads_menu.html", takes_context=True)
def leads_menu(context: template.Context) -> dict[str, Any]:
    """The menu of the context's collection, on the page that the context's request asked for."""
    match, collection = context["request"].resolver_match, context["collection"]
    here = match.url_name or "" if match else ""
    signs = signs_of_life()
    in_use = pages_in_use(collection, signs)
    # So that the strip below the menu, which says that no worker runs, asks nothing.
    if signs:
        context["request"].worker_runs = not in_use.isdisjoint(signs)
    return {"menu": menu_of(collection, here, used=in_use)}


@register.simple_tag(takes_context=True)
def help_address(context: template.Context) -> str:
    """The address of the manual that is about the page that the context's request asked for."""
    match = context["request"].resolver_match
    return address_of(*topic_of(match.url_name or "" if match else ""))
