"""The steps of the work, from videos to a release: the state of each, from counted facts."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from django.utils.translation import gettext, gettext_lazy, ngettext_lazy

from desk.steps.needs import STALE, STEP_OF_JOB, needs_of
from desk.steps.states import CollectionState, MaterialTotals, Need, Step, StepState
from foundation.counted import counted_words


def steps_and_needs(facts: CollectionState) -> tuple[list[Step], list[Need]]:
    """All steps in the order of the work, and the lead's tasks, most urgent first.

    Of a study its judging alone is a step. Until something is counted there are no steps.
    """
    needs, counted = needs_of(facts), facts.counted
    steps = []
    if counted is not None:
        steps = [_step(facts, counted, needs, key) for key in _keys(facts, counted, needs)]
    if not any(facts.batches.values()):
        needs.append(_nothing_open(steps))
    return steps, needs


def without_action(step: Step) -> Step:
    """The step as an archived collection shows it, where nothing can be done any more."""
    state = step.state if step.state in (StepState.DONE, StepState.WORKING) else StepState.NOT_BEGUN
    return replace(step, state=state, waiting="", action="")


def state_of_stage(steps: list[Step]) -> StepState:
    """A stage's state: the most pressing one of its steps."""
    states = {step.state for step in steps}
    order = (
        StepState.NEEDS_YOU,
        StepState.OUT_OF_DATE,
        StepState.WORKING,
        StepState.READY,
        StepState.NOT_BEGUN,
        StepState.DONE,
    )
    return next(state for state in order if state in states)


def next_step(steps: list[Step]) -> Step | None:
    """The step whose action comes first; None where there is nothing to do."""
    return next((step for step in steps if step.action), None)


def _nothing_open(steps: list[Step]) -> Need:
    """That nothing is open for judging, with the first step towards it that can be done now."""
    for step in steps:
        if step.stage == "Prepare" and step.state in (StepState.READY, StepState.OUT_OF_DATE):
            words = gettext("Nothing is open for judging yet. Next: %(step)s") % {"step": step.action}
            return Need("nothing", 0, words, step.action_page)
    return Need("nothing", 0, gettext("Nothing is open for judging yet"), "imports")


@dataclass(frozen=True, slots=True)
class _Standing:
    """How a step stands apart from jobs and needs. `waits` for which step, in words; `lacks` what a change upstream
    left undone; `left`: something is to be done; `going`: others are at it."""

    done: int
    total: int
    waits: str = ""
    lacks: str = ""
    left: bool = False
    going: str = ""
    action: tuple[str, str] = ("", "")


def _keys(facts: CollectionState, counted: MaterialTotals, needs: list[Need]) -> list[str]:
    """The steps that the collection has, in order. Topics need no captions: where nobody has begun any, those steps are
    left out."""
    if facts.is_study:
        return ["judge"]
    begun = {STEP_OF_JOB.get(job.kind, ("",))[0] for job in facts.jobs} | {need.step for need in needs}
    captioned = counted.pending < counted.descriptions or {"rewriting", "captions"} & begun or not counted.topics_alone
    left_out = (set() if facts.has_clips else {"videos", "clips"}) | (set() if captioned else {"rewriting", "captions"})
    return [key for key in PLACES if key not in left_out]


def _step(facts: CollectionState, counted: MaterialTotals, needs: list[Need], key: str) -> Step:
    """The first of these that holds is the state: a job is under way, it needs the lead, it waits for another step,
    something upstream changed, it can be done, others are at it, it is done."""
    standing = _STANDINGS[key](facts, counted)
    jobs = [job for job in facts.jobs if STEP_OF_JOB.get(job.kind, ("",))[0] == key and job.standing == "under-way"]
    own = [need for need in needs if need.step == key]
    urgent = [need for need in own if need.kind not in STALE]
    stale = [need for need in own if need.kind in STALE]
    state, words, action = StepState.DONE, "", ("", "")
    if jobs:
        state, words = StepState.WORKING, jobs[0].words
    elif urgent:
        state, words = StepState.NEEDS_YOU, urgent[0].words
        action = str(ASKED.get(urgent[0].kind, LOOK)), urgent[0].page
    elif standing.waits:
        state, words = StepState.NOT_BEGUN, gettext("Waits for %(what)s") % {"what": standing.waits}
    elif stale or standing.lacks:
        state, words, action = StepState.OUT_OF_DATE, stale[0].words if stale else standing.lacks, standing.action
    elif standing.left:
        state, action = StepState.READY, standing.action
    elif standing.going:
        state, words = StepState.WORKING, standing.going
    stage, name, page = PLACES[key]
    if key == "queries" and counted.topics_alone:
        page = "topics"
    job = jobs[0] if jobs else None
    return Step(key, stage, str(name), state, standing.done, standing.total, page, words, *action, job)


