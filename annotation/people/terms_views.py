"""The lead's form for an annotator's languages and pay rate."""

from collections.abc import Callable
from datetime import date
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext

from annotation.people.pay import read_rate
from annotation.people.terms import read_languages, set_terms
from foundation.access.pages import lead_post, render_facts
from foundation.collections.views import members_facts
from foundation.models import Membership
from foundation.refused import Refused


@lead_post
def change_terms(request: HttpRequest, member: Membership, member_id: int) -> HttpResponse:
    """Set languages and rate, the rate from a day on; owners and leads only. What is wrong stands beside its field."""
    sent = {name: request.POST.get(name, "") for name in READERS}
    terms: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    for name, read in READERS.items():
        try:
            terms[name] = read(sent[name])
        except Refused as refusal:
            wrong[name] = str(refusal)
    try:
        if not wrong:
            other, change = set_terms(lead=member, member_id=member_id, **terms)
    except Refused as refusal:
        if not refusal.field:
            messages.error(request, str(refusal))
            return redirect("members", member.collection.name)
        wrong[refusal.field] = str(refusal)
    if wrong:
        facts = members_facts(member, of=member_id, wrong=wrong, sent=sent)
        return render_facts(request, member, "foundation/members.html", facts, status=400)
    reads = ", ".join(other.languages) or gettext("all languages")
    messages.info(request, gettext("%(worker)s reads %(languages)s.") % {"worker": other.worker, "languages": reads})
    if change:
        messages.info(
            request, gettext("The new rate is paid for work from %(day)s on.") % {"day": change.since.isoformat()}
        )
    return redirect("members", member.collection.name)


def _day(text: str) -> date:
    if not text.strip():
        return timezone.now().date()
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise Refused(
            gettext("Found the day %(text)s, expected one such as 2026-01-31.") % {"text": repr(text[:40])}
        ) from None


READERS: dict[str, Callable[[str], Any]] = {"languages": read_languages, "rate": read_rate, "since": _day}
"""The form's fields, and what reads each; it raises Refused."""
