"""The steps of the work: each one's state, words and next action from counted facts, and what needs the lead."""

from dataclasses import fields, replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.steps.needs import STALE, STEP_OF_JOB, URGENCY, urgency
from desk.steps.rules import PLACES, next_step, state_of_stage, steps_and_needs, without_action
from desk.steps.states import CollectionState, JobAtHand, MaterialTotals, Step, StepState

NONE = {"open": 0, "judging": 0, "second": 0, "decided": 0, "finished": 0, "extended": 0}
FINISHED = MaterialTotals(
    videos=3,
    videos_with_file=3,
    moments=40,
    clips=40,
    descriptions=44,
    accepted=40,
    drawn=2,
    ranked=2,
    opened=2,
    pairs_decided=40,
    judgments=80,
)
EMPTY = CollectionState(has_clips=True, is_study=False, batches=NONE, annotators=2, counted=MaterialTotals())
OVER = replace(EMPTY, batches={**NONE, "finished": 2}, counted=FINISHED, releases=["v1"])
"""Everything is done."""


def having(facts: CollectionState = OVER, *, batches: dict[str, int] | None = None, **changed: Any) -> CollectionState:
    """The facts with other counts: of `MaterialTotals` where it has the name, else of `CollectionState`."""
    assert facts.counted is not None
    names = {field.name for field in fields(MaterialTotals)}
    counted = replace(facts.counted, **{name: value for name, value in changed.items() if name in names})
    others = {name: value for name, value in changed.items() if name not in names}
    return replace(facts, counted=counted, batches=facts.batches if batches is None else {**NONE, **batches}, **others)


def step(facts: CollectionState, key: str) -> Step:
    return next(step_at_hand for step_at_hand in steps_and_needs(facts)[0] if step_at_hand.key == key)


def job(kind: str, standing: str, problem: str = "") -> JobAtHand:
    return JobAtHand(kind, f"Job {kind}", "a.json", standing, 40.0, "4 of 10", problem, "/there/")


