"""The lead's answers to flags: put a pair back into judging, or exclude it."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from annotation.batches.missing_clips import home_of, pairs_without_clip
from annotation.judging.flags import (
    answer_flag,
    answered_flags,
    open_flags,
    read_flag_answer,
    return_pair,
    withdraw_without_clip,
)
from corpus.clips.cut_clips import CuttingPlan
from corpus.clips.cutting_jobs import ask_for_cutting
from corpus.models import ClipCutting
from foundation.access.guards import annotator_post
from foundation.access.pages import PageFacts, lead_act, lead_page
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import progress_told
from foundation.lazy import LazyStr
from foundation.models import Membership

ANSWERED = {
    "returned": gettext_lazy("Answered: the pair is judged again."),
    "withdrawn": gettext_lazy("Answered: the pair is withdrawn."),
}


@lead_page("annotation/flags.html")
def flags(request: HttpRequest, member: Membership) -> PageFacts:
    """The page of flags: open ones, oldest first, with the pair's details; then pairs that wait for a clip; then the
    last answered."""
    cutting = home_of(member.collection).clip_cuttings.filter(state__in=ClipCutting.TURN).first()
    return {
        "waiting": open_flags(member.collection),
        "without_clip": pairs_without_clip(member.collection),
        "cutting": progress_told(cutting) if cutting else None,
        "answered": answered_flags(member.collection)[:50],
    }


@lead_act("flags")
def answer(request: HttpRequest, member: Membership, flag_id: int) -> LazyStr:
    """Answer a flag, and every other open one of its pair."""
    outcome = request.POST.get("outcome", "")
    answer_flag(member=member, flag_id=flag_id, outcome=outcome, answer=request.POST.get("answer", ""))
    return ANSWERED[outcome]


@lead_act("flags")
def bring_back(request: HttpRequest, member: Membership, pair_id: int) -> str:
    """Undo a withdrawal."""
    return_pair(member=member, pair_id=pair_id)
    return gettext("The pair is restored.")


@lead_act("flags")
def cut_again(request: HttpRequest, member: Membership) -> str | None:
    """Try again to cut the clips for which opened pairs wait."""
    plan = CuttingPlan(waiting=True, retry_before=timezone.now().isoformat())
    job = ask_for_cutting(collection=home_of(member.collection), member=member, plan=plan)
    if job.due_at is not None:
        return gettext("Clips are being cut right now. Try again once that has ended.")
    ask_on_page(request, job)
    return None


@lead_act("flags")
def withdraw(request: HttpRequest, member: Membership, pair_id: int) -> str:
    """Withdraw a pair whose clip can't be cut."""
    withdraw_without_clip(member=member, pair_id=pair_id)
    return gettext("The pair is withdrawn.")


@annotator_post
def read(request: HttpRequest, member: Membership, flag_id: int) -> HttpResponse:
    """Mark the lead's answer to a flag as read."""
    read_flag_answer(member=member, flag_id=flag_id)
    return HttpResponse(status=204)
