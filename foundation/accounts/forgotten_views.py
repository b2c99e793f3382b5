"""The page "Forgot your password?", on a site that sends mail. It answers the same for every address."""

import logging

from django import forms
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from foundation.access.client_address import client_address
from foundation.access.error_pages import plain_problem
from foundation.access.site_address import usual_address
from foundation.access.throttle import Limit, Throttled, take
from foundation.accounts.password_links import MAILED_MINUTES
from foundation.infra.task_queue import QueueAway, send

FOR_AN_ADDRESS = Limit("forgotten", 3, 60)
"""Mails asked for one mail address, whether or not somebody has it."""
FROM_AN_ADDRESS = Limit("forgotten-address", 60, 60)
"""From one network address, which a whole class may share."""
log = logging.getLogger("qreels.logins")


class Forgotten(forms.Form):
    """The mail address to which a link is sent."""

    email = forms.EmailField(max_length=254)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def forgotten(request: HttpRequest) -> HttpResponse:
    """Ask for a link by mail. Whether somebody has the address is found out by the worker, so no answer tells it."""
    if not settings.MAIL_IS_SET:
        raise Http404("this site sends no mail")
    form = Forgotten(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            _count(request, form.cleaned_data["email"])
            origin, language = origin_for_mails(request), get_language() or settings.LANGUAGE_CODE
            task = ("foundation.tasks.mail_password_links", form.cleaned_data["email"], origin, language)
            send(*task, expires=60 * MAILED_MINUTES)
        except Throttled:
            log.warning("password mail throttled: from %s", client_address(request))
            raise
        except QueueAway:
            text = _("No mail can be sent at the moment. Try again in some minutes, or ask the owner of this site.")
            return plain_problem(request, 503, _("Back in a moment"), text)
        return redirect(f"{reverse('password-forgotten')}?sent=1")
    context = {"form": form, "sent": "sent" in request.GET and not form.errors, "minutes": MAILED_MINUTES}
    return render(request, "foundation/forgotten.html", context, status=400 if form.errors else 200)


def _count(request: HttpRequest, address: str) -> None:
    """Raises: Throttled."""
    take(FROM_AN_ADDRESS, client_address(request), what=_("Too many mails were asked for from your address."))
    take(FOR_AN_ADDRESS, address.casefold(), what=_("Three mails within an hour were asked for this address."))


def origin_for_mails(request: HttpRequest) -> str:
    """Scheme and host that links in mails begin with.

    The request's, if the settings name exactly that host; otherwise the usual one, since whoever asks writes the
    request's host.
    """
    origin = request.build_absolute_uri("/").rstrip("/")
    host = split_domain_port(request.get_host())[0]
    known = host in settings.ALLOWED_HOSTS or origin in settings.CSRF_TRUSTED_ORIGINS
    return origin if known else usual_address()
