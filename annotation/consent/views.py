"""An annotator's pages of consent and survey: read, confirm, withdraw; answer, change, delete."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from annotation.consent.standing import confirm_consent, held_text, withdraw_consent
from annotation.consent.survey import answer_survey, answers_of, choices_of, delete_answers, questions_of
from annotation.consent.texts import current_consent
from foundation.access.first_page import first_page
from foundation.access.form_input import whole_number
from foundation.access.guards import member_of_archived, member_required
from foundation.access.pages import PageFacts, member_page, refusal_told, render_facts
from foundation.markdown import to_html
from foundation.models import Membership


@member_page("annotation/consent.html")
def page(request: HttpRequest, member: Membership, version: int | None = None) -> PageFacts:
    """The consent text: the newest version, or an older one by number; whether it holds for the member; a way out."""
    texts = member.collection.consent_texts.order_by("-version")
    text = current_consent(member.collection)
    if version is not None:
        text = get_object_or_404(texts, version=version)
    newest = text is not None and text.version == member.collection.consent_version
    return {
        "text": text,
        "html": to_html(text.source) if text is not None else "",
        "versions": texts.defer("source"),
        "newest": newest,
        "to_confirm": newest and not member.leads and not member.agrees,
        "held": held_text(member),
        "acts": member.consent_acts.order_by("-pk")[:20],
        "asks": bool(questions_of(member.collection)),
        "first_page": first_page(member),
    }


@require_POST
@member_required
def confirm(request: HttpRequest, member: Membership) -> HttpResponse:
    """Confirm the text by the button under it; what comes next is the survey, or work."""
    with refusal_told(request):
        confirm_consent(member=member, version=whole_number(request.POST.get("version", "")) or 0)
        return redirect(after_consent(member))
    return redirect("consent", member.collection.name)


def after_consent(member: Membership) -> str:
    """Where somebody goes who has just confirmed the text: to the survey, if they answered nothing yet."""
    if not member.leads and questions_of(member.collection) and not answers_of(member):
        return reverse("survey", args=[member.collection.name])
    return first_page(member)


@require_POST
@member_of_archived
def withdraw(request: HttpRequest, member: Membership) -> HttpResponse:
    """Withdraw the consent, by one button; in the archive too."""
    with refusal_told(request):
        taken_back = withdraw_consent(member=member)
        messages.info(request, _("Your consent is withdrawn: you get no more work here."))
        if taken_back:
            said = ngettext("%(count)s judgment is taken back.", "%(count)s judgments are taken back.", taken_back)
            messages.info(request, said % {"count": f"{taken_back:,}"})
    return redirect("consent", member.collection.name)


@require_http_methods(["GET", "HEAD", "POST"])
@member_of_archived
def survey(request: HttpRequest, member: Membership) -> HttpResponse:
    """The questions with one's own answers; all of them may be changed or deleted at any time, in the archive too."""
    questions = questions_of(member.collection)
    if request.method == "POST":
        with refusal_told(request):
            if request.POST.get("action") == "delete":
                delete_answers(member=member)
                messages.info(request, _("Your answers are deleted."))
            else:
                # What a page didn't ask, since it is older than the question, stays as it was answered elsewhere.
                sent = {each.pk: request.POST[name] for each in questions if (name := f"q{each.pk}") in request.POST}
                answer_survey(member=member, answers=sent)
                messages.info(request, _("Your answers are kept. Change or delete them here whenever you like."))
            return redirect("survey", member.collection.name)
    own = answers_of(member)
    facts = {
        "questions": [(each, f"q{each.pk}", own.get(each.pk, ""), choices_of(each)) for each in questions],
        "answered": bool(own),
        "may_answer": member.agrees and not member.leads,
        "first_page": first_page(member),
    }
    return render_facts(request, member, "annotation/survey.html", facts)
