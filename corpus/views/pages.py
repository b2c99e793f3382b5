"""The way in: the home page, and the pages that say what went wrong."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from corpus.models import Membership
from corpus.studies import NotOfStudies


@login_required
def home(request: HttpRequest) -> HttpResponse:
    """The collections one belongs to; whoever has just one goes straight to its first page."""
    every = list(
        Membership.objects.filter(account=request.user).select_related("collection").order_by("collection__title")
    )
    asked = request.GET.get("archived") == "1"
    members = [member for member in every if (member.collection.archived_at is not None) == asked]
    # Who may begin another one needs the page that offers it: the name in the bar leads here.
    creates = request.user.creates_collections
    if len(every) == 1 and len(members) == 1 and not creates and not asked:
        return redirect(first_page(members[0]))
    context = {
        "rows": [{"member": member, "address": first_page(member)} for member in members],
        "archived": asked,
        "in_archive": sum(member.collection.archived_at is not None for member in every),
        "creates": creates,
    }
    return render(request, "corpus/home.html", context)


def first_page(member: Membership) -> str:
    """Where a member's work begins: leads at the overview, annotators at judging, before that at their training."""
    if member.leads:
        page = "overview"
    elif member.status in (Membership.Status.CANDIDATE, Membership.Status.DECLINED):
        page = "qualification"
    else:
        page = "judge"
    return reverse(page, args=[member.collection.name])


def _problem(request: HttpRequest, status: int, title: str, text: str) -> HttpResponse:
    return render(request, "corpus/problem.html", {"title": title, "text": text}, status=status)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _problem(request, 403, "Not for you", str(exception or "") or "This page is for other people.")


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if isinstance(exception, NotOfStudies):
        return _problem(request, 404, "Not in a study", str(exception))
    return _problem(request, 404, "Nothing here", "There is no such page, or it isn't yours to see.")


def server_error(request: HttpRequest) -> HttpResponse:
    text = "Something broke on our side. What you had saved is safe; reload the page to go on."
    return _problem(request, 500, "That went wrong", text)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    text = "This page was open for too long. Nothing was changed; go back, reload it and try again."
    return _problem(request, 403, "Please try again", text)