JUDGED = {"batches": {"judging": 1, "finished": 1}, "pairs_open": 3, "pairs_disputed": 1}
CASES: list[tuple[str, CollectionState, StepState, str, str]] = [
    # step, facts, state, its words, its action
    ("videos", EMPTY, StepState.READY, "", "Add videos"),
    ("videos", having(EMPTY, videos=3, moments=9, descriptions=9), StepState.READY, "", "Add videos"),
    ("videos", having(videos_with_file=2), StepState.DONE, "", ""),
    (
        "videos",
        having(videos_with_file=2, missing_clips=1),
        StepState.OUT_OF_DATE,
        "1 video has no file yet: add it",
        "Add videos",
    ),
    ("videos", having(jobs=[job("video-import", "under-way")]), StepState.WORKING, "4 of 10", ""),
    ("videos", OVER, StepState.DONE, "", ""),
    ("descriptions", EMPTY, StepState.READY, "", "Import descriptions"),
    ("descriptions", OVER, StepState.DONE, "", ""),
    (
        "descriptions",
        having(jobs=[job("import", "refused", "line 3")]),
        StepState.NEEDS_YOU,
        "Nothing was imported from a.json",
        "Look",
    ),
    ("clips", EMPTY, StepState.NOT_BEGUN, "Waits for descriptions", ""),
    ("clips", having(EMPTY, videos=3, moments=9, missing_clips=9), StepState.NOT_BEGUN, "Waits for videos", ""),
    (
        "clips",
        having(EMPTY, videos=3, videos_with_file=3, moments=9, missing_clips=9),
        StepState.READY,
        "",
        "Cut clips",
    ),
    ("clips", having(missing_clips=2), StepState.OUT_OF_DATE, "2 moments have no clip yet: cut them", "Cut clips"),
    ("clips", having(failed_clips=1), StepState.NEEDS_YOU, "1 clip could not be cut", "Look"),
    (
        "clips",
        having(waiting_for_clip=1, failed_clips=1),
        StepState.NEEDS_YOU,
        "1 opened pair waits for its clip",
        "Look",
    ),
    ("clips", OVER, StepState.DONE, "", ""),
    ("rewriting", EMPTY, StepState.NOT_BEGUN, "Waits for descriptions", ""),
    ("rewriting", having(EMPTY, descriptions=9, pending=9), StepState.READY, "", "Rewrite descriptions"),
    (
        "rewriting",
        having(pending=7),
        StepState.OUT_OF_DATE,
        "7 descriptions aren't rewritten yet: rewrite them",
        "Rewrite descriptions",
    ),
    (
        "rewriting",
        having(pending=7, jobs=[job("rewriting", "stopped", "no money left")]),
        StepState.NEEDS_YOU,
        "Job rewriting stopped: no money left",
        "Look",
    ),
    ("rewriting", OVER, StepState.DONE, "", ""),
    ("captions", EMPTY, StepState.NOT_BEGUN, "Waits for rewriting", ""),
    ("captions", having(in_review=1), StepState.NEEDS_YOU, "1 caption to review", "Review"),
    ("captions", OVER, StepState.DONE, "", ""),
    ("queries", EMPTY, StepState.NOT_BEGUN, "Waits for captions to draw from, or topics", ""),
    ("queries", having(EMPTY, descriptions=9, accepted=9), StepState.READY, "", "Draw queries"),
    ("queries", having(jobs=[job("draw", "under-way")]), StepState.WORKING, "4 of 10", ""),
    ("queries", OVER, StepState.DONE, "", ""),
    ("queries", having(EMPTY, drawn=4, topics=4), StepState.DONE, "", ""),
    ("descriptions", having(EMPTY, drawn=4, topics=4), StepState.DONE, "", ""),
    ("rewriting", having(pending=7, drawn=2, topics=2), StepState.READY, "", "Rewrite descriptions"),
    ("candidates", EMPTY, StepState.NOT_BEGUN, "Waits for queries", ""),
    ("candidates", having(EMPTY, accepted=9, drawn=4), StepState.READY, "", "Fetch candidates"),
    (
        "candidates",
        having(drawn=4),
        StepState.OUT_OF_DATE,
        "2 queries have no candidates yet: fetch them",
        "Fetch candidates",
    ),
    (
        "candidates",
        having(pool_changes=1, pool_words="1 accepted caption isn't in the candidate pool"),
        StepState.OUT_OF_DATE,
        "1 accepted caption isn't in the candidate pool: fetch candidates",
        "Fetch candidates",
    ),
    (
        "candidates",
        having(jobs=[job("candidates", "refused", "No space.")]),
        StepState.NEEDS_YOU,
        "Job candidates ended early: No space.",
        "Look",
    ),
    ("candidates", OVER, StepState.DONE, "", ""),
    ("open", EMPTY, StepState.NOT_BEGUN, "Waits for candidates", ""),
    ("open", having(EMPTY, accepted=9, drawn=4, ranked=4), StepState.READY, "", "Open judging"),
    (
        "open",
        having(drawn=3, ranked=3),
        StepState.OUT_OF_DATE,
        "1 query isn't open for judging yet: open it",
        "Open judging",
    ),
    ("open", OVER, StepState.DONE, "", ""),
    ("judge", EMPTY, StepState.NOT_BEGUN, "Waits for batches that are open", ""),
    (
        "judge",
        having(**JUDGED, judgments=0),
        StepState.READY,
        "",
        "Watch progress",
    ),
    ("judge", having(**JUDGED), StepState.WORKING, "3 in the first round, 1 in the second", ""),
    ("judge", having(**JUDGED, flagged=2), StepState.NEEDS_YOU, "2 flagged pairs wait", "Answer"),
    ("judge", having(**JUDGED, questions=1), StepState.NEEDS_YOU, "1 open question", "Answer"),
    ("judge", having(**JUDGED, applicants=1), StepState.NEEDS_YOU, "1 applicant to admit or decline", "Decide"),
    (
        "judge",
        having(**JUDGED, annotators=0),
        StepState.NEEDS_YOU,
        "Nobody can judge yet: invite annotators",
        "Invite",
    ),
    ("judge", OVER, StepState.DONE, "", ""),
    ("review", EMPTY, StepState.NOT_BEGUN, "Waits for batches that are decided", ""),
    ("review", having(batches={"open": 1, "finished": 1}), StepState.WORKING, "the others are being judged", ""),
    ("review", having(batches={"open": 1, "decided": 3}), StepState.NEEDS_YOU, "3 decided batches to review", "Review"),
    (
        "review",
        having(batches={"decided": 1}),
        StepState.NEEDS_YOU,
        "Judging can't continue until you review a batch",
        "Review",
    ),
    ("review", OVER, StepState.DONE, "", ""),
    ("release", EMPTY, StepState.NOT_BEGUN, "Waits for graded pairs", ""),
    ("release", having(releases=[]), StepState.READY, "", "Make a release"),
    (
        "release",
        having(judgments_since_release=1341, releases=["v2", "v1"]),
        StepState.OUT_OF_DATE,
        "1,341 judgments came after v2",
        "Make a release",
    ),
    ("release", OVER, StepState.DONE, "", ""),
]


