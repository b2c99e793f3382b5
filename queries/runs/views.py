"""The page "Runs": a collection's runs, one more to be uploaded, one to be removed."""

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.access.guards import takes_uploads
from foundation.access.pages import PageFacts, lead_act, lead_page, lead_post, refusal_in, render_facts
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import progress_told
from foundation.models import Membership
from queries.models import PoolRun, PoolRunAddition
from queries.runs.add_run import remove_run
from queries.runs.run_jobs import keep_run
from queries.runs.selectors import runs_of

TEMPLATE = "queries/pool_runs.html"


class PoolRunForm(forms.Form):
    """A system's run: its file and whose it is."""

    file = forms.FileField(
        max_length=400,
        error_messages={
            "required": gettext_lazy("Choose a file."),
            "empty": gettext_lazy("The file is empty."),
        },
    )
    videos = forms.FileField(
        max_length=400, required=False, error_messages={"empty": gettext_lazy("The file is empty.")}
    )
    team = forms.CharField(max_length=80, error_messages={"required": gettext_lazy("Enter the team's name.")})
    system = forms.CharField(max_length=80, error_messages={"required": gettext_lazy("Enter the system's name.")})


def _facts(member: Membership, form: forms.Form) -> PageFacts:
    collection = member.collection
    job = collection.pool_run_additions.order_by("-pk").first()
    return {
        "runs": runs_of(collection),
        "job": job and {"name": str(job), "asked_at": job.asked_at, **progress_told(job)},
        "form": form,
    }


@lead_page(TEMPLATE)
def pool_runs(request: HttpRequest, member: Membership) -> PageFacts:
    """The collection's runs, the form for another, and how far a worker is with the last one."""
    last = member.collection.pool_run_additions.order_by("-pk").first()
    refused = last is not None and last.state == PoolRunAddition.REFUSED
    return _facts(member, PoolRunForm(initial={"team": last.team, "system": last.system} if last and refused else {}))


@takes_uploads("leads")
@lead_post
def add(request: HttpRequest, member: Membership) -> HttpResponse:
    """Keep an uploaded run and have a worker add it; owners and leads only."""
    form = PoolRunForm(request.POST, request.FILES)
    if form.is_valid():
        sent = form.cleaned_data
        with refusal_in(form):
            ask_on_page(request, keep_run(member=member, upload=sent.pop("file"), **sent))
            return redirect("pool-runs", member.collection.name)
    return render_facts(request, member, TEMPLATE, _facts(member, form), status=400)


@lead_act("pool-runs")
def remove(request: HttpRequest, member: Membership, run_id: int) -> str:
    """Remove a run of which nothing is open for judging; owners and leads only."""
    run = get_object_or_404(PoolRun, collection=member.collection, pk=run_id)
    remove_run(run=run)
    return _("%(run)s was removed. Make the pool again, so that it follows.") % {"run": run}
