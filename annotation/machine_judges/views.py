"""The pages of machine judges: all of a collection, and one with its jobs, counts and grades of decided pairs."""

import json
from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.machine_judges.calibration.figures import calibration_of
from annotation.machine_judges.calibration.tables import in_words
from annotation.machine_judges.jobs import keep_grades
from annotation.machine_judges.judges import declare_judge, retire_judge
from annotation.machine_judges.selectors import (
    PAIR_COLUMNS,
    candidates_of,
    decided_judgments,
    grade_counts,
    judges_of,
    rows_to_judge,
)
from annotation.machine_judges.server.asking_facts import asking_facts
from annotation.machine_judges.server.judging import begin_judging, declare_server_judge
from annotation.machine_judges.server.pairs import scope_typed
from annotation.machine_judges.server.parameters import CLIP, DESCRIPTION, MOST_FRAMES, USUAL_FRAMES
from annotation.models import MachineJudge
from foundation.access.form_input import WholeNumberField
from foundation.access.guards import takes_uploads
from foundation.access.pages import PageFacts, lead_get, lead_page, lead_post, refusal_in, render_facts
from foundation.infra.csv_download import csv_download
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import progress_told
from foundation.infra.list_pages import Order, list_page, numbered_page
from foundation.models import Membership
from foundation.refused import Refused
from queries.rewriting.llm_settings import llm_settings
from queries.rewriting.rewriters.chat import place_of

LIST, ONE = "annotation/machine_judges.html", "annotation/machine_judge.html"
PAGE = 25
FORMER = 20
BY_CANDIDATE = Order(("candidate_id",))


class JudgeForm(forms.Form):
    """What a judge whose grades are made elsewhere is."""

    name = forms.CharField(max_length=60)
    model = forms.CharField(max_length=200)
    family = forms.CharField(max_length=100)
    version = forms.CharField(max_length=200, required=False)
    prompt_version = forms.CharField(max_length=60, required=False)
    guideline = WholeNumberField(min_value=1, max_value=32_767, required=False)
    frames = WholeNumberField(min_value=1, max_value=32_767, required=False)
    parameters = forms.CharField(required=False, widget=forms.Textarea)

    def clean_parameters(self) -> dict[str, Any]:
        """The parameters as an object. Raises: ValidationError."""
        try:
            typed = json.loads(self.cleaned_data["parameters"].strip() or "{}")
        except (ValueError, RecursionError):
            typed = None
        if not isinstance(typed, dict):
            raise ValidationError(_('Enter a JSON object, such as {"temperature": 0}.'))
        return typed


