"""The lead's side of qualification: exam state, results, admission, worked examples."""

import secrets
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, ngettext

from annotation.judging.watched_clip import wrong_grade
from annotation.models import ExamItem, WorkedItem
from annotation.people.erasure import erase_member
from annotation.qualification.exam_results import exam_results
from annotation.qualification.exam_sampling import CANDIDATES, QUERIES, current_exam, draw_exam, draw_worked_items
from annotation.qualification.exams import close_cohort, decide_applicant, open_exam
from annotation.qualification.explanations import LONGEST_WHY, drop_item, explain_exam_item, explain_item
from annotation.scale import scale_of
from foundation.access.form_input import WholeNumberField, whole_number
from foundation.access.pages import PageFacts, lead_page, lead_post, refusal_told, render_facts
from foundation.infra.list_pages import numbered_page
from foundation.models import HIGHEST_GRADE, Collection, Membership

PAGE = 20
PREPARATION = "annotation/prepare.html"


@lead_page("annotation/applicants.html")
def page(request: HttpRequest, member: Membership) -> PageFacts:
    """The applicants page: everybody's progress, agreement, and the decision about each."""
    return {"results": exam_results(member.collection)}


@lead_post
def decide(request: HttpRequest, member: Membership, member_id: int) -> HttpResponse:
    """Admit or decline an applicant, or erase the person behind a worker id."""
    person = member.collection.memberships.filter(pk=member_id, role=Membership.Role.ANNOTATOR).first()
    decision = request.POST.get("decision", "")
    with refusal_told(request):
        if person is None:
            messages.error(request, gettext("There is no such annotator in this collection."))
        elif decision in ("admit", "decline"):
            decide_applicant(member=person, admit=decision == "admit")
            sentence = (
                gettext("%(worker)s can judge now.") if decision == "admit" else gettext("%(worker)s was not admitted.")
            )
            messages.info(request, sentence % {"worker": person.worker})
        elif decision == "erase" and request.POST.get("worker", "") == person.worker:
            whole = erase_member(lead=member, member=person)
            messages.info(request, gettext("%(worker)s is erased; the judgments stay.") % {"worker": person.worker})
            if not whole:
                messages.info(request, gettext("The account stays, because there is more to it than this collection."))
        else:
            messages.error(request, gettext("Choose admit or decline; to erase, type the worker id once more."))
    return redirect("applicants", member.collection.name)


@lead_post
def move_exam(request: HttpRequest, member: Membership) -> HttpResponse:
    """Open the exam to applicants, or close its first cohort.

    Closing can't be undone: it takes the number of `people` that the page `close` has told the lead.
    """
    exam = current_exam(member.collection)
    step, people = request.POST.get("step", ""), request.POST.get("people", "")
    with refusal_told(request):
        if exam is None:
            messages.error(request, gettext("There is no exam yet: draw one first."))
        elif step == "open":
            open_exam(exam=exam)
            messages.info(
                request, gettext("The exam is open: applicants can start once they have finished the training.")
            )
        elif step == "close" and not people and exam_results(member.collection).may_close:
            return redirect("exam-close", member.collection.name)
        elif step == "close":
            cohort = close_cohort(exam=exam, expected=whole_number(people) or 0)
            messages.info(
                request,
                ngettext(
                    "The true grades are fixed: those of %(cohort)s person.",
                    "The true grades are fixed: the median of %(cohort)s people's grades.",
                    cohort,
                )
                % {"cohort": cohort},
            )
        else:
            messages.error(request, gettext("Choose open or close."))
    return redirect("applicants", member.collection.name)


@lead_page("annotation/exam_close.html")
def close(request: HttpRequest, member: Membership) -> PageFacts:
    """The page that explains and confirms closing the first cohort, or says why it can't be closed now."""
    return {"results": exam_results(member.collection)}


class ExamDrawForm(forms.Form):
    """How much to draw; without a seed one is drawn at random."""

    what = forms.ChoiceField(choices=[("exam", ""), ("practice", ""), ("example", "")])
    queries = WholeNumberField(min_value=1, max_value=200, required=False)
    candidates = WholeNumberField(min_value=1, max_value=100, required=False)
    seed = WholeNumberField(max_value=2**62, required=False)


def _as_usual(part: str) -> ExamDrawForm:
    of_exam = part == "exam"
    return ExamDrawForm(initial={"queries": QUERIES if of_exam else 2, "candidates": CANDIDATES if of_exam else 5})


