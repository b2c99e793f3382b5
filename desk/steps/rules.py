"""The steps of the work, from videos to a release: the state of each, from counted facts."""

from dataclasses import dataclass, replace

from desk.steps.facts import Counted, Facts, Need, State, Step, counted_words
from desk.steps.needs import STALE, STEP_OF_JOB, needs_of


def steps_and_needs(facts: Facts) -> tuple[list[Step], list[Need]]:
    """All steps in the order of the work, and the lead's tasks, most urgent first.

    Of a study its judging alone is a step. Until something is counted there are no steps.
    """
    wanted, counted = needs_of(facts), facts.counted
    steps: list[Step] = []
    if counted is not None:
        judging = [_judge(facts, counted, wanted)]
        if facts.is_study:
            steps = judging
        else:
            steps = [*_prepared(facts, counted, wanted), *judging]
            steps += [_review(facts, wanted), _release(facts, counted, wanted)]
    if not any(facts.batches.values()):
        wanted.append(_nothing_open(steps))
    return steps, wanted


def without_action(step: Step) -> Step:
    """The step where nothing can be done any more, as in an archived collection."""
    state = step.state if step.state in (State.DONE, State.WORKING) else State.NOT_BEGUN
    return replace(step, state=state, waiting="", action="")


def state_of_stage(steps: list[Step]) -> State:
    """The state that says most of a stage's steps."""
    found = {step.state for step in steps}
    order = (State.NEEDS_YOU, State.OUT_OF_DATE, State.WORKING, State.READY, State.NOT_BEGUN, State.DONE)
    return next(state for state in order if state in found)


def next_step(steps: list[Step]) -> Step | None:
    """The step whose action comes first; None where there is nothing to do."""
    return next((step for step in steps if step.action), None)


def _nothing_open(steps: list[Step]) -> Need:
    """What leads to the first batch is the first step that can be done; what else needs the lead is named already."""
    said = "Nothing is open for judging yet"
    for step in steps:
        if step.stage == "Prepare" and step.state in (State.READY, State.OUT_OF_DATE):
            return Need("nothing", 0, f"{said}: {step.action[:1].lower()}{step.action[1:]}", step.action_page)
    return Need("nothing", 0, said, "imports")


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


def _step(facts: Facts, wanted: list[Need], key: str, standing: _Standing) -> Step:
    """The first of these that holds is the state: a job is under way, it needs the lead, it waits for another step,
    something upstream changed, it can be done, others are at it, it is done."""
    jobs = [job for job in facts.jobs if STEP_OF_JOB.get(job.kind, ("",))[0] == key and job.standing == "under-way"]
    own = [need for need in wanted if need.step == key]
    urgent = [need for need in own if need.kind not in STALE]
    stale = [need for need in own if need.kind in STALE]
    state, words, action = State.DONE, "", ("", "")
    if jobs:
        state, words = State.WORKING, jobs[0].words
    elif urgent:
        state, words = State.NEEDS_YOU, urgent[0].words
        action = ASKED.get(urgent[0].kind, "Look"), urgent[0].page
    elif standing.waits:
        state, words = State.NOT_BEGUN, f"Waits for {standing.waits}"
    elif stale or standing.lacks:
        state, words, action = State.OUT_OF_DATE, stale[0].words if stale else standing.lacks, standing.action
    elif standing.left:
        state, action = State.READY, standing.action
    elif standing.going:
        state, words = State.WORKING, standing.going
    stage, name, page = PLACES[key]
    job = jobs[0] if jobs else None
    return Step(key, stage, name, state, standing.done, standing.total, page, words, *action, job)


PLACES = {
    "videos": ("Prepare", "Videos", "videos"),
    "descriptions": ("Prepare", "Descriptions", "imports"),
    "clips": ("Prepare", "Clips", "clips"),
    "rewriting": ("Prepare", "Rewriting", "rewriting"),
    "captions": ("Prepare", "Captions", "captions"),
    "queries": ("Prepare", "Queries", "draw"),
    "candidates": ("Prepare", "Candidates", "pool"),
    "open": ("Prepare", "Open judging", "opening"),
    "judge": ("Judge", "Pairs judged", "work"),
    "review": ("Review", "Batches reviewed", "review"),
    "release": ("Release", "Releases", "releases"),
}
"""Each step's stage, name and page, by its key."""
ASKED = {
    "flags": "Answer",
    "questions": "Answer",
    "candidates": "Decide",
    "nobody": "Invite",
    "stalled": "Review",
    "review": "Review",
    "captions": "Review",
}
"""What is done about a need; others are looked at."""


def _prepared(facts: Facts, counted: Counted, wanted: list[Need]) -> list[Step]:
    """The steps of the first stage."""
    return [
        *([_videos(facts, counted, wanted)] if facts.has_clips else []),
        _descriptions(facts, counted, wanted),
        *([_clips(facts, counted, wanted)] if facts.has_clips else []),
        _rewriting(facts, counted, wanted),
        _captions(facts, counted, wanted),
        _queries(facts, counted, wanted),
        _candidates(facts, counted, wanted),
        _open(facts, counted, wanted),
    ]


