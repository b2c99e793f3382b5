"""The lead's pages of consent and survey: the text and who confirmed it, the questions and their sums."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from annotation.consent.people import annotators_by_consent, consent_counts
from annotation.consent.survey import TEMPLATES, Kind, ask_question, retire_question
from annotation.consent.survey_rule import FEWEST, LEAST
from annotation.consent.survey_sums import rows_of, sum_up, sums_of
from annotation.consent.texts import consent_draft, current_consent, publish_consent, save_consent_draft
from annotation.models import OnWithdrawal
from annotation.versioned_text_views import edited_text
from foundation.access.guards import lead_required
from foundation.access.pages import lead_act, lead_get, render_facts
from foundation.infra.csv_download import csv_download
from foundation.infra.csv_escape import safe_row
from foundation.infra.list_pages import Order, list_page
from foundation.markdown import to_html
from foundation.models import Membership
from foundation.refused import Refused

PEOPLE = 50
WRITTEN = ("kind", "text", "options")


@require_http_methods(["GET", "HEAD", "POST"])
@lead_required
def edit(request: HttpRequest, member: Membership) -> HttpResponse:
    """The editor: save and preview the draft, or publish it with a note on what changed; and who confirmed what."""
    standing, on_withdrawal = consent_draft(member.collection)
    on_withdrawal = request.POST.get("on_withdrawal", on_withdrawal)
    edited = edited_text(
        request,
        standing,
        save=lambda source: save_consent_draft(lead=member, source=source, on_withdrawal=on_withdrawal),
        publish=lambda source, note: publish_consent(
            lead=member, source=source, note=note, on_withdrawal=on_withdrawal
        ),
    )
    if edited.published is not None:
        return redirect("consent-edit", member.collection.name)
    facts = {
        "edited": edited,
        "on_withdrawal": on_withdrawal,
        "policies": OnWithdrawal.choices,
        "newest": current_consent(member.collection),
        "html": to_html(edited.source),
        "counts": consent_counts(member.collection),
        "page": list_page(annotators_by_consent(member.collection), request.GET, Order(("worker", "pk")), size=PEOPLE),
    }
    return render_facts(request, member, "annotation/consent_edit.html", facts, status=400 if edited.wrong else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@lead_required
def survey(request: HttpRequest, member: Membership) -> HttpResponse:
    """The questions with their sums, and a form for another; ?template= fills it in."""
    template = TEMPLATES.get(request.GET.get("template", ""))
    written = {name: getattr(template, name) if template else "" for name in WRITTEN}
    wrong: dict[str, str] = {}
    if "text" in request.POST:
        written = {name: request.POST.get(name, "")[:10_000] for name in WRITTEN}
        try:
            options = written["options"].splitlines()
            ask_question(lead=member, kind=written["kind"], text=written["text"], options=options)
        except Refused as refusal:
            wrong = {refusal.field: str(refusal)}
        else:
            messages.info(request, _("The question is asked now."))
            return redirect("survey-edit", member.collection.name)
    facts = {
        "sums": sums_of(member.collection),
        "written": written,
        "wrong": wrong,
        "kinds": Kind.choices,
        "templates": [(name, each.text) for name, each in TEMPLATES.items()],
        "least": LEAST,
        "fewest": FEWEST,
    }
    return render_facts(request, member, "annotation/survey_edit.html", facts, status=400 if wrong else 200)


@lead_act("survey-edit")
def retire(request: HttpRequest, member: Membership, survey_question_id: int) -> str:
    """Ask a question no more."""
    retire_question(lead=member, question_id=survey_question_id)
    return _("The question isn't asked any more, and its answers are deleted. Its sums stay.")


@lead_act("survey-edit")
def add_up(request: HttpRequest, member: Membership) -> str:
    """Sum up the answers of those who are in no sum yet."""
    if not (made := sum_up(collection=member.collection)):
        return _("Nothing is summed up: it takes %(fewest)s people who are in no sum yet.") % {"fewest": FEWEST}
    said = ngettext("%(count)s question is summed up.", "%(count)s questions are summed up.", made)
    return said % {"count": made}


@lead_get
def survey_csv(request: HttpRequest, member: Membership) -> HttpResponseBase:
    """The sums as a table: question, answer (empty: others, or none), people."""
    rows = rows_of(sums_of(member.collection))
    return csv_download(f"{member.collection.name}-survey", ("question", "answer", "people"), map(safe_row, rows))