@pytest.mark.parametrize(("key", "facts", "state", "words", "action"), CASES)
def test_a_step_s_state_words_and_action(
    key: str, facts: CollectionState, state: StepState, words: str, action: str
) -> None:
    shown = step(facts, key)
    assert (shown.state, shown.waiting, shown.action) == (state, words, action)


def test_topics_alone_need_no_captions() -> None:
    bare = having(EMPTY, descriptions=9, pending=9, drawn=4, topics=4)
    keys = [each.key for each in steps_and_needs(bare)[0]]
    assert {"rewriting", "captions"}.isdisjoint(keys) and step(bare, "queries").page == "topics"
    assert step(bare, "candidates").state == StepState.READY
    beside = having(EMPTY, descriptions=9, pending=9, drawn=5, topics=4)
    assert step(beside, "rewriting").state == StepState.OUT_OF_DATE, "a drawn query has captions beside it"


def test_no_step_is_left_out_above() -> None:
    assert {key for key, *_ in CASES} == set(PLACES)


@pytest.mark.parametrize("kind", sorted(STEP_OF_JOB))
@pytest.mark.parametrize("standing", ["under-way", "stopped", "refused", "done"])
def test_a_job_is_told_at_its_step(kind: str, standing: str) -> None:
    key, page = STEP_OF_JOB[kind]
    facts = having(jobs=[job(kind, standing, "why")])
    shown, needs = step(facts, key), steps_and_needs(facts)[1]
    if standing == "under-way":
        assert (shown.state, shown.job, needs) == (StepState.WORKING, facts.jobs[0], [])
    elif standing == "done":
        assert (shown.state, shown.job, needs) == (StepState.DONE, None, [])
    else:
        assert (shown.state, shown.action_page) == (StepState.NEEDS_YOU, page)
        assert [need.page for need in needs] == [page]


def test_what_is_done_leaves_nothing_to_do() -> None:
    steps, needs = steps_and_needs(OVER)
    assert ([each.state for each in steps], needs) == ([StepState.DONE] * 11, [])
    assert next_step(steps) is None
    assert state_of_stage(steps) == StepState.DONE


@pytest.mark.parametrize(
    ("facts", "words", "page"),
    [
        (EMPTY, "Add videos", "videos-add"),
        (replace(EMPTY, has_clips=False), "Import descriptions", "imports"),
        (replace(having(EMPTY, descriptions=9, pending=9), has_clips=False), "Rewrite descriptions", "rewriting"),
        (replace(having(EMPTY, descriptions=9, in_review=9, accepted=1), has_clips=False), "Draw queries", "draw"),
        (replace(having(EMPTY, descriptions=9, accepted=9), has_clips=False), "Draw queries", "draw"),
        (replace(having(EMPTY, descriptions=9, accepted=9, drawn=2), has_clips=False), "Fetch candidates", "pool"),
        (
            replace(having(EMPTY, descriptions=9, accepted=9, drawn=2, ranked=2), has_clips=False),
            "Open judging",
            "opening",
        ),
    ],
)
def test_while_nothing_is_open_the_first_step_to_be_done_is_named(
    facts: CollectionState, words: str, page: str
) -> None:
    last = steps_and_needs(facts)[1][-1]
    assert (last.kind, last.words, last.page) == ("nothing", f"Nothing is open for judging yet. Next: {words}", page)


