"""Request that precomputed figures be recomputed."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from annotation.precomputed import computed_or_ask
from foundation.access.form_input import is_own_address
from foundation.access.pages import lead_post
from foundation.models import Membership


@lead_post
def refresh(request: HttpRequest, member: Membership, what: str) -> HttpResponse:
    """Request a recomputation, and return to the page (`next`) that shows the result."""
    try:
        computed_or_ask(collection=member.collection, name=what, anew=True)
    except KeyError:
        messages.error(request, gettext("There is nothing of that name to compute."))
    back = request.POST.get("next", "")
    if is_own_address(back):
        return redirect(back)
    return redirect("overview", member.collection.name)
