"""503 for every page while the site is being upgraded (`infra/upgrade_state.py`); the database isn't asked."""

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from foundation.access.error_pages import try_later
from foundation.access.middleware import Middleware
from foundation.access.needs_login import SAFE, page_of_form
from foundation.infra.upgrade_state import is_held

RETRY_SECONDS = 10


class BeingUpgraded(Middleware):
    """Middleware, behind the static files, which the page needs, and before everything that asks the database."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return answer(request) if is_held() else self._get_response(request)


def answer(request: HttpRequest) -> HttpResponse:
    """A page that opens what was asked for once it can be had; JSON to whoever wants no page."""
    text = _("The site is being upgraded, and nothing was changed. Try again in a minute.")
    sent = request.method not in SAFE
    # A form isn't sent again by itself: its page opens, with what was typed where the browser has kept it.
    page = (page_of_form(request) or "/") if sent else request.get_full_path()
    # With two slashes it would be another site's.
    context = {"sent": sent, "page": "/" + page.lstrip("/"), "seconds": RETRY_SECONDS}

    def shown() -> HttpResponse:
        return HttpResponse(render_to_string("foundation/being_upgraded.html", context), status=503)

    return try_later(request, text, RETRY_SECONDS, shown)
