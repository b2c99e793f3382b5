"""The page from which a judge on similarity is fitted."""

from django import forms
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy

from annotation.machine_judges.selectors import PAIR_COLUMNS, rows_of_all
from annotation.machine_judges.similarity.asking import (
    NEEDED_PAIRS,
    NEEDED_QUERIES,
    ask_for_similarity_judge,
    encoders_of,
    graded_pairs,
)
from annotation.models import MachineJudge
from foundation.access.guards import takes_uploads
from foundation.access.pages import PageFacts, lead_get, lead_page, lead_post, refusal_in, render_facts
from foundation.infra.csv_download import csv_download
from foundation.infra.job_pages import ask_on_page
from foundation.models import Membership

TEMPLATE = "annotation/machine_similarity.html"


class SimilarityForm(forms.Form):
    """Scores of pairs, if there are any, and whose they are."""

    family = forms.CharField(max_length=100, required=False)
    file = forms.FileField(max_length=400, required=False, error_messages={"empty": gettext_lazy("The file is empty.")})


def _facts(member: Membership, form: forms.Form) -> PageFacts:
    pairs, queries = graded_pairs(member.collection)
    ours = MachineJudge.objects.filter(collection=member.collection, kind=MachineJudge.Kind.SIMILARITY)
    return {
        "form": form,
        "pairs": pairs,
        "queries": queries,
        "needed_pairs": NEEDED_PAIRS,
        "needed_queries": NEEDED_QUERIES,
        "enough": pairs >= NEEDED_PAIRS and queries >= NEEDED_QUERIES,
        "encoders": encoders_of(member.collection),
        "fitted": ours.exclude(version="").order_by("-pk"),
    }


@lead_page(TEMPLATE)
def similarity(request: HttpRequest, member: Membership) -> PageFacts:
    """What a judge on similarity is, on how much it would be fitted, and the form; owners and leads only."""
    return _facts(member, SimilarityForm())


@lead_get
def pairs(request: HttpRequest, member: Membership) -> HttpResponseBase:
    """CSV of all pairs, to have scored elsewhere: no grade of anybody. Owners and leads only."""
    return csv_download(f"{member.collection.name}-pairs", PAIR_COLUMNS, rows_of_all(member.collection), streamed=True)


@takes_uploads("leads")
@lead_post
def fit(request: HttpRequest, member: Membership) -> HttpResponse:
    """Declare a judge on similarity and have a worker fit it; owners and leads only."""
    form = SimilarityForm(request.POST, request.FILES)
    if form.is_valid():
        with refusal_in(form):
            job = ask_for_similarity_judge(
                member=member, family=form.cleaned_data["family"], upload=form.cleaned_data["file"]
            )
            ask_on_page(request, job)
            return redirect(job.judge)
    return render_facts(request, member, TEMPLATE, _facts(member, form), status=400)
