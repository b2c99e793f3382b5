"""The pages of plans: asked for, one with its ways, one of them chosen."""

import re
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from datasets.leaderboard.plan_came import promised_and_came
from datasets.models import Plan
from datasets.planning.selectors import plan_facts, plan_file
from datasets.planning.services import SYSTEMS, USUAL, Asked, ask_for_plan, choose_row, forget_plan
from datasets.planning.sources import ASSUMED, led_with, sources_of
from evaluation.guarantees.plans import ASSUMED as DEVIATIONS
from evaluation.guarantees.plans import KAPPAS, LEVEL, POWER
from foundation.access.form_input import WholeNumberField, whole_number, with_point
from foundation.access.pages import PageFacts, lead_get, lead_page, lead_post, refusal_in, refusal_told, render_facts
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import progress_told
from foundation.models import Membership
from foundation.refused import Refused

TEMPLATE = "datasets/plans.html"


class NumberField(forms.FloatField):
    """A number as people write it, with a decimal comma or point."""

    widget = forms.TextInput

    def __init__(self, **options: Any) -> None:
        super().__init__(error_messages={"invalid": gettext_lazy("Enter a number.")}, **options)

    def to_python(self, value: Any) -> Any:
        return super().to_python(with_point(value) if isinstance(value, str) else value)


class KappasField(forms.CharField):
    """Numbers with spaces between; empty: none."""

    def clean(self, value: Any) -> tuple[float, ...]:
        try:
            return tuple(float(with_point(part)) for part in re.sub(r";|,(?=\s)", " ", super().clean(value)).split())
        except ValueError as fault:
            raise ValidationError(_("Enter numbers such as 0.4 0.6 0.8.")) from fault


class PlanForm(forms.Form):
    """What a plan is asked for."""

    source = forms.CharField(max_length=60, required=False)
    smallest = NumberField()
    measure = forms.CharField(max_length=60, required=False)
    power = NumberField(required=False)
    level = NumberField(required=False)
    kappas = KappasField(max_length=60, required=False)
    queries = WholeNumberField(max_value=10_000_000, required=False)
    depth = WholeNumberField(max_value=1000, required=False)
    judgments = NumberField(required=False)
    seconds = NumberField(required=False)
    pay = NumberField(required=False)
    systems = WholeNumberField(max_value=100, required=False)

    def asked(self) -> Asked:
        """What was sent, with the usual where a field is empty."""
        usual = {"source": ASSUMED, "measure": USUAL, "power": POWER, "level": LEVEL, "systems": SYSTEMS}
        sent: dict[str, Any] = {
            name: usual.get(name) if value in (None, "") else value for name, value in self.cleaned_data.items()
        }
        return Asked(**sent)


@lead_page(TEMPLATE)
def plans(request: HttpRequest, member: Membership) -> PageFacts:
    """The form, the collection's plans, what the chosen one promised and what came; owners and leads only."""
    return _facts(member, PlanForm(initial={"kappas": " ".join(f"{kappa:g}" for kappa in KAPPAS)}))


def _plans(member: Membership) -> QuerySet[Plan]:
    return Plan.objects.filter(collection=member.collection).select_related("collection", "member")


def _facts(member: Membership, form: PlanForm) -> PageFacts:
    collection = member.collection
    rows = list(_plans(member).defer("result").order_by("-pk"))
    newest = rows[0] if rows else None
    return {
        "form": form,
        "sources": [(source.key, source.words) for source in sources_of(led_with(member))],
        "usual": {"measure": USUAL, "power": f"{POWER:g}", "level": f"{LEVEL:g}", "systems": SYSTEMS},
        "newest": newest,
        "progress": progress_told(newest) if newest is not None else None,
        "plans": [plan for plan in rows if plan.state == Plan.State.DONE],
        "came": promised_and_came(collection, collection.releases.order_by("-pk")),
    }


@lead_post
def make(request: HttpRequest, member: Membership) -> HttpResponse:
    """Have a worker plan; 400 shows the form again with what is wrong in it."""
    form = PlanForm(request.POST)
    if form.is_valid():
        with refusal_in(form):
            job = ask_for_plan(member=member, asked=form.asked(), sources=led_with(member))
            ask_on_page(request, job)
            return redirect(job)
    return render_facts(request, member, TEMPLATE, _facts(member, form), status=400)


def _plan_of(member: Membership, plan_id: int) -> Plan:
    return get_object_or_404(_plans(member), pk=plan_id)


@lead_page("datasets/plan.html")
def plan(request: HttpRequest, member: Membership, plan_id: int) -> PageFacts:
    """One plan: how far it is, its ways, and what it rests on; owners and leads only."""
    row = _plan_of(member, plan_id)
    facts: PageFacts = {"plan": row, "progress": progress_told(row), "deviations": DEVIATIONS}
    return facts | (plan_facts(row) if row.result else {})


@lead_get
def file(request: HttpRequest, member: Membership, plan_id: int, ending: str) -> HttpResponseBase:
    """A plan as CSV or JSON; 404 before it is made; owners and leads only."""
    row = _plan_of(member, plan_id)
    if not row.result or ending not in ("csv", "json"):
        raise Http404("no such file")
    return plan_file(row, ending)


@lead_post
def change(request: HttpRequest, member: Membership, plan_id: int) -> HttpResponse:
    """Go by a row of a plan, by none, or delete it, by `what`; owners and leads only."""
    row, what = _plan_of(member, plan_id), request.POST.get("what", "")
    with refusal_told(request):
        if what == "choose":
            place = whole_number(request.POST.get("row", ""))
            choose_row(plan=row, row=-1 if place is None else place)
            messages.success(request, _("The collection goes by this plan now."))
        elif what == "unchoose":
            choose_row(plan=row, row=None)
        elif what == "delete":
            forget_plan(row)
            messages.success(request, _("The plan is deleted."))
            return redirect("plans", member.collection.name)
        else:
            raise Refused(_("Found %(found)s, expected something this page offers.") % {"found": repr(what[:20])})
    return redirect(row)
