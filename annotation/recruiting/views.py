"""The lead's pages of recruiting: all recruitments, one with its sessions, and the files for approving."""

from datetime import datetime, time
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.models import Recruitment
from annotation.qualification.invitation_views import InvitationForm
from annotation.recruiting.files import FILES, file_of
from annotation.recruiting.platforms import Names
from annotation.recruiting.recruitments import (
    Terms,
    change_recruitment,
    entry_of,
    known_number,
    make_recruitment,
    recruitments_of,
    secret_of,
)
from annotation.recruiting.sessions import NEWEST, session_rows, sessions_of
from foundation.access.form_input import DayField, WholeNumberField, with_point
from foundation.access.guards import lead_required
from foundation.access.pages import PageFacts, lead_get, lead_page, lead_post, refusal_in, refusal_told, render_facts
from foundation.infra.list_pages import list_page
from foundation.models import Membership

PAGE = 50
RECRUITING = "annotation/recruiting.html"


class AmountField(forms.DecimalField):
    """An amount of money, with a decimal point or comma."""

    widget = forms.TextInput

    def clean(self, value: Any) -> Any:
        return super().clean(with_point(str(value or ""))) or Decimal(0)


class RecruitmentForm(InvitationForm):
    """A new recruitment: what an invitation asks, and more. What is left empty follows from the platform, or isn't
    limited."""

    platform = forms.ChoiceField(choices=Recruitment.Platform.choices)
    label = forms.CharField(max_length=100)
    until = forms.ChoiceField(choices=Recruitment.Until.choices)
    amount = WholeNumberField(min_value=1, max_value=100_000, required=False)
    most_out = WholeNumberField(max_value=100, required=False)
    places = WholeNumberField(min_value=1, max_value=1_000_000, required=False)
    most_sessions = WholeNumberField(min_value=1, max_value=1000, required=False)
    most_judgments = WholeNumberField(min_value=1, max_value=1_000_000, required=False)
    first_day = DayField(required=False)
    paid_by = forms.ChoiceField(choices=Recruitment.PaidBy.choices)
    rate = AmountField(min_value=0, max_digits=9, decimal_places=4, required=False)
    reward = AmountField(min_value=0, max_digits=8, decimal_places=2, required=False)
    currency = forms.CharField(max_length=8, required=False)
    code = forms.CharField(max_length=100, required=False)
    screened_code = forms.CharField(max_length=100, required=False)
    return_address = forms.CharField(max_length=500, required=False)
    person_parameter = forms.CharField(max_length=40, required=False)
    session_parameter = forms.CharField(max_length=40, required=False)
    study_parameter = forms.CharField(max_length=40, required=False)
    signed = forms.BooleanField(required=False)
    known = forms.CharField(required=False, max_length=2_000_000)

    def terms(self) -> Terms:
        """What was sent."""
        sent: dict[str, Any] = dict(self.cleaned_data)
        parts = [sent.pop(f"{part}_parameter") for part in ("person", "session", "study")]
        first = sent.pop("first_day")
        return Terms(
            **sent
            | {
                "name": sent.pop("label"),
                "people": sent.pop("places"),
                "names": Names(*parts) if any(parts) else None,
                "return_address": sent["return_address"] or None,
                "known": sent["known"] or None,
                "most_sessions": sent["most_sessions"] or 1,
                "languages": tuple(sent["languages"]),
                "opens_at": first and datetime.combine(first, time.min, tzinfo=timezone.get_current_timezone()),
                "expires_at": sent.pop("last_day"),
            }
        )


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@lead_required
def recruiting(request: HttpRequest, member: Membership) -> HttpResponse:
    """All recruitments, and a form for another."""
    form = RecruitmentForm(request.POST or None, initial={"most_sessions": 1, "currency": member.collection.currency})
    if request.method == "POST" and form.is_valid():
        with refusal_in(form):
            made = make_recruitment(lead=member, terms=form.terms())
            return redirect("recruitment", member.collection.name, made.pk)
    facts = {
        "form": form,
        "recruitments": recruitments_of(member.collection),
    }
    return render_facts(request, member, RECRUITING, facts, status=400 if form.errors else 200)


@lead_page("annotation/recruitment.html")
def recruitment(request: HttpRequest, member: Membership, recruitment_id: int) -> PageFacts:
    """A recruitment: its address, what it asks, and its sessions, the newest first."""
    found = get_object_or_404(recruitments_of(member.collection), pk=recruitment_id)
    page = list_page(sessions_of(found), request.GET, NEWEST, size=PAGE)
    return {
        "asked": found,
        "entry": request.build_absolute_uri("/").rstrip("/") + entry_of(found),
        "secret": secret_of(found) if found.signed else "",
        "known": known_number(found),
        "page": page,
        "rows": list(zip(page.rows, session_rows(member.collection, page.rows), strict=True)),
    }


@lead_post
def change(request: HttpRequest, member: Membership, recruitment_id: int) -> HttpResponse:
    """Close a recruitment or open it again, by {"do"}; or {"known"}, whose ids may enter."""
    found = get_object_or_404(recruitments_of(member.collection), pk=recruitment_id)
    do = request.POST.get("do", "")
    with refusal_told(request):
        if do in ("close", "open"):
            change_recruitment(lead=member, recruitment_id=found.pk, closed=do == "close")
            sentence = (
                _("Nobody can begin here any more. Who is in a session can complete it.")
                if do == "close"
                else _("People can begin here again.")
            )
            messages.info(request, sentence)
        elif do == "known":
            change_recruitment(lead=member, recruitment_id=found.pk, known=request.POST.get("known", ""))
            messages.info(request, _("The list is saved."))
        else:
            messages.error(request, _("Choose close, open or known."))
    return redirect("recruitment", member.collection.name, found.pk)


@lead_get
def sessions_csv(request: HttpRequest, member: Membership, recruitment_id: int, what: str) -> HttpResponse:
    """A file of the recruitment's sessions: all figures, what the platform takes to approve them, or its bonuses."""
    found = get_object_or_404(recruitments_of(member.collection), pk=recruitment_id)
    if what not in FILES:
        raise Http404("no such file")
    rows = session_rows(member.collection, list(sessions_of(found).order_by("pk")))
    made = file_of(what, found.platform, rows)
    name = f"{member.collection.name}-{what}-{found.pk}.{made.ending}"
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    made.write(response)
    return response