def test_before_the_first_count_only_what_is_known_is_told() -> None:
    steps, needs = steps_and_needs(replace(OVER, counted=None, flagged=1, batches={**NONE, "decided": 1}))
    assert steps == []
    assert [need.kind for need in needs] == ["stalled", "flags", "review"]
    assert steps_and_needs(replace(EMPTY, counted=None))[1][0].words == "Nothing is open for judging yet"


def test_a_study_has_its_judging_alone() -> None:
    study = replace(having(**JUDGED, waiting_for_clip=1, in_review=3, drawn=5, annotators=0), is_study=True)
    steps, needs = steps_and_needs(study)
    assert [each.key for each in steps] == ["judge"]
    assert [(need.kind, need.page) for need in needs] == [("clips", "work")]


def test_without_clips_there_are_no_steps_about_them() -> None:
    steps, _ = steps_and_needs(replace(OVER, has_clips=False))
    assert [each.key for each in steps] == [key for key in PLACES if key not in ("videos", "clips")]


def test_an_archived_collection_has_nothing_to_do() -> None:
    for facts in (EMPTY, having(**JUDGED, flagged=1)):
        kept = [without_action(each) for each in steps_and_needs(facts)[0]]
        assert next_step(kept) is None
        assert not {each.state for each in kept} & {StepState.NEEDS_YOU, StepState.READY, StepState.OUT_OF_DATE}


counts = st.integers(0, 3)
facts_of_any_kind = st.builds(
    CollectionState,
    has_clips=st.booleans(),
    is_study=st.booleans(),
    batches=st.fixed_dictionaries({name: counts for name in NONE}),
    annotators=counts,
    flagged=counts,
    questions=counts,
    applicants=counts,
    campaigns=counts,
    releases=st.lists(st.just("v1"), max_size=2),
    jobs=st.lists(
        st.builds(
            job, st.sampled_from([*STEP_OF_JOB, "study"]), st.sampled_from(["under-way", "refused", "stopped", "done"])
        ),
        max_size=3,
        unique_by=lambda job: job.kind,
    ),
    counted=st.none()
    | st.builds(MaterialTotals, **{each.name: counts for each in fields(MaterialTotals) if each.name != "pool_words"}),
)


@given(facts_of_any_kind)
def test_steps_and_needs_say_the_same(facts: CollectionState) -> None:
    steps, needs = steps_and_needs(facts)
    assert needs == sorted(needs, key=urgency)
    assert {need.kind for need in needs} <= set(URGENCY)
    for each in steps:
        own = {need.kind for need in needs if need.step == each.key}
        if each.job is not None:
            assert each.state == StepState.WORKING
        else:
            assert (each.state == StepState.NEEDS_YOU) == bool(own - STALE)
        if own & STALE and each.state not in (StepState.WORKING, StepState.NEEDS_YOU, StepState.NOT_BEGUN):
            assert each.state == StepState.OUT_OF_DATE
        assert bool(each.action) == bool(each.action_page)
        assert bool(each.action) == (each.state in (StepState.READY, StepState.NEEDS_YOU, StepState.OUT_OF_DATE))
        assert each.waiting or each.state in (StepState.READY, StepState.DONE)
    if steps and any(facts.batches.values()):
        shown = {each.key for each in steps}
        assert {need.step for need in needs if not facts.is_study} <= shown | {"videos", "clips"}


def test_the_state_of_a_stage_is_the_one_that_asks_most() -> None:
    order = [
        StepState.NEEDS_YOU,
        StepState.OUT_OF_DATE,
        StepState.WORKING,
        StepState.READY,
        StepState.NOT_BEGUN,
        StepState.DONE,
    ]
    for first, second in product(order, repeat=2):
        opening = replace(step(OVER, "open"), state=first)
        other = replace(opening, state=second)
        assert state_of_stage([opening, other]) == min(first, second, key=order.index)
