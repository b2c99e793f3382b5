"""The page "Open judging"."""

from django.http import HttpRequest

from annotation.batches.opening_jobs import ask_for_opening
from annotation.batches.transitions import design_of
from annotation.models import SamplingDesign
from desk.opening.estimate import opening_plan
from foundation.access.pages import PageFacts, lead_act, lead_page
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import progress_told
from foundation.models import Membership


@lead_page("desk/opening.html")
def opening(request: HttpRequest, member: Membership) -> PageFacts:
    """What would be opened, what that takes and costs, what is missing, and how far a worker is with it."""
    job = member.collection.openings.order_by("-pk").first()
    plan = opening_plan(member.collection)
    design = design_of(member.collection)
    return {
        "by_pairs": design is not None and design.unit == SamplingDesign.Unit.PAIR,
        "plan": plan,
        "job": job and {"asked_at": job.asked_at, **progress_told(job)},
        "settled": not plan.ready and not plan.without_candidates,
    }


@lead_act("opening")
def open_judging(request: HttpRequest, member: Membership) -> None:
    """Have a worker open judging; owners and leads only. While one is at it, that one goes on."""
    ask_on_page(request, ask_for_opening(member=member))
