"""The page "Sample": what people judge, drawn with known probabilities; made, extended, removed."""

import re
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.batches.transitions import design_of
from annotation.models import MachineJudge, SamplingDesign
from annotation.sampling.designs import LARGEST_SEED, extend_design, make_design, remove_design
from annotation.sampling.selectors import design_facts
from foundation.access.form_input import WholeNumberField, whole_number
from foundation.access.pages import PageFacts, lead_act, lead_page, lead_post, refusal_in, render_facts
from foundation.models import Membership

TEMPLATE = "annotation/sampling.html"


class WholeNumbersField(forms.CharField):
    """Whole numbers from 1 on with commas or spaces between them: a list."""

    def clean(self, value: Any) -> Any:
        typed = str(super().clean(value) or "")
        if re.search(r"[0-9],[0-9]{3}(?![0-9])", typed):
            raise forms.ValidationError(
                _("Found “%(found)s”, which may be one number or several: write 1200, or 1, 200."),
                params={"found": typed[:40]},
            )
        numbers = [whole_number(part) for part in typed.replace(",", " ").split()]
        if any(number is None or not 1 <= number < 2**31 for number in numbers):
            raise forms.ValidationError(
                _("Found “%(found)s”, expected whole numbers from 1 on, such as 10, or 5, 3, 2."),
                params={"found": str(value)[:40]},
            )
        return numbers


class ExtensionForm(forms.Form):
    """How many are drawn then."""

    numbers = WholeNumbersField(max_length=200, error_messages={"required": gettext_lazy("Enter a whole number.")})


class DesignForm(ExtensionForm):
    """A design."""

    unit = forms.ChoiceField(choices=SamplingDesign.Unit.choices)
    strata = forms.ChoiceField(choices=SamplingDesign.Strata.choices, required=False)
    bands = WholeNumbersField(max_length=200, required=False)
    judge = forms.ModelChoiceField(MachineJudge.objects.none(), required=False)
    seed = WholeNumberField(max_value=LARGEST_SEED)

    def __init__(self, member: Membership, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        judges = MachineJudge.objects.filter(collection=member.collection, retired_at=None).order_by("name")
        self.fields["judge"].queryset = judges  # type: ignore[attr-defined]  # it is a ModelChoiceField


def _facts(member: Membership, form: DesignForm | None = None, extension: ExtensionForm | None = None) -> PageFacts:
    collection = member.collection
    facts = design_facts(collection)
    return {
        "design": facts,
        "unit": facts and SamplingDesign.Unit(facts.unit).label,
        "strata": facts and SamplingDesign.Strata(facts.strata).label,
        "queries": collection.queries.count(),
        "begun": collection.batches.exists() if facts is None else facts.begun,
        "form": form or DesignForm(member, initial={"unit": "query", "seed": 1}),
        "extension": extension or ExtensionForm(),
    }


@lead_page(TEMPLATE)
def sampling(request: HttpRequest, member: Membership) -> PageFacts:
    """The design with its strata and stages, or the form for one."""
    return _facts(member)


@lead_post
def make(request: HttpRequest, member: Membership) -> HttpResponse:
    """Make a design; owners and leads only. Nothing is opened by it."""
    form = DesignForm(member, request.POST)
    if form.is_valid():
        with refusal_in(form):
            make_design(collection=member.collection, member=member, **form.cleaned_data)
            messages.info(request, _("The sample is drawn. Opening judging opens it and nothing else."))
            return redirect("sampling", member.collection.name)
    return render_facts(request, member, TEMPLATE, _facts(member, form), status=400)


@lead_post
def extend(request: HttpRequest, member: Membership) -> HttpResponse:
    """Draw more; owners and leads only. Where judging is open a worker opens what is new."""
    form = ExtensionForm(request.POST)
    design = design_of(member.collection)
    if design is None:
        return redirect("sampling", member.collection.name)
    if form.is_valid():
        with refusal_in(form):
            extend_design(design, form.cleaned_data["numbers"], member=member)
            messages.info(request, _("More is drawn. What was drawn before stays."))
            return redirect("sampling", member.collection.name)
    return render_facts(request, member, TEMPLATE, _facts(member, extension=form), status=400)


@lead_act("sampling")
def remove(request: HttpRequest, member: Membership) -> None:
    """Remove the design while nothing is open; owners and leads only."""
    remove_design(collection=member.collection)
