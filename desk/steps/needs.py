"""What needs the lead, from counted facts."""

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext_lazy

from desk.steps.states import CollectionState, MaterialTotals, Need
from foundation.counted import counted_words

URGENCY = (
    "rewriting",
    "import",
    "video-import",
    "clip-cutting",
    "draw",
    "topics",
    "candidates",
    "pool-run",
    "pool-making",
    "opening",
    "release",
    "stalled",
    "people",
    "flags",
    "questions",
    "clips",
    "nobody",
    "applicants",
    "review",
    "captions",
    "campaigns",
    "unranked",
    "unpooled",
    "pool",
    "unopened",
    "failed-clips",
    "nothing",
)
"""The kinds of needs, most urgent first."""
STALE = {"unranked", "unpooled", "pool", "unopened"}
"""Needs that come of a change upstream: their step is out of date."""
STEP_OF_JOB = {
    "video-import": ("videos", "videos-add"),
    "import": ("descriptions", "imports"),
    "clip-cutting": ("clips", "clips"),
    "rewriting": ("rewriting", "rewriting"),
    "draw": ("queries", "draw"),
    "topics": ("queries", "topics"),
    "candidates": ("candidates", "pool"),
    "pool-run": ("candidates", "pool-runs"),
    "pool-making": ("candidates", "pool-recipe"),
    "opening": ("open", "opening"),
    "release": ("release", "releases"),
}
"""Kind of job -> the step that it does, and its page."""


def urgency(need: Need) -> int:
    """The place of a need's kind, the most urgent first."""
    return URGENCY.index(need.kind)


def needs_of(facts: CollectionState) -> list[Need]:
    """The lead's tasks, most urgent first. What isn't counted yet is left out."""
    needs = [*_of_jobs(facts), *_of_judging(facts)]
    if facts.counted is not None:
        needs += _of_material(facts, facts.counted)
    return sorted(needs, key=urgency)


def _of_jobs(facts: CollectionState) -> list[Need]:
    needs = []
    for job in facts.jobs:
        if job.kind not in STEP_OF_JOB or job.standing not in ("refused", "stopped"):
            continue
        step, page = STEP_OF_JOB[job.kind]
        why = " ".join(job.problem.split())[:160]
        if job.kind == "import" and job.standing == "refused":
            words = gettext("Nothing was imported from %(file)s") % {"file": job.name}
        else:
            stopped = gettext("%(job)s stopped"), gettext("%(job)s stopped: %(why)s")
            ended = gettext("%(job)s ended early"), gettext("%(job)s ended early: %(why)s")
            words = (stopped if job.standing == "stopped" else ended)[bool(why)] % {"job": job.title, "why": why}
        needs.append(Need(job.kind, 1, words, page, step))
    return needs


def _of_judging(facts: CollectionState) -> list[Need]:
    needs = []
    if facts.batches["decided"] and not facts.being_judged:
        words = gettext("Judging can't continue until you review a batch")
        needs.append(Need("stalled", facts.batches["decided"], words, "review", "review"))
    if facts.being_judged and not facts.annotators and not facts.is_study:
        needs.append(Need("nobody", 0, gettext("Nobody can judge yet: invite annotators"), "invitations", "judge"))
    return [
        *needs,
        *_some(
            "flags",
            facts.flagged,
            ngettext_lazy("%(shown)s flagged pair waits", "%(shown)s flagged pairs wait", "count"),
            "flags",
            "judge",
        ),
        *_some(
            "questions",
            facts.questions,
            ngettext_lazy("%(shown)s open question", "%(shown)s open questions", "count"),
            "notices",
            "judge",
        ),
        *_some(
            "applicants",
            facts.applicants,
            ngettext_lazy(
                "%(shown)s applicant to admit or decline", "%(shown)s applicants to admit or decline", "count"
            ),
            "applicants",
            "judge",
        ),
        *_some(
            "campaigns",
            facts.campaigns,
            ngettext_lazy(
                "%(shown)s campaign waits: its results are due, or a team has a conflict of interest",
                "%(shown)s campaigns wait: results are due, or a team has a conflict of interest",
                "count",
            ),
            "campaigns",
            "release",
        ),
        *_some(
            "review",
            facts.batches["decided"],
            ngettext_lazy("%(shown)s decided batch to review", "%(shown)s decided batches to review", "count"),
            "review",
        ),
    ]


