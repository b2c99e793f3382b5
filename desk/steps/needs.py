"""What needs the lead, from counted facts."""

from desk.steps.facts import Counted, Facts, Need, counted_words

URGENCY = (
    "rewriting",
    "import",
    "video-import",
    "clip-cutting",
    "draw",
    "fetch",
    "opening",
    "release",
    "stalled",
    "flags",
    "questions",
    "clips",
    "nobody",
    "candidates",
    "review",
    "captions",
    "unranked",
    "pool",
    "unopened",
    "failed-clips",
    "nothing",
)
"""The kinds of needs, most urgent first."""
STALE = {"unranked", "pool", "unopened"}
"""Needs that come of a change upstream: their step is out of date."""
STEP_OF_JOB = {
    "video-import": ("videos", "videos-add"),
    "import": ("descriptions", "imports"),
    "clip-cutting": ("clips", "clips"),
    "rewriting": ("rewriting", "rewriting"),
    "draw": ("queries", "draw"),
    "candidates": ("candidates", "pool"),
    "opening": ("open", "opening"),
    "release": ("release", "releases"),
}
"""Kind of job -> the step that it does, and its page."""


def urgency(need: Need) -> int:
    """The place of a need's kind, the most urgent first."""
    return URGENCY.index(need.kind)


def needs_of(facts: Facts) -> list[Need]:
    """The lead's tasks, most urgent first. What isn't counted yet is left out."""
    found = [*_of_jobs(facts), *_of_judging(facts)]
    if facts.counted is not None:
        found += _of_material(facts, facts.counted)
    return sorted(found, key=urgency)


def _of_jobs(facts: Facts) -> list[Need]:
    found = []
    for job in facts.jobs:
        if job.kind not in STEP_OF_JOB or job.standing not in ("refused", "stopped"):
            continue
        step, page = STEP_OF_JOB[job.kind]
        why = " ".join(job.problem.split())[:160]
        if job.kind == "import" and job.standing == "refused":
            words = f"Nothing was imported from {job.name}"
        else:
            ended = "stopped" if job.standing == "stopped" else "ended early"
            words = f"{job.title} {ended}{': ' if why else ''}{why}"
        # "candidates" is the kind of those who apply.
        found.append(Need("fetch" if job.kind == "candidates" else job.kind, 1, words, page, step))
    return found


def _of_judging(facts: Facts) -> list[Need]:
    found = []
    if facts.batches["decided"] and not facts.being_judged:
        words = "Judging can't go on until you have reviewed a batch"
        found.append(Need("stalled", facts.batches["decided"], words, "review", "review"))
    if facts.being_judged and not facts.annotators and not facts.is_study:
        found.append(Need("nobody", 0, "Nobody can judge yet: invite annotators", "invitations", "judge"))
    return [
        *found,
        *_some("flags", facts.flagged, "flagged pair waits", "flagged pairs wait", "flags", "judge"),
        *_some("questions", facts.questions, "open question", "open questions", "notices", "judge"),
        *_some(
            "candidates",
            facts.applicants,
            "applicant to decide about",
            "applicants to decide about",
            "candidates",
            "judge",
        ),
        *_some("review", facts.batches["decided"], "decided batch to review", "decided batches to review", "review"),
    ]


def _of_material(facts: Facts, counted: Counted) -> list[Need]:
    unranked, unopened = counted.drawn - counted.ranked, counted.ranked - counted.opened
    found = []
    if facts.has_clips and counted.waiting_for_clip:
        page = "work" if facts.is_study else "videos"
        one, several = "opened pair waits for its clip", "opened pairs wait for their clips"
        found += _some("clips", counted.waiting_for_clip, one, several, page)
    elif facts.has_clips:
        one, several = "clip could not be cut", "clips could not be cut"
        found += _some("failed-clips", counted.failed_clips, one, several, "videos", "clips")
    if facts.is_study:
        return found
    found += _some("captions", counted.in_review, "caption to review", "captions to review", "captions")
    if counted.ranked:
        one, several = "query has no candidates yet: fetch them", "queries have no candidates yet: fetch them"
        found += _some("unranked", unranked, one, several, "pool", "candidates")
    if counted.pool_changes:
        words = f"{counted.pool_words}: fetch candidates"
        found.append(Need("pool", counted.pool_changes, words, "pool", "candidates"))
    if counted.opened:
        one, several = "query isn't open for judging yet: open it", "queries aren't open for judging yet: open them"
        found += _some("unopened", unopened, one, several, "opening", "open")
    return found


def _some(kind: str, count: int, one: str, several: str, page: str, step: str = "") -> list[Need]:
    """The need where there is a count; its step is named as its kind, unless said."""
    words = counted_words(count, one, several)
    return [Need(kind, count, words, page, step or kind)] if words else []
