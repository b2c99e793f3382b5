"""`annotation/batches/states.md` against a model: judging, undo, silence, leaving, flags, pauses, reviews, repeats,
judgments set aside."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    run_state_machine_as_test,
)

from foundation.models import Collection
from tests.annotation.batches.judging_model import Judging, happened

DRAWN = ("counted", "sent again", "undo", "second round")
"""What has to happen in the drawn examples, so that they say something of it."""
IN_DISPUTE = ("late", "undo refused", "second round", "undo", "discarded", "decided by four")
UNDER_REVIEW = (
    *("second", "repeat", "undo of a repeat", "withdrawn", "withdrawal refused", "brought back", "return refused"),
    *("extend", "finish", "review taken back", "taking back refused"),
)
"""What drawn examples reach too seldom: written ones walk there, by the same model."""
SET_ASIDE = ("set aside", "finish taken back", "stays", "already", "restored", "not restored", "decided by four")


@pytest.mark.django_db
def test_every_order_of_events_keeps_to_the_table() -> None:
    happened.clear()
    run_state_machine_as_test(
        Judging,
        settings=settings(
            max_examples=12,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert {event: happened[event] for event in DRAWN if not happened[event]} == {}, happened


@contextmanager
def walk(candidates: int, events: tuple[str, ...]) -> Iterator[Judging]:
    """A written example over one query, which has all these events."""
    happened.clear()
    walked = Judging()
    try:
        walked.open(queries=1, candidates=candidates)
        yield walked
        walked.what_is_stored_is_what_was_done()
        assert {event: happened[event] for event in events if not happened[event]} == {}, happened
    finally:
        walked.teardown()


@pytest.mark.django_db
def test_a_pair_in_dispute_is_decided_by_four_and_who_comes_late_counts_for_nothing() -> None:
    with walk(1, IN_DISPUTE) as walked:
        walked.ask("bo")
        walked.ask("cy")
        walked.silence("cy")
        for who, grade in (("bo", 0), ("di", 4), ("ed", 0), ("flo", 2)):
            walked.judge(who, grade, 0)
            walked.what_is_stored_is_what_was_done()
        walked.undo("bo")  # overtaken
        walked.undo("flo")
        walked.judge("flo", 1, 0)
        walked.judge("cy", 3, 0)


@pytest.mark.django_db
def test_a_batch_is_reviewed_taken_back_and_reviewed_again_and_withdrawn_pairs_stay_so() -> None:
    with walk(21, UNDER_REVIEW) as walked:
        walked.ask("bo")
        for _ in range(2):
            walked.flag("bo", 0, "clip")
            walked.answer("withdrawn")
            walked.what_is_stored_is_what_was_done()
            walked.bring_back() if not happened["brought back"] else None
        gone = walked.in_hand["bo"].pop(0)
        for _ in range(19):
            for who in ("bo", "cy"):
                walked.judge(who, 2, 0)
                walked.what_is_stored_is_what_was_done()
        first = next(done for done in walked.last["bo"] if not done.startswith("flag "))
        walked.in_hand["bo"] = [first]
        walked.judge("bo", 4, 0)  # once more, under a new key
        for decision in ("finish", "extend"):
            walked.review(decision)
            walked.bring_back() if decision == "finish" else walked.ask("di")
            assert walked.withdrawn == {gone}
            walked.take_review_back(0)
            walked.what_is_stored_is_what_was_done()
        walked.in_hand["bo"] = [first]
        walked.flag("bo", 0, "query")
        walked.answer("withdrawn")
        Collection.objects.update(repeat_share=1)
        walked.in_hand["bo"] = []
        walked.ask("bo")
        walked.judge("bo", 3, 0)
        walked.what_is_stored_is_what_was_done()
        walked.undo("bo")
        walked.what_is_stored_is_what_was_done()


@pytest.mark.django_db
def test_judgments_set_aside_open_their_pairs_for_others_and_count_again_where_nobody_has_judged_since() -> None:
    with walk(21, SET_ASIDE) as walked:
        walked.ask("bo")
        disputed = walked.in_hand["bo"][0]
        for who in ("bo", "cy"):
            for _ in range(20):
                walked.ask(who)
                walked.judge(who, 4 if (who, walked.in_hand[who][0]) == ("cy", disputed) else 2, 0)
        for who in ("di", "ed"):
            walked.judge(who, 2, 0)
        walked.what_is_stored_is_what_was_done()
        walked.review("extend")
        walked.put_aside("cy", True)
        assert not walked.out, "of an extended batch they stay"
        walked.take_review_back(0)
        walked.review("finish")
        walked.put_aside("cy", False)
        assert not walked.out, "those of a finished batch only if it is said"
        walked.put_aside("cy", True)
        walked.what_is_stored_is_what_was_done()
        assert walked.model_state(disputed)[0] == "consensus", "the three that are left agree"
        walked.in_hand["cy"] = [disputed]
        walked.judge("cy", 2, 0)  # as of a tab that didn't hear of it
        walked.judge("flo", 2, 0)
        walked.let_count_again()
        walked.what_is_stored_is_what_was_done()
