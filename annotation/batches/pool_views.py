"""The page "Recipe": how the pool is chosen from runs, what each recipe would give, and a button that makes it."""

from dataclasses import replace
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.batches.pool_jobs import ask_for_pool
from annotation.batches.pool_preview import is_small, preview
from annotation.batches.pools import pool_counts
from foundation.access.form_input import WholeNumberField, with_point
from foundation.access.pages import PageFacts, lead_act, lead_page, lead_post, refusal_in, render_facts
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import progress_told
from foundation.infra.list_pages import numbered_page
from foundation.models import HIGHEST_GRADE, Collection, Membership
from queries.pooling.run_plans import PAPER
from queries.runs.plans import IOU, LEAST_GRADE, current_plan, is_adaptive, set_plan
from queries.runs.selectors import plans_of

TEMPLATE = "queries/pool_recipe.html"
PAGE = 50


class RecipeForm(forms.Form):
    """A recipe and its numbers."""

    recipe = forms.CharField(max_length=200, error_messages={"required": gettext_lazy("Enter a recipe.")})
    iou = forms.CharField(max_length=20)
    least_grade = WholeNumberField(max_value=HIGHEST_GRADE)
    by_itself = forms.BooleanField(required=False)

    def clean_iou(self) -> float:
        text = self.cleaned_data["iou"]
        try:
            return float(with_point(text))
        except ValueError as error:
            raise forms.ValidationError(
                _("Found %(said)s, expected a number above 0, at most 1.") % {"said": repr(text)}
            ) from error


def _form(collection: Collection) -> RecipeForm:
    plan = current_plan(collection)
    if plan is None:
        values: dict[str, Any] = {"recipe": PAPER, "iou": IOU, "least_grade": LEAST_GRADE, "by_itself": True}
    else:
        values = {name: getattr(plan, name) for name in ("recipe", "iou", "least_grade", "by_itself")}
    return RecipeForm(initial=values)


def _facts(request: HttpRequest, member: Membership, form: forms.Form) -> PageFacts:
    collection = member.collection
    plan = current_plan(collection)
    by_runs = plan is not None and plan.recipe != PAPER
    job = collection.pool_makings.order_by("-pk").first()
    result = preview(collection)
    value = result.value or {"recipes": [], "queries": []}
    page = numbered_page(value["queries"], request.GET, size=PAGE)
    return {
        "by_runs": by_runs,
        "adaptive": by_runs and plan is not None and is_adaptive(plan),
        "versions": plans_of(collection),
        "most": collection.depth,
        "counts": pool_counts(collection),
        "runs": collection.pool_runs.count(),
        "recipes": value["recipes"],
        "queries": page.rows,
        "page": page,
        "job": job and {"asked_at": job.asked_at, **progress_told(job)},
        "form": form,
        "result": replace(result, value=None),
        "is_computed": not is_small(collection),
    }


@lead_page(TEMPLATE)
def recipe(request: HttpRequest, member: Membership) -> PageFacts:
    """The recipe with its versions, what each would give, and how far the pool is."""
    return _facts(request, member, _form(member.collection))


@lead_post
def change(request: HttpRequest, member: Membership) -> HttpResponse:
    """Set the recipe; owners and leads only. Candidates follow when the pool is made."""
    form = RecipeForm(request.POST)
    if form.is_valid():
        with refusal_in(form):
            plan, anew = set_plan(collection=member.collection, member=member, **form.cleaned_data)
            sentence = _("The recipe is %(recipe)s now, version %(version)s.") if anew else _("Nothing has changed.")
            messages.info(request, sentence % {"recipe": plan.recipe, "version": plan.version})
            return redirect("pool-recipe", member.collection.name)
    return render_facts(request, member, TEMPLATE, _facts(request, member, form), status=400)


@lead_act("pool-recipe")
def make(request: HttpRequest, member: Membership) -> None:
    """Have a worker make or extend the pool, or name the job that waits or runs; owners and leads only."""
    ask_on_page(request, ask_for_pool(member=member))
