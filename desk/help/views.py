"""Help: the manuals, and what Qreels this is. The same for everybody who is logged in, whatever they belong to."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from desk.help.manuals import INDEX, manual
from foundation.version import this_version


@require_safe
@login_required
def index(request: HttpRequest) -> HttpResponse:
    """The list of all manuals."""
    return render(request, "desk/help.html", {"manual": manual(INDEX)})


@require_safe
@login_required
def page(request: HttpRequest, manual_name: str) -> HttpResponse:
    """One manual."""
    if manual_name == INDEX:
        return redirect("help")
    shown = manual(manual_name)
    if shown is None:
        raise Http404("no such manual")
    return render(request, "desk/help.html", {"manual": shown})


@require_safe
@login_required
def about(request: HttpRequest) -> HttpResponse:
    """Version, licence, citation, packages."""
    return render(request, "desk/about.html", {"about": this_version()})
