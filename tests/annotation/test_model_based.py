"""The model of the annotators: what it must find where the truth is known."""

import numpy as np

from annotation.model_based import model_view

TRUTH = np.arange(400) % 5


def grades_of(*people: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Everybody's grades of all pairs, in columns; people are 1, 2, 3 ..."""
    size = len(TRUTH)
    pair = np.tile(np.arange(size), len(people))
    person = np.repeat(np.arange(1, len(people) + 1), size)
    return pair, person, np.concatenate(people).astype(np.int64)


def test_whoever_guesses_is_told_from_those_who_judge() -> None:
    guessed = np.random.default_rng(1).integers(0, 5, len(TRUTH))
    found = model_view(*grades_of(TRUTH, TRUTH, guessed), decided={})
    assert found.people[0].member == 3, "the least reliable comes first"
    by_member = {one.member: one for one in found.people}
    assert by_member[1].exact > 0.99 and by_member[1].bias < 0.01
    assert by_member[3].exact < 0.35


def test_whoever_is_lenient_is_seen_as_lenient() -> None:
    lenient = np.minimum(TRUTH + 1, 4)
    found = model_view(*grades_of(TRUTH, TRUTH, lenient), decided={})
    by_member = {one.member: one for one in found.people}
    assert 0.75 < by_member[3].bias < 0.85, "four of five grades are one higher"
    assert by_member[3].within_one > 0.99


def test_a_consensus_far_from_what_everybody_says_is_pointed_at_first() -> None:
    decided: dict[int, int | None] = {pair: int(grade) for pair, grade in enumerate(TRUTH)}
    decided[0], decided[7], decided[9] = 4, 3, None
    del decided[11]
    found = model_view(*grades_of(TRUTH, TRUTH, TRUTH), decided=decided)
    assert [(one.pair, one.grade, one.model) for one in found.worth_a_look] == [(0, 4, 0), (7, 3, 2), (9, None, 4)]
    assert found.worth_a_look[0].far > 0.99 > 0.01 > found.worth_a_look[1].far
    assert (found.pairs, found.disagreeing) == (399, 2)
    assert found.table[5] == [0, 0, 0, 0, 1] and found.table[4][0] == 1


def test_a_grade_that_nobody_gave_and_no_judgment_at_all_are_no_fault() -> None:
    found = model_view(*grades_of(TRUTH % 2, TRUTH % 2), decided={0: 0, 1: 1})
    assert found.disagreeing == 0
    nothing = np.empty(0, dtype=np.int64)
    assert model_view(nothing, nothing, nothing, {}).people == []