PLACES = {
    "videos": ("Prepare", gettext_lazy("Videos"), "videos"),
    "descriptions": ("Prepare", gettext_lazy("Descriptions"), "imports"),
    "clips": ("Prepare", gettext_lazy("Clips"), "clips"),
    "rewriting": ("Prepare", gettext_lazy("Rewriting"), "rewriting"),
    "captions": ("Prepare", gettext_lazy("Captions"), "captions"),
    "queries": ("Prepare", gettext_lazy("Queries"), "draw"),
    "candidates": ("Prepare", gettext_lazy("Candidates"), "pool"),
    "open": ("Prepare", gettext_lazy("Open judging"), "opening"),
    "judge": ("Judge", gettext_lazy("Pairs judged"), "work"),
    "review": ("Review", gettext_lazy("Batches reviewed"), "review"),
    "release": ("Release", gettext_lazy("Releases"), "releases"),
}
"""Each step's stage, name and page, by its key, in order."""
LOOK = gettext_lazy("Look")
ASKED = {
    "flags": gettext_lazy("Answer"),
    "questions": gettext_lazy("Answer"),
    "applicants": gettext_lazy("Decide"),
    "nobody": gettext_lazy("Invite"),
    "people": gettext_lazy("Invite"),
    "campaigns": gettext_lazy("Decide"),
    "stalled": gettext_lazy("Review"),
    "review": gettext_lazy("Review"),
    "captions": gettext_lazy("Review"),
}
"""What is done about a need; others are looked at."""


def _videos(facts: CollectionState, counted: MaterialTotals) -> _Standing:
    # Clips can come without the videos that they were cut from.
    enough = counted.clips > 0 and not counted.missing_clips
    missing = 0 if enough else counted.videos - counted.videos_with_file
    words = ngettext_lazy(
        "%(shown)s video has no file yet: add it", "%(shown)s videos have no file yet: add them", "count"
    )
    return _Standing(
        counted.videos_with_file,
        counted.videos,
        lacks=counted_words(missing, words) if counted.videos_with_file else "",
        left=not counted.videos or missing > 0,
        action=(gettext("Add videos"), "videos-add"),
    )


def _descriptions(facts: CollectionState, counted: MaterialTotals) -> _Standing:
    return _Standing(
        counted.descriptions,
        counted.descriptions,
        left=not counted.descriptions and not counted.topics_alone,
        action=(gettext("Import descriptions"), "imports"),
    )


def _clips(facts: CollectionState, counted: MaterialTotals) -> _Standing:
    missing = counted.missing_clips
    waits = "" if counted.moments else gettext("descriptions")
    if counted.moments and not counted.clips and not counted.videos_with_file:
        waits = gettext("videos")
    words = ngettext_lazy(
        "%(shown)s moment has no clip yet: cut it", "%(shown)s moments have no clip yet: cut them", "count"
    )
    return _Standing(
        counted.clips,
        counted.moments,
        waits=waits,
        lacks=counted_words(missing, words) if counted.opened else "",
        left=missing > 0,
        action=(gettext("Cut clips"), "clips"),
    )


def _rewriting(facts: CollectionState, counted: MaterialTotals) -> _Standing:
    pending = counted.pending
    words = ngettext_lazy(
        "%(shown)s description isn't rewritten yet: rewrite it",
        "%(shown)s descriptions aren't rewritten yet: rewrite them",
        "count",
    )
    return _Standing(
        counted.descriptions - pending,
        counted.descriptions,
        waits="" if counted.descriptions else gettext("descriptions"),
        lacks=counted_words(pending, words) if counted.drawn > counted.topics else "",
        left=pending > 0,
        action=(gettext("Rewrite descriptions"), "rewriting"),
    )


