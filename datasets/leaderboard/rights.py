"""Who sees and manages a run of a leaderboard."""

from django.http import Http404

from datasets.content.splits import SPLITS
from datasets.models import Release, Run
from datasets.releases.access import may_see_release
from datasets.releases.selectors import release_of
from foundation.infra.job_progress import is_silent
from foundation.models import Membership


def split_of(member: Membership, release_id: int, split: str) -> Release:
    """A release that has a judged query in the split; 404 otherwise."""
    release = release_of(member, release_id)
    if split not in SPLITS or not release.manifest["counts"][split]["queries"]:
        raise Http404("no such split")
    return release


def run_of(member: Membership, run_id: int) -> Run:
    """A run of the collection whose release the member sees; 404 otherwise."""
    runs = Run.objects.select_related("board__release", "member")
    run = runs.filter(pk=run_id, board__release__collection=member.collection).first()
    if run is None or not may_see(member, run):
        raise Http404("no such run")
    return run


def may_see(member: Membership, run: Run) -> bool:
    """Whether the member sees the run. Only its uploader and leads see one that isn't on the board, or what is wrong
    with it."""
    on_board = run.state == Run.State.SCORED and not run.withdrawn_at
    return may_see_release(member, run.board.release) and (on_board or may_manage(member, run))


def may_manage(member: Membership, run: Run) -> bool:
    """Whether the run is the member's to withdraw, and its file to have: its uploader, and every lead."""
    return member.leads or run.member_id == member.pk


def may_show(member: Membership, run: Run) -> bool:
    """Whether the member decides if a public page lists the run: its uploader, of a run by a command every lead."""
    return run.member_id == member.pk or (run.member_id is None and member.leads)


def may_resume(member: Membership, run: Run) -> bool:
    """Whether the member may resume its scoring: who manages it, or anybody who sees it once its worker is silent."""
    return may_manage(member, run) or is_silent(run)
