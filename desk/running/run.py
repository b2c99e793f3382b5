"""The job "Run to open": starts the job of each step that remains, waits for it, and stops where a person is needed."""

from collections.abc import Callable

from django.utils.translation import gettext

from annotation.batches.opening_jobs import ask_for_opening
from corpus.clips.cut_clips import CuttingPlan
from corpus.clips.cutting_jobs import ask_for_cutting
from desk.attention import newest_jobs
from desk.models import RunToOpen
from desk.selectors import steps_now
from desk.steps.needs import STEP_OF_JOB
from desk.steps.states import Step, StepState
from foundation.counted import counted
from foundation.infra.jobs import JobProgress, as_sentence, ask, job_task
from foundation.models import Job, Membership
from foundation.refused import Refused
from queries.checks.run_checks import limits_of
from queries.pooling.draw_jobs import ask_for_draw
from queries.pooling.drawable import drawable
from queries.pooling.fetch_jobs import ask_for_candidates
from queries.review.bulk import accept_bulk
from queries.rewriting.start import start_rewriting

LOOK_EVERY = 2.0
"""Seconds until it looks again whether a step's job has ended; no worker is held meanwhile."""


def ask_to_run(
    *, member: Membership, rewriter: str, val: int | None = None, test: int | None = None, seed: int = 1
) -> RunToOpen:
    """Record a run, or return the one that waits or runs; the caller sends the task.

    Args: rewriter: of `RunToOpen.Rewriter`; val, test: queries to draw, None: as the page of the draw suggests; all of
        them checked by `faults_of`.
    """
    asked = {"member": member, "rewriter": rewriter, "val": val, "test": test, "seed": seed}
    return RunToOpen.to_do().get_or_create(collection=member.collection, defaults=asked)[0]


@job_task(RunToOpen)
def go_on(run: RunToOpen, progress: JobProgress) -> float | None:
    """Go on with a run: start the next step, or look whether the last one has ended."""
    under_way = next((job for job in newest_jobs(run.collection) if job.standing == "under-way"), None)
    if under_way is not None:
        progress.note(step=f"{under_way.title}: {under_way.words}"[:200])
        return LOOK_EVERY
    steps = [step for step in steps_now(run.collection) if step.stage == "Prepare"]
    progress.note(done=sum(step.state == StepState.DONE for step in steps), total=len(steps))
    left = next((step for step in steps if step.state != StepState.DONE), None)
    if left is None:
        run.said = "Everything is prepared, and judging is open."
        run.save(update_fields=["said"])
        return None
    if run.member is None:
        raise Refused(gettext("Whoever asked for it has left the collection: ask for it again"))
    if run.collection.archived_at is not None:
        raise Refused(gettext("The collection is archived: restore it first"))
    _start(run, run.member, left, progress)
    return LOOK_EVERY


def _start(run: RunToOpen, member: Membership, step: Step, progress: JobProgress) -> None:
    """Begin the job of a step. Raises: Refused where it can't be done by a job, or a job couldn't do it."""
    if step.key == "captions" and step.state == StepState.NEEDS_YOU and step.key not in run.begun_steps:
        accepted = accept_bulk(member=member, similarity=limits_of(run.collection).similarity_threshold)
        passing = counted(accepted, "caption that passes", "captions that pass")
        progress.say(f"Accepted {passing} every check.")
        _note_begun(run, step)
        return
    # Within one run nothing is tried twice: what it left undone is for somebody to look at.
    start = None if step.key in run.begun_steps else STARTERS.get(step.key)
    own_job = step.state == StepState.NEEDS_YOU and step.action_page == _page_of(step.key)
    if start is None or (step.state == StepState.NEEDS_YOU and not own_job) or step.state == StepState.NOT_BEGUN:
        raise Refused(as_sentence(f"{step.name}: {_said(step)}"))
    job = start(run, member)
    _note_begun(run, step)
    ask(job)
    progress.say(f"{step.name}: begun.")


def _said(step: Step) -> str:
    words = step.waiting or step.action
    return f"{words[:1].lower()}{words[1:]}" if words else "look at it"


def _page_of(key: str) -> str:
    return next((page for of, page in STEP_OF_JOB.values() if of == key), "")


def _note_begun(run: RunToOpen, step: Step) -> None:
    run.begun_steps = [*run.begun_steps, step.key]
    run.save(update_fields=["begun_steps"])


def _cut(run: RunToOpen, member: Membership) -> Job:
    return ask_for_cutting(collection=run.collection, member=member, plan=CuttingPlan())


def _rewrite(run: RunToOpen, member: Membership) -> Job:
    return start_rewriting(member=member, rewriter=run.rewriter)


def _draw(run: RunToOpen, member: Membership) -> Job:
    captions = drawable(run.collection)
    val, test = captions.suggestion
    # What is left beside the one that somebody chose.
    if run.test is not None:
        val = min(val, max(0, captions.captions - run.test))
    if run.val is not None:
        val, test = run.val, min(test, max(0, captions.captions - run.val))
    return ask_for_draw(member=member, val=val, test=test if run.test is None else run.test, seed=run.seed)


STARTERS: dict[str, Callable[[RunToOpen, Membership], Job]] = {
    "clips": _cut,
    "rewriting": _rewrite,
    "queries": _draw,
    "candidates": lambda run, member: ask_for_candidates(member=member),
    "open": lambda run, member: ask_for_opening(member=member),
}
"""The steps that a job can do, and what records it."""
