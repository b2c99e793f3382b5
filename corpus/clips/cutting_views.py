"""The page of clips: how many there are, what failed and why, and the job that cuts them."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from corpus.clips.clip_figures import clip_figures
from corpus.clips.cut_clips import CuttingPlan
from corpus.clips.cutting_jobs import ask_for_cutting
from corpus.clips.lost_files import lost_in_sample
from corpus.clips.moment_hooks import moments_of
from foundation.access.form_input import with_point
from foundation.access.pages import PageFacts, lead_page, lead_post, refusal_told, render_facts
from foundation.infra.figure_cache import kept
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import progress_of
from foundation.models import Membership

LONGEST_CONTEXT = 600.0
"""Seconds."""


TEMPLATE = "corpus/clips.html"


@lead_page(TEMPLATE)
def clips(request: HttpRequest, member: Membership) -> PageFacts:
    """How the collection's clips stand."""
    return _facts(member)


def _facts(member: Membership, form: Any = None, faults: dict[str, str] | None = None) -> PageFacts:
    collection = member.collection
    job = collection.clip_cuttings.select_related("collection", "member").order_by("-pk").first()
    return {
        "clips": kept("clips", collection, clip_figures),
        "lost": lost_in_sample(collection),
        "progress": progress_of(job) if job else None,
        "job": job,
        "said": form or {},
        "faults": faults or {},
    }


@lead_post
def clips_cut(request: HttpRequest, member: Membership) -> HttpResponse:
    """Have workers cut what is lacking, with `retry` also what failed; owners and leads only."""
    collection, form = member.collection, request.POST
    try:
        context = _seconds(form.get("context", ""))
    except ValueError as fault:
        return render_facts(request, member, TEMPLATE, _facts(member, form, {"context": str(fault)}), status=400)
    with refusal_told(request):
        plan = CuttingPlan(
            retry_before=timezone.now().isoformat() if form.get("retry") else "",
            candidates=bool(form.get("candidates")) and moments_of("candidates", collection).exists(),
            sound=bool(form.get("sound")),
            gif=bool(form.get("gif")),
            context=context,
        )
        job = ask_for_cutting(collection=collection, member=member, plan=plan)
        if job.begun == 0 and job.touched_at is None:
            ask_on_page(request, job)
    return redirect("clips", collection.name)


def _seconds(typed: str) -> float | None:
    """Seconds before and after a moment; None if nothing is said. Raises: ValueError with a sentence."""
    if not typed.strip():
        return None
    try:
        seconds = float(with_point(typed))
    except ValueError:
        seconds = -1.0
    if not 0 < seconds <= LONGEST_CONTEXT:
        raise ValueError(
            _("Found “%(found)s”, expected seconds above 0 and up to 600, such as 0.5 or 0,5.") % {"found": typed[:40]}
        )
    return seconds
