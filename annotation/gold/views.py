"""The lead's pages of gold: the list, and how one person grades it, with the decision about judgments since."""

from io import BytesIO

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.assignment.priorities import annotators
from annotation.gold.exam_gold import add_exam, exams_to_add
from annotation.gold.gold_list import (
    NEWEST,
    add_file,
    add_queries,
    given_share,
    gold_of,
    queries_to_add,
    remove_gold,
)
from annotation.gold.set_aside import judgments_since, restorable, set_aside, withdraw_set_aside
from annotation.models import GoldPair, SetAside
from annotation.people.charts import weeks_chart
from annotation.people.gold_answers import GoldAnswer, gold_answers, gold_figures, good_until
from corpus.description_formats import BadFile
from evaluation.judgments.grade_classes import unit_of
from foundation.access.pages import PageFacts, lead_act, lead_page, lead_post, refusal_in, refusal_told, render_facts
from foundation.infra.list_pages import list_page
from foundation.models import Membership

LIST, ONE = "annotation/gold.html", "annotation/person_gold.html"
PAGE = 25
SHOWN = 50
"""Of the newest answers on a person's page."""


class FileForm(forms.Form):
    """Gold typed or pasted as the rows of a file."""

    rows = forms.CharField(
        max_length=1_000_000, widget=forms.Textarea, error_messages={"required": gettext_lazy("Paste some rows.")}
    )


def _list(request: HttpRequest, member: Membership, form: FileForm) -> PageFacts:
    collection = member.collection
    answered, beside = given_share(collection)
    return {
        "page": list_page(gold_of(collection), request.GET, NEWEST, size=PAGE),
        "queries": queries_to_add(collection, PAGE),
        "exams": exams_to_add(collection),
        "answered": answered,
        "attained": 100 * answered / beside if beside else None,
        "set_share": 100 * collection.gold_share,
        "form": form,
    }


@lead_page(LIST)
def gold(request: HttpRequest, member: Membership) -> PageFacts:
    """The gold of the collection, what was answered to it, and forms that add more."""
    return _list(request, member, FileForm())


@lead_post
def add(request: HttpRequest, member: Membership) -> HttpResponse:
    """Make finished queries gold, an exam's items, or the pairs of pasted rows."""
    name, exam = member.collection.name, request.POST.get("exam", "")
    if exam.isascii() and exam.isdecimal():
        with refusal_told(request):
            _say_added(request, add_exam(lead=member, number=min(int(exam), 1 << 14)))
        return redirect("gold", name)
    if request.POST.getlist("query"):
        queries = [int(query) for query in request.POST.getlist("query") if query.isascii() and query.isdecimal()]
        with refusal_told(request):
            _say_added(request, add_queries(lead=member, queries=[query for query in queries if query < 1 << 63]))
        return redirect("gold", name)
    form = FileForm(request.POST)
    if form.is_valid():
        try:
            added = add_file(lead=member, file=BytesIO(form.cleaned_data["rows"].encode()), name=_("pasted rows"))
        except BadFile as fault:
            form.add_error("rows", str(fault))
        else:
            _say_added(request, added.added)
            return redirect("gold", name)
    return render_facts(request, member, LIST, _list(request, member, form), status=400)


def _say_added(request: HttpRequest, added: int) -> None:
    messages.info(
        request, ngettext("%(count)s pair is gold now.", "%(count)s pairs are gold now.", added) % {"count": added}
    )


@lead_act("gold")
def remove(request: HttpRequest, member: Membership, gold_id: int) -> str | None:
    """Take a pair off the list."""
    get_object_or_404(GoldPair, pk=gold_id, collection=member.collection)
    return _("It is given to nobody any more.") if remove_gold(lead=member, gold_ids=[gold_id]) else None


class SetAsideForm(forms.Form):
    """The decision about judgments since a gold answer (its id; 0: all there are), `seen` of which it takes out."""

    since = forms.IntegerField(min_value=0, max_value=(1 << 63) - 1, required=False)
    seen = forms.IntegerField(min_value=0, max_value=1 << 31)
    finished = forms.BooleanField(required=False)
    reason = forms.CharField(
        max_length=2000, error_messages={"required": gettext_lazy("Give a reason: it is recorded with the decision.")}
    )


