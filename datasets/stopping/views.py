"""The page of a collection's goal: what is settled, a look, the next queries."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.models import MachineJudge
from datasets.stopping.goals import MOST_OPENED, SPLITS, current_goal, end_goal, open_queries, set_goal
from datasets.stopping.jobs import ask_for_look
from datasets.stopping.looking import design_by_queries
from datasets.stopping.selectors import judges_of, state_of
from foundation.access.form_input import WholeNumberField, whole_number, with_point
from foundation.access.pages import PageFacts, lead_page, lead_post, refusal_in, refusal_told, render_facts
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import progress_told
from foundation.models import Membership
from foundation.refused import Refused
from queries.models import PoolRun

TEMPLATE = "datasets/stopping.html"
MEASURE = "NDCG@20,IoU>=0.5"
"""What the form offers."""


class DecimalField(forms.CharField):
    """A number of a form, with a decimal point or comma."""

    def clean(self, value: object) -> float | None:
        typed = super().clean(value)
        try:
            return float(with_point(typed)) if typed else None
        except ValueError as error:
            raise forms.ValidationError(
                _("Found “%(found)s”, expected a number."), params={"found": typed[:40]}
            ) from error


class GoalForm(forms.Form):
    """A goal as it is typed; what it may hold, the service says."""

    first = WholeNumberField(min_value=1, max_value=1_000)
    measure = forms.CharField(max_length=100, error_messages={"required": gettext_lazy("Enter a measure.")})
    split = forms.ChoiceField(required=False, choices=[("", gettext_lazy("all queries")), *((s, s) for s in SPLITS)])
    judge = forms.ModelChoiceField(
        MachineJudge.objects.none(), required=False, empty_label=gettext_lazy("people alone")
    )
    level = DecimalField(max_length=20, error_messages={"required": gettext_lazy("Enter a level.")})
    margin = DecimalField(max_length=20, required=False)
    open_next = WholeNumberField(max_value=MOST_OPENED)

    def __init__(self, *args: Any, member: Membership, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["judge"].queryset = judges_of(member.collection)  # type: ignore[attr-defined]  # a ModelChoiceField


def _facts(member: Membership, form: forms.Form | None = None) -> PageFacts:
    collection = member.collection
    goal = current_goal(collection)
    job = goal.looks.order_by("-pk").first() if goal else None
    design = design_by_queries(collection)
    runs = PoolRun.objects.filter(collection=collection).count()
    initial: dict[str, Any] = {"first": min(5, runs), "measure": MEASURE, "level": "0.95", "open_next": 0}
    if design is not None and design.strata:
        initial["split"] = "test"
    return {
        "goal": state_of(goal) if goal else None,
        "job": job and {"asked_at": job.asked_at, **progress_told(job)},
        "by_design": design is not None,
        "may_design": not collection.batches.exists(),
        "runs": runs,
        "form": form or GoalForm(initial=initial, member=member),
    }


@lead_page(TEMPLATE)
def stopping(request: HttpRequest, member: Membership) -> PageFacts:
    """What is settled, how many queries settle the rest, the looks so far, and a form for the goal."""
    return _facts(member)


@lead_post
def goal(request: HttpRequest, member: Membership) -> HttpResponse:
    """Set a goal; the one before ends. Owners and leads only; 400 shows the form again with what is wrong in it."""
    form = GoalForm(request.POST, member=member)
    if form.is_valid():
        with refusal_in(form):
            made = set_goal(member=member, **form.cleaned_data)
            messages.success(request, _("The goal is set: %(goal)s.") % {"goal": made})
            return redirect("stopping", member.collection.name)
    return render_facts(request, member, TEMPLATE, _facts(member, form), status=400)


@lead_post
def change(request: HttpRequest, member: Membership) -> HttpResponse:
    """Look now, open the next queries, or end the goal, by `what`; owners and leads only."""
    current, what = current_goal(member.collection), request.POST.get("what", "")
    with refusal_told(request):
        if current is None:
            raise Refused(_("No goal is set."))
        if what == "look":
            ask_on_page(request, ask_for_look(goal=current, member=member))
        elif what == "open":
            number = whole_number(request.POST.get("number", "")) or 0
            drawn = open_queries(goal=current, number=number, member=member)
            sentence = ngettext(
                "%(shown)s query more is drawn, and a worker opens it.",
                "%(shown)s queries more are drawn, and a worker opens them.",
                drawn,
            )
            messages.success(request, sentence % {"shown": f"{drawn:,}"})
        elif what == "end":
            end_goal(collection=member.collection)
            messages.success(request, _("The goal is ended; its looks stay."))
        else:
            raise Refused(_("Found %(found)s, expected something this page offers.") % {"found": repr(what[:20])})
    return redirect("stopping", member.collection.name)
