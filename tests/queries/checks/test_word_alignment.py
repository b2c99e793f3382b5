from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.checks.word_alignment import align, changed_words, kept_passes, same_word
from queries.language.words import words

SENTENCE = st.lists(
    st.sampled_from("the a man woman walks walk was were opens door slowly car red and in her Ross".split()),
    max_size=12,
).map(" ".join)


def ratio(before: str, after: str, names: set[int]) -> float:
    return align(words(before), words(after), names).ratio


@pytest.mark.parametrize(
    ("before", "after", "names", "expected"),
    [
        pytest.param("Amy sits down.", "A woman sits down.", {0}, 1.0, id="only the name went"),
        pytest.param("Amy was there.", "Two women were there.", {0}, 1.0, id="an inflection is no change"),
        pytest.param(
            "Amy is driving Leonard somewhere in her car.", "A woman is driving a car.", {0, 3}, 0.5, id="half lost"
        ),
        pytest.param("Amy sits.", "A woman sits quietly.", {0}, 0.5, id="an addition counts as much as a loss"),
        pytest.param("Amy and Bo sit.", "Two people sit.", {0, 2}, 1.0, id="the and between two names"),
        pytest.param("A guy named Bo sits.", "A guy sits.", {3}, 1.0, id="named goes with the name"),
        pytest.param("Amy.", "A woman.", {0}, 1.0, id="nothing to keep"),
        pytest.param("", "", set(), 1.0, id="nothing at all"),
        pytest.param("Amy sits.", "", {0}, 0.0, id="everything lost"),
        pytest.param("Amy hugs Bo and leaves.", "A woman hugs a man and leaves.", {0, 2}, 1.0, id="another and stays"),
    ],
)
def test_the_ratio_is_what_was_kept(before: str, after: str, names: set[int], expected: float) -> None:
    assert ratio(before, after, names) == pytest.approx(expected)


def test_lost_and_added_words_are_told_by_their_places() -> None:
    before, after = words("Amy drives slowly home."), words("A woman drives home happily.")
    laid = align(before, after, {0})
    assert [before[place].text for place in laid.lost] == ["slowly"]
    assert [after[place].text for place in laid.added] == ["happily"]


@given(SENTENCE)
def test_a_sentence_keeps_all_of_itself(text: str) -> None:
    laid = align(words(text), words(text), set())
    assert (laid.ratio, laid.lost, laid.added) == (1.0, (), ())
    assert changed_words(words(text), words(text)) == (set(), set())


@given(SENTENCE, SENTENCE, st.sets(st.integers(0, 11)))
def test_pairs_grow_on_both_sides_never_hold_a_name_and_the_ratio_is_a_share(
    before: str, after: str, names: set[int]
) -> None:
    old, new = words(before), words(after)
    laid = align(old, new, names)
    assert 0.0 <= laid.ratio <= 1.0
    for (i, j), (k, m) in zip(laid.pairs, laid.pairs[1:], strict=False):
        assert i < k and j < m
    for i, j in laid.pairs:
        assert i not in names and same_word(old[i].text, new[j].text)
    assert not {old_place for old_place, _ in laid.pairs} & set(laid.lost)
    assert not {new_place for _, new_place in laid.pairs} & set(laid.added)


@given(SENTENCE, st.integers(0, 11))
def test_a_dropped_word_is_lost_unless_it_is_an_article_or_joins_persons(text: str, at: int) -> None:
    parts = text.split()
    if at >= len(parts) or parts[at] in ("a", "the", "and", "man", "woman"):
        return
    shorter = " ".join([*parts[:at], *parts[at + 1 :]])
    assert align(words(text), words(shorter), set()).ratio < 1.0


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("was", "were", True),
        ("Walks", "walk", True),
        ("carries", "carry", True),
        ("pushes", "push", True),
        ("has", "have", True),
        ("his", "her", False),
        ("glass", "glas", False),
        ("is", "has", False),
        ("as", "a", False),
    ],
)
def test_words_are_the_same_but_for_case_and_inflection(one: str, other: str, same: bool) -> None:
    assert same_word(one, other) is same
    assert same_word(other, one) is same


def test_the_threshold_itself_passes() -> None:
    assert kept_passes(0.85, 0.85) and not kept_passes(0.8499, 0.85) and not kept_passes(float("nan"), 0.85)
