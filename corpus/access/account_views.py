"""The account page: name, mail address, memberships, and links to API tokens and to erasing the account."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from corpus.models import Membership


@require_safe
@login_required
def account(request: HttpRequest) -> HttpResponse:
    """The account's name, mail address, and its memberships with their worker ids."""
    places = Membership.objects.filter(account=request.user, collection__study_of=None)
    context = {"places": places.select_related("collection").order_by("collection__title")}
    return render(request, "corpus/account.html", context)


@require_safe
def erased(request: HttpRequest) -> HttpResponse:
    """The page shown after erasing one's account; visitors are not logged in."""
    if request.user.is_authenticated:
        return redirect("home")
    return render(request, "corpus/erased.html")
