"""The pages of webhooks: a collection's for its leads, the whole site's for its owners."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from foundation.access.form_input import whole_number
from foundation.access.needs_login import account_post, login_required
from foundation.access.pages import PageFacts, lead_page, lead_post, refusal_told, render_facts
from foundation.access.site_owner import site_owner
from foundation.models import Account, Collection, Membership, Webhook
from foundation.refused import Refused
from foundation.webhooks import services
from foundation.webhooks.kinds import KINDS
from foundation.webhooks.selectors import hook_rows, hooks_of, newest_events
from foundation.webhooks.services import make_webhook


@lead_page("foundation/webhooks.html")
def webhooks(request: HttpRequest, member: Membership) -> PageFacts:
    """A collection's webhooks, and the log of what they were told."""
    return _facts(member.collection)


@never_cache
@lead_post
def make(request: HttpRequest, member: Membership) -> HttpResponse:
    """Make a webhook. Its secret is shown in this answer and nowhere else."""
    assert member.account is not None
    facts, status = _made(request, member.account, member.collection)
    return render_facts(request, member, "foundation/webhooks.html", facts, status=status)


@lead_post
def change(request: HttpRequest, member: Membership, webhook_id: int) -> HttpResponse:
    """Stop, start, test or remove a webhook, or have what was given up sent again."""
    assert member.account is not None
    _change(request, member.account, member.collection, webhook_id)
    return redirect("webhooks", member.collection.name)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def of_the_site(request: HttpRequest) -> HttpResponse:
    """The webhooks of the whole site; a POST makes one."""
    owner = site_owner(request)
    facts, status = _made(request, owner, None) if request.method == "POST" else (_facts(None), 200)
    return render(request, "foundation/webhooks.html", facts, status=status)


@account_post
def change_of_the_site(request: HttpRequest, webhook_id: int) -> HttpResponse:
    """As `change`, for one of the whole site."""
    owner = site_owner(request)
    _change(request, owner, None, webhook_id)
    return redirect("site-webhooks")


def _facts(collection: Collection | None, **shown: Any) -> PageFacts:
    return {
        "webhooks": hook_rows(collection),
        "events": newest_events(collection),
        "kinds": KINDS,
        "chosen": list(KINDS),
        **shown,
    }


def _made(request: HttpRequest, account: Account, collection: Collection | None) -> tuple[PageFacts, int]:
    address, kinds = request.POST.get("address", ""), request.POST.getlist("kind")
    try:
        new = make_webhook(account=account, collection=collection, address=address, kinds=kinds)
    except Refused as refusal:
        wrong = {refusal.field or "problem": str(refusal)}
        return _facts(collection, wrong=wrong, sent=address, chosen=kinds), 400
    return _facts(collection, secret=new.secret, made=new.row.address), 200


def _change(request: HttpRequest, account: Account, collection: Collection | None, webhook_id: int) -> None:
    webhook = hooks_of(collection).filter(pk=webhook_id).first()
    if webhook is None:
        raise Http404("no such webhook")
    with refusal_told(request):
        sentence = _done(request, request.POST.get("do", ""), webhook, account)
        if sentence:
            messages.info(request, sentence)


def _done(request: HttpRequest, button: str, webhook: Webhook, account: Account) -> str:
    """Do what a button says, and return what to say of it."""
    if button == "stop":
        services.stop_webhook(webhook=webhook)
        return _("The webhook is stopped. What it has yet to be told waits.")
    if button == "start":
        services.start_webhook(webhook=webhook, account=account)
        return _("The webhook is started.")
    if button == "remove":
        services.remove_webhook(webhook=webhook)
        return _("The webhook is removed, with its log.")
    if button == "test":
        services.test_webhook(webhook=webhook)
        return _("A test is sent. What came of it is in the log in a moment.")
    if button == "again":
        number = request.POST.get("event", "")
        event_id = whole_number(number)
        if number and event_id is None:
            return ""
        count = services.send_again(webhook=webhook, event_id=event_id)
        return ngettext("%(count)s event is sent again.", "%(count)s events are sent again.", count) % {"count": count}
    return ""