class ServerJudgeForm(JudgeForm):
    """What a judge on the collection's LLM server is: it is given the newest prompt and guideline."""

    frames = WholeNumberField(min_value=1, max_value=MOST_FRAMES, required=False, initial=USUAL_FRAMES)

    sees = forms.ChoiceField(
        choices=[
            (CLIP, gettext_lazy("pictures of the clip, or the clip itself")),
            (DESCRIPTION, gettext_lazy("the moment's description")),
        ],
        required=False,
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        del self.fields["prompt_version"], self.fields["guideline"]

    def clean(self) -> dict[str, Any]:
        """What is declared: what it sees is one of its parameters, and descriptions have no pictures."""
        sees = self.cleaned_data.pop("sees", "")
        if sees and "parameters" in self.cleaned_data:
            self.cleaned_data["parameters"] = {"sees": sees} | self.cleaned_data["parameters"]
        if sees == DESCRIPTION:
            self.cleaned_data["frames"] = None
        return self.cleaned_data


class GradesForm(forms.Form):
    """A file of grades."""

    file = forms.FileField(
        max_length=400,
        error_messages={"required": gettext_lazy("Choose a file."), "empty": gettext_lazy("The file is empty.")},
    )


def _judges(
    request: HttpRequest, member: Membership, form: forms.Form, server_form: forms.Form | None = None
) -> PageFacts:
    settings = llm_settings(member.collection, model="any")
    return {
        "page": numbered_page(judges_of(member.collection), request.GET, size=PAGE),
        "candidates": candidates_of(member.collection).count(),
        "form": form,
        "server_form": server_form or ServerJudgeForm(),
        "server_place": place_of(settings.values.get("OPENAI_BASE_URL", "").strip()) if settings.is_remote else "",
    }


@lead_page(LIST)
def machine_judges(request: HttpRequest, member: Membership) -> PageFacts:
    """The collection's judges, and the form that declares another; owners and leads only."""
    return _judges(request, member, JudgeForm())


@lead_post
def declare(request: HttpRequest, member: Membership) -> HttpResponse:
    """Declare a judge whose grades are made elsewhere; owners and leads only."""
    form = JudgeForm(request.POST)
    if form.is_valid():
        with refusal_in(form):
            judge = declare_judge(
                collection=member.collection, member=member, kind=MachineJudge.Kind.FILE, **form.cleaned_data
            )
            return redirect(judge)
    return render_facts(request, member, LIST, _judges(request, member, form), status=400)


@lead_post
def declare_server(request: HttpRequest, member: Membership) -> HttpResponse:
    """Declare a model on the collection's LLM server; owners and leads only."""
    form = ServerJudgeForm(request.POST)
    if form.is_valid():
        with refusal_in(form):
            return redirect(declare_server_judge(collection=member.collection, member=member, **form.cleaned_data))
    return render_facts(request, member, LIST, _judges(request, member, JudgeForm(), form), status=400)


def _judge(member: Membership, judge_id: int) -> MachineJudge:
    return get_object_or_404(judges_of(member.collection), pk=judge_id)


def _facts(
    request: HttpRequest, judge: MachineJudge, form: forms.Form, faults: Mapping[str, str] | None = None
) -> PageFacts:
    jobs = list(judge.judgings.select_related("member").order_by("-pk")[:FORMER])
    newest = jobs[0] if jobs else None
    decided = decided_judgments(judge)
    beside_people = calibration_of(judge).value
    return {
        "judge": judge,
        "parameters": json.dumps(judge.parameters, indent=1, ensure_ascii=False) if judge.parameters else "",
        "jobs": jobs,
        "newest": newest,
        "progress": newest and progress_told(newest),
        "counts": grade_counts(judge),
        "above": in_words(beside_people) if beside_people else "",
        "page": list_page(decided, request.GET, BY_CANDIDATE, size=PAGE),
        "form": form,
        "asking": asking_facts(judge, _typed(request), faults) if judge.kind == MachineJudge.Kind.SERVER else None,
    }


def _typed(request: HttpRequest) -> dict[str, str]:
    return (request.POST if request.method == "POST" else request.GET).dict()


@lead_page(ONE)
def machine_judge(request: HttpRequest, member: Membership, judge_id: int) -> PageFacts:
    """One judge: what it is, its jobs, what it said in counts, and one by one of pairs that people have decided."""
    return _facts(request, _judge(member, judge_id), GradesForm())


@takes_uploads("leads")
@lead_post
def send_grades(request: HttpRequest, member: Membership, judge_id: int) -> HttpResponse:
    """Keep a file of the judge's grades and have a worker store them; owners and leads only."""
    judge, form = _judge(member, judge_id), GradesForm(request.POST, request.FILES)
    if form.is_valid():
        with refusal_in(form):
            ask_on_page(request, keep_grades(judge=judge, member=member, upload=form.cleaned_data["file"]))
            return redirect(judge)
    return render_facts(request, member, ONE, _facts(request, judge, form), status=400)


@lead_post
def ask_server(request: HttpRequest, member: Membership, judge_id: int) -> HttpResponse:
    """Have a worker ask the judge's server about pairs, or a few of them as a trial; owners and leads only."""
    judge, typed = _judge(member, judge_id), _typed(request)
    try:
        job = begin_judging(judge=judge, member=member, scope=scope_typed(typed), typed=typed)
    except Refused as refusal:
        faults = {name or "form": why for name, why in refusal.wrong.items()}
        return render_facts(request, member, ONE, _facts(request, judge, GradesForm(), faults), status=400)
    ask_on_page(request, job)
    return redirect(judge)


@lead_get
def pairs(request: HttpRequest, member: Membership, judge_id: int) -> HttpResponseBase:
    """CSV of the pairs of which the judge has said nothing, with what it may know of them; owners and leads only."""
    judge = _judge(member, judge_id)
    return csv_download(f"{member.collection.name}-pairs", PAIR_COLUMNS, rows_to_judge(judge), streamed=True)


@lead_post
def retire(request: HttpRequest, member: Membership, judge_id: int) -> HttpResponse:
    """Have a judge judge no more; its grades stay. Owners and leads only."""
    judge = _judge(member, judge_id)
    retire_judge(judge=judge, by=member)
    messages.info(request, _("%(judge)s is retired. Its grades are kept, and used no more.") % {"judge": judge})
    return redirect(judge)