def _of_material(facts: CollectionState, counted: MaterialTotals) -> list[Need]:
    unranked, unopened = counted.drawn - counted.ranked, counted.ranked - counted.opened
    needs = []
    if facts.has_clips and counted.waiting_for_clip:
        page = "work" if facts.is_study else "flags"
        words = ngettext_lazy(
            "%(shown)s opened pair waits for its clip", "%(shown)s opened pairs wait for their clips", "count"
        )
        needs += _some("clips", counted.waiting_for_clip, words, page)
    elif facts.has_clips:
        words = ngettext_lazy("%(shown)s clip could not be cut", "%(shown)s clips could not be cut", "count")
        needs += _some("failed-clips", counted.failed_clips, words, "videos", "clips")
    if facts.is_study:
        return needs
    to_judge = facts.being_judged or counted.ranked > counted.opened or counted.unopened_pairs
    if counted.lacking and to_judge and (facts.annotators or not facts.being_judged):
        lacking = gettext("%(lacking)s: invite") % {"lacking": counted.lacking}
        needs.append(Need("people", counted.short, lacking, "invitations", "judge"))
    needs += _some(
        "captions",
        counted.in_review,
        ngettext_lazy("%(shown)s caption to review", "%(shown)s captions to review", "count"),
        "captions",
    )
    if counted.by_runs:
        return needs + _of_pool(counted) + _of_chosen(counted)
    if counted.ranked:
        words = ngettext_lazy(
            "%(shown)s query has no candidates yet: fetch them",
            "%(shown)s queries have no candidates yet: fetch them",
            "count",
        )
        needs += _some("unranked", unranked, words, "pool", "candidates")
    if counted.pool_changes:
        change = gettext("%(change)s: fetch candidates") % {"change": counted.pool_words}
        needs.append(Need("pool", counted.pool_changes, change, "pool", "candidates"))
    if counted.by_design:
        needs += _of_chosen(counted)
    elif counted.opened:
        words = ngettext_lazy(
            "%(shown)s query isn't open for judging yet: open it",
            "%(shown)s queries aren't open for judging yet: open them",
            "count",
        )
        needs += _some("unopened", unopened, words, "opening", "open")
    return needs


def _of_pool(counted: MaterialTotals) -> list[Need]:
    """What a pool by a recipe of runs needs once it was made."""
    needs = []
    if counted.ranked:
        words = ngettext_lazy(
            "%(shown)s query isn't pooled by the runs and the recipe of now: make the pool",
            "%(shown)s queries aren't pooled by the runs and the recipe of now: make the pool",
            "count",
        )
        needs += _some("unpooled", counted.unpooled, words, "pool-recipe", "candidates")
    return needs


def _of_chosen(counted: MaterialTotals) -> list[Need]:
    """Pairs that a recipe or a sampling design has chosen since judging was opened."""
    if not counted.opened:
        return []
    words = ngettext_lazy(
        "%(shown)s chosen pair isn't open for judging yet: open it",
        "%(shown)s chosen pairs aren't open for judging yet: open them",
        "count",
    )
    return _some("unopened", counted.unopened_pairs, words, "opening", "open")


def _some(kind: str, count: int, words: Promise, page: str, step: str = "") -> list[Need]:
    """The need where there is a count; its step is named as its kind, unless said."""
    sentence = counted_words(count, words)
    return [Need(kind, count, sentence, page, step or kind)] if sentence else []
