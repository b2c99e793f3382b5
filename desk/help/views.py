"""Help: the manuals, and what Qreels this is. The same for everybody who is logged in, whatever they belong to."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from desk.help.manuals import INDEX, manual
from foundation.access.needs_login import account_get
from foundation.version import this_version


@account_get
def index(request: HttpRequest) -> HttpResponse:
    """The list of all manuals."""
    return render(request, "desk/help.html", {"manual": manual(INDEX)})


@account_get
def page(request: HttpRequest, manual_name: str) -> HttpResponse:
    """One manual."""
    if manual_name == INDEX:
        return redirect("help")
    shown = manual(manual_name)
    if shown is None:
        raise Http404("no such manual")
    return render(request, "desk/help.html", {"manual": shown})


@account_get
def about(request: HttpRequest) -> HttpResponse:
    """Version, licence, citation, packages."""
    return render(request, "desk/about.html", {"about": this_version()})
