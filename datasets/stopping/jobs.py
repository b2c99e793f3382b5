"""Jobs that look at what is settled: asked for by a lead, or when enough queries more are judged."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from datasets.models import StoppingGoal, StoppingLook
from datasets.stopping.goals import due_to_open, open_queries
from datasets.stopping.looking import judged_first, look_at, next_at
from evaluation.guarantees.stopping import as_data
from foundation.infra.jobs import JobProgress, ask, job_task
from foundation.models import Membership
from foundation.refused import Refused


def ask_for_look(*, goal: StoppingGoal, member: Membership | None = None) -> StoppingLook:
    """Record a job to look, or return the one that waits or runs; the caller sends the task.

    Raises: Refused before it is time to: each look costs, and when one is made must not follow from what others found.
    """
    unfinished = goal.looks.filter(state__in=StoppingLook.TURN).first()
    if unfinished is not None:
        return unfinished
    due, judged = next_at(goal), len(judged_first(goal))
    if due is None:
        raise Refused(_("The goal is reached, or everything is judged: there is nothing left to look at."))
    if judged < due:
        raise Refused(
            _("The first %(judged)s queries of the random order are judged. The next look is at %(least)s.")
            % {"judged": f"{judged:,}", "least": f"{due:,}"}
        )
    return goal.looks.filter(state__in=StoppingLook.TURN).get_or_create(goal=goal, defaults={"member": member})[0]


@job_task(StoppingLook, bounded=True)
def look_now(job: StoppingLook, progress: JobProgress) -> None:
    """Look at what is settled; a look and its end are one transaction."""
    found = look_at(job.goal, lambda done, of: progress.note(done=done, total=of, step="Scoring the runs:"))
    with transaction.atomic():
        if not StoppingGoal.objects.select_for_update(no_key=True).filter(pk=job.goal_id, ended_at=None):
            raise Refused("The goal was ended meanwhile.")
        job.judged, job.result, job.said = found.judged, as_data(found), found.in_words
        job.save(update_fields=["judged", "result", "said"])
        job.end()


def ask_when_due() -> None:
    """Periodic: ask for the looks that are due, and open the next queries of goals that have it done by itself."""
    for goal in StoppingGoal.objects.filter(ended_at=None, collection__archived_at=None).select_related("collection"):
        due = next_at(goal)
        if due is None or goal.looks.filter(state__in=StoppingLook.TURN).exists():
            continue
        last = goal.looks.order_by("-pk").first()
        judged = len(judged_first(goal))
        if judged >= due and (last is None or last.state == StoppingLook.DONE):
            ask(ask_for_look(goal=goal))
        elif due_to_open(goal):
            try:
                open_queries(goal=goal, number=goal.open_next)
            except Refused:
                continue  # all are drawn
