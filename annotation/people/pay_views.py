"""The lead's form for an annotator's languages and pay rate."""

from datetime import date

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from annotation.people.pay_and_languages import TermsRefused, read_languages, read_rate, set_terms
from corpus.access.guards import lead_required
from corpus.models import Membership


@require_POST
@lead_required
def change_terms(request: HttpRequest, member: Membership, member_id: int) -> HttpResponse:
    """Set languages and rate, the rate from a day on; owners and leads only."""
    try:
        other, change = set_terms(
            lead=member,
            member_id=member_id,
            languages=read_languages(request.POST.get("languages", "")),
            rate=read_rate(request.POST.get("rate", "")),
            since=_day(request.POST.get("since", "")),
        )
    except TermsRefused as refusal:
        messages.error(request, str(refusal))
    else:
        reads = ", ".join(other.languages) or gettext("all languages")
        messages.info(
            request, gettext("%(worker)s reads %(languages)s.") % {"worker": other.worker, "languages": reads}
        )
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
        raise TermsRefused(
            gettext("Found the day %(text)s, expected one such as 2026-01-31.") % {"text": repr(text[:40])}
        ) from None