def _person(member: Membership, member_id: int) -> Membership:
    return get_object_or_404(annotators(member.collection).select_related("account", "collection"), pk=member_id)


def _since(sent: str, answers: list[GoldAnswer], good: GoldAnswer | None) -> GoldAnswer | None:
    """The answer that was chosen; without a choice, the last good one; None: the beginning."""
    if sent == "0":
        return None
    return next((answer for answer in answers if str(answer.pk) == sent), good)


def _person_facts(request: HttpRequest, member: Membership, member_id: int, form: SetAsideForm) -> PageFacts:
    person = _person(member, member_id)
    answers = gold_answers(person)
    good = good_until(member.collection, answers)
    since = _since(request.POST.get("since", request.GET.get("since", "")), answers, good)
    affected = judgments_since(person, since.at if since else None)
    given = [(answer.at, answer.error) for answer in answers]
    figures = gold_figures(member.collection, given) if given else None
    decisions = SetAside.objects.filter(member=person).select_related("decided_by", "withdrawn_by").order_by("-pk")
    within = member.collection.largest_difference
    return {
        "person": person,
        "answers": answers[::-1][:SHOWN],
        "choices": [answer for answer in answers[::-1][:SHOWN] if abs(answer.error) <= within],
        "good": good,
        "since": since,
        "figures": figures,
        "chart": weeks_chart(list(map(_as_week, figures["weeks"])), unit_of(member.collection.top_grade))
        if figures
        else None,
        "weeks": figures["weeks"][::-1] if figures else [],
        "going_on": len(affected.going_on),
        "finished": len(affected.finished),
        "both": len(affected.going_on) + len(affected.finished),
        "stay": affected.stay,
        "decisions": [(one, None if one.withdrawn_at else restorable(one).count()) for one in decisions],
        "form": form,
    }


def _as_week(week: dict[str, object]) -> dict[str, object]:
    """A week as its chart takes it."""
    figures = week["figures"]
    assert isinstance(figures, dict)
    return {"begins": week["begins"], "figures": {"judgments": figures["answered"], "difference": figures["bias"]}}


@lead_page(ONE)
def person_gold(request: HttpRequest, member: Membership, member_id: int) -> PageFacts:
    """How somebody grades gold, and how many judgments since the last good one could be taken out."""
    return _person_facts(request, member, member_id, SetAsideForm())


@lead_post
def put_aside(request: HttpRequest, member: Membership, member_id: int) -> HttpResponse:
    """Take somebody's judgments since a gold answer out of consensus."""
    person, form = _person(member, member_id), SetAsideForm(request.POST)
    if form.is_valid():
        answers = gold_answers(person)
        chosen = _since(request.POST.get("since", ""), answers, good_until(member.collection, answers))
        with refusal_in(form):
            made = set_aside(
                lead=member,
                member_id=member_id,
                since=chosen.at if chosen else None,
                reason=form.cleaned_data["reason"],
                seen=form.cleaned_data["seen"],
                finished=form.cleaned_data["finished"],
            )
            count = len(made.judgments)
            messages.info(
                request,
                ngettext(
                    "%(count)s judgment is out of consensus; others get its pair.",
                    "%(count)s judgments are out of consensus; others get their pairs.",
                    count,
                )
                % {"count": count},
            )
            return redirect("person-gold", member.collection.name, member_id)
    return render_facts(request, member, ONE, _person_facts(request, member, member_id, form), status=400)


@lead_post
def take_back_aside(request: HttpRequest, member: Membership, set_aside_id: int) -> HttpResponse:
    """Withdraw such a decision."""
    get_object_or_404(SetAside, pk=set_aside_id, member__collection=member.collection)
    made = withdraw_set_aside(lead=member, set_aside_id=set_aside_id)
    restored = made.restored or 0
    messages.info(
        request,
        ngettext("%(count)s judgment counts again.", "%(count)s judgments count again.", restored)
        % {"count": restored},
    )
    return redirect("person-gold", member.collection.name, made.member_id)