@lead_page(PREPARATION)
def prepare(request: HttpRequest, member: Membership) -> PageFacts:
    """The preparation page: items of exam, practice and examples with clips, true grades and reasons."""
    part = request.GET.get("part", "practice")
    if part not in ("exam", "practice", "example"):
        raise Http404("no such part")
    return _items(request, member.collection, part, _as_usual(part))


def _items(request: HttpRequest, collection: Collection, part: str, form: ExamDrawForm) -> PageFacts:
    exam = current_exam(collection)
    if part == "exam":
        items: Any = exam.items.select_related("moment__clip").order_by("pk") if exam is not None else []
    else:
        items = collection.worked_items.filter(use=part).select_related("moment__clip").order_by("pk")
    shown, scale = numbered_page(items, request.GET, size=PAGE), scale_of(collection)
    return {
        "part": part,
        "exam": exam,
        "rows": [(item, item.moment.clip_name) for item in shown],
        "page": shown,
        "waiting": collection.worked_items.filter(use=part, grade__isnull=True).count(),
        "scale": scale,
        "grades": scale.named(),
        "may_redraw": exam is None or exam.frozen_at is not None or not exam.sittings.exists(),
        "form": form,
    }


@lead_post
def draw(request: HttpRequest, member: Membership) -> HttpResponse:
    """Draw an exam, or items for practice or examples."""
    form = ExamDrawForm(request.POST)
    if not form.is_valid():
        if "what" in form.errors:
            return redirect("prepare", member.collection.name)
        facts = _items(request, member.collection, form.cleaned_data["what"], form)
        return render_facts(request, member, PREPARATION, facts, status=400)
    sent = form.cleaned_data
    seed = secrets.randbelow(2**31) if sent["seed"] is None else sent["seed"]
    with refusal_told(request):
        if sent["what"] == "exam":
            drawn = draw_exam(
                collection=member.collection,
                seed=seed,
                queries=sent["queries"] or QUERIES,
                candidates=sent["candidates"] or CANDIDATES,
            )
            sentence = gettext("The exam is drawn with seed %(seed)s. Open it when you are ready.") % {"seed": seed}
            messages.info(request, drawn.shortage or sentence)
        else:
            items = draw_worked_items(
                collection=member.collection,
                use=sent["what"],
                seed=seed,
                queries=sent["queries"] or 2,
                candidates=sent["candidates"] or 5,
            )
            sentence = ngettext(
                "%(count)s clip is drawn. Watch it and give it a grade.",
                "%(count)s clips are drawn. Watch them and give each a grade.",
                len(items),
            )
            messages.info(request, sentence % {"count": len(items)})
    return redirect(f"{reverse('prepare', args=[member.collection.name])}?part={sent['what']}")


class ExplanationForm(forms.Form):
    """The lead's grade of a worked item and the reason; without a grade the item isn't shown to anybody."""

    grade = forms.IntegerField(min_value=0, max_value=HIGHEST_GRADE, required=False)
    why = forms.CharField(max_length=LONGEST_WHY, required=False)
    use = forms.ChoiceField(choices=WorkedItem.Use.choices)


@lead_post
def explain(request: HttpRequest, member: Membership, item_id: int) -> HttpResponse:
    """Save a worked item's true grade and reason, or drop the item."""
    item = member.collection.worked_items.filter(pk=item_id).first()
    form = ExplanationForm(request.POST)
    if item is None:
        messages.error(request, gettext("There is no such item in this collection."))
        return redirect("prepare", member.collection.name)
    part = item.use
    if request.POST.get("action") == "drop":
        drop_item(item=item)
    elif not form.is_valid():
        messages.error(request, wrong_grade(member.collection))
    else:
        with refusal_told(request):
            explain_item(item=item, **form.cleaned_data)
    return redirect(_back(request, member, part, item_id))


@lead_post
def explain_exam(request: HttpRequest, member: Membership, item_id: int) -> HttpResponse:
    """Save the explanation shown with an exam item in the feedback."""
    item = ExamItem.objects.filter(pk=item_id, exam__collection=member.collection).first()
    if item is None:
        messages.error(request, gettext("There is no such item in this collection."))
    else:
        explain_exam_item(item=item, why=request.POST.get("why", "")[:LONGEST_WHY])
    return redirect(_back(request, member, "exam", item_id))


def _back(request: HttpRequest, member: Membership, part: str, item_id: int) -> str:
    # To where one was: there may be a hundred items.
    number = whole_number(request.POST.get("page", ""))
    here = f"{reverse('prepare', args=[member.collection.name])}?part={part}"
    if number is not None:
        here += f"&page={number}"
    return f"{here}#item-{item_id}"