def _captions(facts: CollectionState, counted: MaterialTotals) -> _Standing:
    rewritten = counted.descriptions - counted.pending
    return _Standing(
        counted.accepted,
        rewritten,
        waits="" if counted.accepted else gettext("rewriting"),
        action=(gettext("Review"), "captions"),
    )


def _queries(facts: CollectionState, counted: MaterialTotals) -> _Standing:
    return _Standing(
        counted.drawn,
        counted.drawn,
        waits="" if counted.accepted or counted.drawn else gettext("captions to draw from, or topics"),
        left=not counted.drawn,
        action=(gettext("Draw queries"), "draw"),
    )


def _candidates(facts: CollectionState, counted: MaterialTotals) -> _Standing:
    if counted.by_runs:
        return _Standing(
            counted.drawn - counted.unpooled,
            counted.drawn,
            waits="" if counted.drawn else gettext("queries"),
            left=counted.unpooled > 0,
            action=(gettext("Make the pool"), "pool-recipe"),
        )
    return _Standing(
        counted.ranked,
        counted.drawn,
        waits="" if counted.drawn else gettext("queries"),
        left=counted.ranked < counted.drawn,
        action=(gettext("Fetch candidates"), "pool"),
    )


def _open(facts: CollectionState, counted: MaterialTotals) -> _Standing:
    return _Standing(
        counted.opened,
        counted.drawn - counted.left_out,
        waits="" if counted.ranked or counted.opened else gettext("candidates"),
        left=counted.unopened_pairs > 0 if counted.by_runs or counted.by_design else counted.opened < counted.ranked,
        action=(gettext("Open judging"), "opening"),
    )


def _judge(facts: CollectionState, counted: MaterialTotals) -> _Standing:
    left = counted.pairs_open + counted.pairs_disputed
    going = ""
    if counted.pairs_open and counted.pairs_disputed:
        going = gettext("%(first)s in the first round, %(second)s in the second")
    elif left:
        going = gettext("%(first)s in the first round") if counted.pairs_open else gettext("%(second)s in the second")
    going %= {"first": f"{counted.pairs_open:,}", "second": f"{counted.pairs_disputed:,}"}
    return _Standing(
        counted.pairs_decided,
        counted.pairs_decided + left,
        waits="" if any(facts.batches.values()) else gettext("batches that are open"),
        left=left > 0 and not counted.judgments,
        going=going,
        action=(gettext("Watch progress"), "work"),
    )


def _review(facts: CollectionState, counted: MaterialTotals) -> _Standing:
    opened = sum(facts.batches.values())
    return _Standing(
        facts.reviewed,
        opened,
        waits="" if facts.reviewed else gettext("batches that are decided"),
        going=gettext("the others are being judged") if facts.reviewed < opened else "",
        action=(gettext("Review"), "review"),
    )


def _release(facts: CollectionState, counted: MaterialTotals) -> _Standing:
    words = ngettext_lazy("%(shown)s judgment came after %(name)s", "%(shown)s judgments came after %(name)s", "count")
    newest = facts.releases[0] if facts.releases else ""
    later = counted_words(counted.judgments_since_release, words, name=newest)
    return _Standing(
        len(facts.releases),
        len(facts.releases),
        waits="" if facts.releases or counted.pairs_decided else gettext("graded pairs"),
        lacks=later if newest else "",
        left=not facts.releases,
        action=(gettext("Make a release"), "releases"),
    )


_STANDINGS: dict[str, Callable[[CollectionState, MaterialTotals], _Standing]] = {
    "videos": _videos,
    "descriptions": _descriptions,
    "clips": _clips,
    "rewriting": _rewriting,
    "captions": _captions,
    "queries": _queries,
    "candidates": _candidates,
    "open": _open,
    "judge": _judge,
    "review": _review,
    "release": _release,
}