def _videos(facts: Facts, counted: Counted, wanted: list[Need]) -> Step:
    # Clips can come without the videos that they were cut from.
    enough = counted.clips > 0 and not counted.missing_clips
    missing = 0 if enough else counted.videos - counted.videos_with_file
    one, several = "video has no file yet: add it", "videos have no file yet: add them"
    standing = _Standing(
        counted.videos_with_file,
        counted.videos,
        lacks=counted_words(missing, one, several) if counted.videos_with_file else "",
        left=not counted.videos or missing > 0,
        action=("Add videos", "videos-add"),
    )
    return _step(facts, wanted, "videos", standing)


def _descriptions(facts: Facts, counted: Counted, wanted: list[Need]) -> Step:
    standing = _Standing(
        counted.descriptions,
        counted.descriptions,
        left=not counted.descriptions,
        action=("Import descriptions", "imports"),
    )
    return _step(facts, wanted, "descriptions", standing)


def _clips(facts: Facts, counted: Counted, wanted: list[Need]) -> Step:
    missing = counted.missing_clips
    waits = "" if counted.moments else "descriptions"
    if counted.moments and not counted.clips and not counted.videos_with_file:
        waits = "videos"
    one, several = "moment has no clip yet: cut it", "moments have no clip yet: cut them"
    standing = _Standing(
        counted.clips,
        counted.moments,
        waits=waits,
        lacks=counted_words(missing, one, several) if counted.opened else "",
        left=missing > 0,
        action=("Cut clips", "clips"),
    )
    return _step(facts, wanted, "clips", standing)


def _rewriting(facts: Facts, counted: Counted, wanted: list[Need]) -> Step:
    pending = counted.pending
    one, several = "description isn't rewritten yet: rewrite it", "descriptions aren't rewritten yet: rewrite them"
    standing = _Standing(
        counted.descriptions - pending,
        counted.descriptions,
        waits="" if counted.descriptions else "descriptions",
        lacks=counted_words(pending, one, several) if counted.drawn else "",
        left=pending > 0,
        action=("Rewrite descriptions", "rewriting"),
    )
    return _step(facts, wanted, "rewriting", standing)


def _captions(facts: Facts, counted: Counted, wanted: list[Need]) -> Step:
    rewritten = counted.descriptions - counted.pending
    standing = _Standing(
        counted.accepted, rewritten, waits="" if counted.accepted else "rewriting", action=("Review", "captions")
    )
    return _step(facts, wanted, "captions", standing)


def _queries(facts: Facts, counted: Counted, wanted: list[Need]) -> Step:
    standing = _Standing(
        counted.drawn,
        counted.drawn,
        waits="" if counted.accepted or counted.drawn else "captions",
        left=not counted.drawn,
        action=("Draw queries", "draw"),
    )
    return _step(facts, wanted, "queries", standing)


def _candidates(facts: Facts, counted: Counted, wanted: list[Need]) -> Step:
    standing = _Standing(
        counted.ranked,
        counted.drawn,
        waits="" if counted.drawn else "queries",
        left=counted.ranked < counted.drawn,
        action=("Fetch candidates", "pool"),
    )
    return _step(facts, wanted, "candidates", standing)


def _open(facts: Facts, counted: Counted, wanted: list[Need]) -> Step:
    standing = _Standing(
        counted.opened,
        counted.drawn,
        waits="" if counted.ranked or counted.opened else "candidates",
        left=counted.opened < counted.ranked,
        action=("Open judging", "opening"),
    )
    return _step(facts, wanted, "open", standing)


def _judge(facts: Facts, counted: Counted, wanted: list[Need]) -> Step:
    left = counted.pairs_open + counted.pairs_disputed
    said = [f"{counted.pairs_open:,} in the first round"] if counted.pairs_open else []
    said += [f"{counted.pairs_disputed:,} in the second"] if counted.pairs_disputed else []
    standing = _Standing(
        counted.pairs_decided,
        counted.pairs_decided + left,
        waits="" if any(facts.batches.values()) else "batches that are open",
        left=left > 0 and not counted.judgments,
        going=", ".join(said),
        action=("Watch progress", "work"),
    )
    return _step(facts, wanted, "judge", standing)


def _review(facts: Facts, wanted: list[Need]) -> Step:
    opened = sum(facts.batches.values())
    standing = _Standing(
        facts.reviewed,
        opened,
        waits="" if facts.reviewed else "batches that are decided",
        going="the others are being judged" if facts.reviewed < opened else "",
        action=("Review", "review"),
    )
    return _step(facts, wanted, "review", standing)


def _release(facts: Facts, counted: Counted, wanted: list[Need]) -> Step:
    later = counted_words(counted.judgments_since_release, "judgment", "judgments")
    lacks = f"{later} came after {facts.releases[0]}" if facts.releases and later else ""
    standing = _Standing(
        len(facts.releases),
        len(facts.releases),
        waits="" if facts.releases or counted.pairs_decided else "graded pairs",
        lacks=lacks,
        left=not facts.releases,
        action=("Make a release", "releases"),
    )
    return _step(facts, wanted, "release", standing)
