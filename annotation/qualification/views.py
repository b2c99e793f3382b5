"""A newcomer's checklist, and the page for erasing one's own data."""

from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from annotation.consent.standing import held_text
from annotation.judging.guards import trainee_required
from annotation.judging.notices import unread_notices
from annotation.people.erasure import erase_account
from annotation.qualification.exams import exam_feedback, items_left, sitting_of, why_not_begin
from annotation.qualification.guidelines import current_guideline, practice_of
from foundation.access.needs_login import account_of, login_required
from foundation.access.pages import refusal_told, render_facts
from foundation.models import Membership


@require_safe
@trainee_required
def page(request: HttpRequest, member: Membership) -> HttpResponse:
    """The checklist: guideline, practice, exam, feedback, the lead's decision."""
    sitting = sitting_of(member)
    feedback = exam_feedback(sitting) if sitting is not None else []
    total = sitting.exam.items.count() if sitting is not None else 0
    facts = {
        "guideline": current_guideline(member.collection),
        "confirmed": member.knows_guideline,
        "practice": practice_of(member),
        "sitting": sitting,
        "total": total,
        "left": len(items_left(sitting)) if sitting is not None else 0,
        "hindrance": why_not_begin(member) if sitting is None else "",
        "feedback": feedback,
        "first_out": sum(row.first.out for row in feedback),
        "out": sum(row.now.out for row in feedback),
        "admitted": member.status == Membership.Status.ADMITTED,
        "unread_notices": unread_notices(member),
        "declined": member.status == Membership.Status.DECLINED,
    }
    return render_facts(request, member, "annotation/qualification.html", facts)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def erase_account_page(request: HttpRequest) -> HttpResponse:
    """The page for erasing one's own account: what is stored, and a form confirmed by typing one's name."""
    account = account_of(request)
    if request.method != "POST":
        places = Membership.objects.filter(account=account, collection__study_of=None)
        own = list(places.select_related("collection").order_by("collection__title"))
        consents = [
            (place.collection, held_text(place))
            for place in own
            if place.collection.consent_version and place.consent_withdrawn_at is None and not place.leads
        ]
        context = {"places": own, "consents": consents}
        return render(request, "annotation/erase.html", context)
    if request.POST.get("username", "") != account.username:
        messages.error(request, _("That doesn't match your username. Nothing was erased."))
        return redirect("erase-account")
    with refusal_told(request):
        erase_account(account=account)
        logout(request)
        # Nobody is logged in any more, so the address says in which language the farewell is.
        farewell = reverse("erased")
        return redirect(f"{farewell}?{urlencode({'language': account.language})}" if account.language else farewell)
    return redirect("erase-account")
