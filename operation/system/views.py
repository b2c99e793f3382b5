"""The page System: what the probes see, with what to do about each, for owners of the site."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from foundation.access.needs_login import login_required
from foundation.access.site_owner import site_owner
from foundation.mail.choice import begin, stop, wants
from foundation.mail.outbox import start_held
from operation.backup.jobs import ask_for_backup
from operation.system.selectors import system_facts


@require_safe
@never_cache
@login_required
def system(request: HttpRequest) -> HttpResponse:
    """The page."""
    owner = site_owner(request)
    context = {"facts": system_facts(), "gets_mail": wants(owner, "alerts")}
    return render(request, "operation/system.html", context)


@require_POST
@login_required
def alert_mail(request: HttpRequest) -> HttpResponse:
    """Begin or stop mails about alerts to this owner."""
    owner = site_owner(request)
    wanted = request.POST.get("wanted") == "yes"
    (begin if wanted else stop)(account_id=owner.pk, kinds=["alerts"])
    messages.info(request, _("You get mails about alerts.") if wanted else _("You get no mails about alerts."))
    return redirect("system")


@require_POST
@login_required
def start_mails(request: HttpRequest) -> HttpResponse:
    """Have mailed what has been held since the site was restored from a backup."""
    site_owner(request)
    count = start_held()
    words = ngettext("%(count)s notice is mailed now.", "%(count)s notices are mailed now.", count)
    messages.info(request, words % {"count": count})
    return redirect("system")


@require_POST
@login_required
def back_up(request: HttpRequest) -> HttpResponse:
    """Have a worker make a backup where the schedule makes them."""
    site_owner(request)
    row = ask_for_backup()
    messages.info(request, _("A backup is being made.") if row else _("One is being made already."))
    return redirect("system")
