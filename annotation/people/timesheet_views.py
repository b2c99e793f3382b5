"""Pages of working time and pay: the lead's with CSV and corrections, and each annotator's own."""

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_lazy

from annotation.assignment.priorities import annotators
from annotation.judging.notices import unread_notices
from annotation.models import TimeCorrection
from annotation.people.session_card import session_since
from annotation.people.timesheet import HEADINGS, all_together, correct_time, totals, work_days
from foundation.access.form_input import WholeNumberField
from foundation.access.guards import annotator_get
from foundation.access.pages import PageFacts, lead_get, lead_page, lead_post, member_page, render_facts
from foundation.infra.csv_download import csv_download
from foundation.infra.csv_escape import safe_row
from foundation.infra.times import in_utc
from foundation.models import Membership, Purpose

TIME = "annotation/time.html"
SHOWN_DAYS = 28
MOST_MINUTES = 24 * 60


class CorrectionForm(forms.Form):
    """Minutes to add to a person's day, or to take from it, and why."""

    person = forms.TypedChoiceField(coerce=int)
    day = forms.DateField(error_messages={"invalid": gettext_lazy("Write the day as in 2026-11-21.")})
    minutes = WholeNumberField(min_value=-MOST_MINUTES, max_value=MOST_MINUTES)
    reason = forms.CharField(max_length=2000)

    def __init__(self, *args: Any, people: Iterable[Membership], **named: Any) -> None:
        super().__init__(*args, **named)
        self.fields["person"].choices = [(person.pk, person.worker) for person in people]  # type: ignore[attr-defined]  # to the stubs any Field

    def clean_minutes(self) -> int:
        minutes: int = self.cleaned_data["minutes"]
        if not minutes:
            raise ValidationError(gettext("Enter how many minutes to add or to take away."))
        return minutes


@lead_page(TIME)
def time(request: HttpRequest, member: Membership) -> PageFacts:
    """Everybody's days in a span, their totals, and the corrections made."""
    _, last = _span(request)
    return _facts(
        request, member, CorrectionForm(people=annotators(member.collection), initial={"day": last.isoformat()})
    )


def _facts(request: HttpRequest, member: Membership, form: CorrectionForm) -> PageFacts:
    first, last = _span(request)
    days = work_days(member.collection, first=first, last=last)
    people = totals(days)
    return {
        "first": first,
        "last": last,
        "days": days,
        "trained": any(day.training for day in days),
        "studies": member.collection.studies.exclude(purpose=Purpose.GOLD).order_by("pk"),
        "totals": people,
        "together": all_together(days) if len(people) > 1 else None,
        "form": form,
        "corrections": TimeCorrection.objects.filter(annotator__collection=member.collection)
        .select_related("annotator", "made_by")
        .order_by("-pk")[:50],
    }


@lead_get
def time_csv(request: HttpRequest, member: Membership) -> HttpResponseBase:
    """The same days as CSV, one row per person and day."""
    first, last = _span(request)
    rows = (safe_row(day.as_row()) for day in work_days(member.collection, first=first, last=last))
    return csv_download(f"{member.collection.name}-time-{first}-{last}", HEADINGS, rows)


@lead_post
def correct(request: HttpRequest, member: Membership) -> HttpResponse:
    """Add or take minutes of a person's day, with the reason."""
    form = CorrectionForm(request.POST, people=annotators(member.collection))
    if not form.is_valid():
        return render_facts(request, member, TIME, _facts(request, member, form), status=400)
    sent = form.cleaned_data
    try:
        correct_time(
            lead=member, member_id=sent["person"], day=sent["day"], minutes=sent["minutes"], reason=sent["reason"]
        )
    except ValidationError as error:
        for field, faults in getattr(error, "error_dict", {"day": error.messages}).items():
            form.add_error({"seconds": "minutes", "annotator": "person"}.get(field, field), faults)
        return render_facts(request, member, TIME, _facts(request, member, form), status=400)
    messages.info(request, gettext("The correction is saved."))
    return redirect("time", member.collection.name)


@member_page("annotation/own_time.html")
def own_time(request: HttpRequest, member: Membership) -> PageFacts:
    """An annotator's own timesheet: days, hours, pay, and corrections with their reasons."""
    first, last = _span(request)
    days = work_days(member.collection, first=first, last=last, member=member)
    return {
        "first": first,
        "last": last,
        "days": days,
        "trained": any(day.training for day in days),
        "totals": totals(days),
        "unread_notices": [] if member.leads else unread_notices(member),
        "corrections": member.time_corrections.order_by("-pk")[:50],
    }


@annotator_get
def session(request: HttpRequest, member: Membership) -> HttpResponse:
    """What the annotator did since {"since"}, an ISO 8601 time, or today (UTC): judged, seconds, per_hour, earned
    (empty where there is no rate, or nothing yet).

    400 says what is wrong with the time.
    """
    asked = request.GET.get("since", "") or f"{date.today()}T00:00:00Z"
    try:
        since = in_utc(datetime.fromisoformat(asked))
    except ValueError:
        text = f"found the time {asked[:40]!r}, expected one such as 2026-11-22T09:00:00Z"
        return HttpResponse(text, status=400, content_type="text/plain")
    work = session_since(member, since)
    earned = "" if not work.pay else f"{number_format(work.pay, force_grouping=True)} {work.currency}"
    body = {"judged": work.judged, "seconds": round(work.seconds), "per_hour": work.per_hour, "earned": earned}
    return JsonResponse(body, headers={"Cache-Control": "no-store"})


def _span(request: HttpRequest) -> tuple[date, date]:
    """The requested span of days; the last four weeks by default and for invalid dates."""
    today = date.today()
    try:
        last = _day(request.GET["last"])
        first = _day(request.GET["first"])
    except (KeyError, ValidationError):
        return today - timedelta(days=SHOWN_DAYS - 1), today
    return min(first, last), max(first, last)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ValidationError(
            gettext("found the day %(said)s, expected one like 2026-11-21") % {"said": repr(text)}
        ) from error
