"""Mails chosen on the account page, and stopped by the link of a mail without a login (RFC 8058)."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from foundation.access.error_pages import problem_page
from foundation.access.needs_login import account_of, account_post
from foundation.mail.choice import LinkWrong, choose, read_token, stop
from foundation.mail.kinds import KINDS


@never_cache
@account_post
def change(request: HttpRequest) -> HttpResponse:
    """Have the ticked kinds mailed, and no others."""
    choose(account=account_of(request), wanted=request.POST.getlist("kind"))
    messages.info(request, _("Your choice of mails is kept."))
    return redirect("account")


# Mail programs send the request themselves, without a cookie or a form's token: what they bring is the signed address,
# which says whose mails end and can do nothing else.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def stop_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """The page behind a mail's link, and what its buttons and a mail program's own button send. Only a POST changes
    something: programs that scan mails open every link."""
    try:
        account_id, kinds = read_token(token)
    except LinkWrong:
        text = _("It is incomplete. Copy it whole from the mail, or choose your mails on your account's page.")
        return problem_page(request, 404, _("This link doesn't work"), text)
    if request.method == "POST":
        stop(account_id=account_id, kinds=list(KINDS) if request.POST.get("all") else kinds)
    titles = [KINDS[name].title for name in kinds]
    return render(request, "foundation/mail_stop.html", {"kinds": titles, "done": request.method == "POST"})
