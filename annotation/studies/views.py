"""Study pages: list, start, progress."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext

from annotation.models import Study
from annotation.studies.selectors import progress_of_study, studies_of
from annotation.studies.services import (
    DEPTH_QUERIES,
    MOST_QUERIES,
    PILOT_QUERIES,
    ask_for_study,
    put_study_away,
    study_under_way,
)
from foundation.access.form_input import WholeNumberField
from foundation.access.pages import PageFacts, lead_act, lead_page, lead_post, render_facts
from foundation.infra.job_pages import ask_on_page
from foundation.infra.jobs import as_sentence
from foundation.models import Membership
from foundation.refused import Refused

TEMPLATE = "annotation/studies.html"
SEED_DIGITS = 10**18 - 1


class StudyForm(forms.Form):
    """How large a study is, and the seed of its draw."""

    queries = WholeNumberField(min_value=1, max_value=MOST_QUERIES, required=False)
    seed = WholeNumberField(min_value=-SEED_DIGITS, max_value=SEED_DIGITS, required=False)


@lead_page(TEMPLATE)
def page(request: HttpRequest, member: Membership) -> PageFacts:
    """The collection's studies, newest first, and the form for another."""
    return _facts(member)


def _facts(member: Membership, kind: str = "", sent: StudyForm | None = None) -> PageFacts:
    """The page, with the form of a kind as it was `sent`."""
    rows = studies_of(member.collection)
    newest = Study.objects.filter(collection=member.collection).order_by("-asked_at").first()
    making: dict[str, Any] | None = None
    if newest is not None and newest.state != Study.State.MADE:
        making = {"title": str(newest), **progress_of_study(newest)}
    kinds = []
    for each, queries in ((Study.Kind.PILOT.value, PILOT_QUERIES), (Study.Kind.DEPTH.value, DEPTH_QUERIES)):
        number = sum(row.kind == each and row.name is not None for row in rows) + 1
        kinds.append(
            {
                "kind": each,
                "under_way": any(row.kind == each and row.state in ("queued", "running", "judging") for row in rows),
                "next": number,
                "form": sent if sent and kind == each else StudyForm(initial={"queries": queries, "seed": number}),
            }
        )
    return {
        "studies": [row for row in rows if row.name],
        "making": making,
        "kinds": kinds,
    }


@lead_post
def start(request: HttpRequest, member: Membership) -> HttpResponse:
    """Have a worker create a study; one under way is shown instead."""
    kind, form = request.POST.get("kind", ""), StudyForm(request.POST)
    if kind in Study.Kind.values and not form.is_valid():
        return render_facts(request, member, TEMPLATE, _facts(member, kind, form), status=400)
    try:
        standing = study_under_way(member.collection, kind)
        study = ask_for_study(
            collection=member.collection,
            kind=kind,
            queries=form.cleaned_data.get("queries") if form.is_valid() else None,
            seed=form.cleaned_data.get("seed") if form.is_valid() else None,
            asked_by=member,
        )
        if study.state == Study.State.QUEUED:
            ask_on_page(request, study)
        if standing is not None:
            messages.info(
                request,
                gettext("%(study)s is under way already; you can start another when it is judged or archived.")
                % {"study": study},
            )
    except Refused as refusal:
        messages.error(request, as_sentence(str(refusal)))
    return redirect("studies", member.collection.name)


@lead_act("studies")
def put_away(request: HttpRequest, member: Membership, study_id: int) -> str:
    """Archive a study."""
    study = get_object_or_404(Study, collection=member.collection, pk=study_id)
    put_study_away(lead=member, study_id=study.pk)
    return gettext("%(study)s is archived. Its judgments are kept and can be read.") % {"study": study}
