"""The page of a board that is estimated with a machine's help, for leads alone."""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect

from annotation.models import MachineJudge
from datasets.certificates.systems import systems_of
from datasets.guarantees.estimate import ask_for_estimate, estimates_of, families_of, judge_named
from datasets.guarantees.selectors import estimate_facts, estimate_file
from datasets.leaderboard.rights import split_of
from datasets.models import BoardEstimate
from datasets.releases.selectors import facts_of
from foundation.access.pages import PageFacts, lead_get, lead_page, lead_post, render_facts
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import progress_of
from foundation.models import Membership
from foundation.refused import Refused

TEMPLATE = "datasets/board_estimates.html"


@lead_page(TEMPLATE)
def board_estimates(request: HttpRequest, member: Membership, release_id: int, split: str) -> PageFacts:
    """What was estimated last of a split, in words, as intervals and differences; a form to estimate anew. Owners and
    leads only: it tells how a machine grades."""
    return _facts(request, member, release_id, split)


def _facts(
    request: HttpRequest, member: Membership, release_id: int, split: str, wrong: dict[str, str] | None = None
) -> PageFacts:
    release = split_of(member, release_id, split)
    rows = estimates_of(member.collection).filter(release=release, split=split).order_by("-pk")
    newest, done = rows.first(), rows.defer(None).filter(state=BoardEstimate.State.DONE).first()
    systems = systems_of(release)[split]
    said_last = newest.families if newest else {}
    families = families_of(systems) | {name: family for name, family in said_last.items() if family}
    judges = MachineJudge.objects.filter(collection=member.collection, retired_at=None).order_by("name")
    sent = dict(zip(request.POST.getlist("run"), request.POST.getlist("family"), strict=False))
    chosen = request.POST.get("judge") or (newest.judge.name if newest else "")
    facts: PageFacts = {
        "release": facts_of(release),
        "split": split,
        "judges": [(judge.name, judge.name) for judge in judges],
        "chosen": chosen,
        "declared": [(system["name"], sent.get(system["name"], families[system["name"]])) for system in systems],
        "progress": progress_of(newest) if newest else None,
        "estimate": {"id": done.pk, "as_of": done.finished_at, "judge": done.judge.name} if done else None,
        "other_runs": done is not None and done.systems != systems,
        "wrong": {**wrong, "others": [why for name, why in wrong.items() if not name]} if wrong else {},
    }
    return facts | (estimate_facts(done.result, request.GET) if done and done.result else {})


@lead_post
def ask(request: HttpRequest, member: Membership, release_id: int, split: str) -> HttpResponse:
    """Have a worker estimate a split's scores with the help of a judge; owners and leads only."""
    release = split_of(member, release_id, split)
    names, families = request.POST.getlist("run"), request.POST.getlist("family")
    try:
        judge = judge_named(member.collection, request.POST.get("judge", ""))
        declared = dict(zip(names, families, strict=False))
        job = ask_for_estimate(release=release, split=split, judge=judge, families=declared)
    except Refused as refused:
        return render_facts(
            request, member, TEMPLATE, _facts(request, member, release_id, split, refused.wrong), status=400
        )
    ask_on_page(request, job)
    return redirect(job)


@lead_get
def file(request: HttpRequest, member: Membership, estimate_id: int, ending: str) -> HttpResponseBase:
    """An estimate as JSON, CSV or SVG (of a `measure`); owners and leads only."""
    jobs = BoardEstimate.objects.filter(release__collection=member.collection)
    return estimate_file(get_object_or_404(jobs, pk=estimate_id), ending, request.GET.get("measure", ""))
