from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.text import normalise
from queries.language.words import collapse, words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("A woman  walks.", " a Woman\twalks.\n", id="case and white space"),
        pytest.param("Caf\u00e9", "Cafe\u0301", id="composed and decomposed"),
        pytest.param("STRASSE", "straße", id="case folding"),
    ],
)
def test_captions_equal_but_for_case_form_and_white_space_are_equal(one, other):
    assert normalise(one) == normalise(other)


@given(st.text())
def test_normalising_twice_changes_nothing(text):
    assert normalise(normalise(text)) == normalise(text)


@given(st.text())
def test_a_normal_form_is_nfc_without_outer_or_double_spaces(text):
    normal = normalise(text)
    assert normal == " ".join(normal.split())
    assert unicodedata.is_normalized("NFC", normal)


@given(st.text())
def test_words_are_slices_of_the_text_in_order_and_cover_all_but_white_space(text):
    parts = words(text)
    assert [text[part.start : part.end] for part in parts] == [part.text for part in parts]
    assert all(left.end <= right.start for left, right in pairwise(parts))
    covered = {at for part in parts for at in range(part.start, part.end)}
    assert all(letter.isspace() for at, letter in enumerate(text) if at not in covered)


def test_a_possessive_ending_is_a_word_of_its_own():
    assert [w.text for w in words("Rachel's tie, Ross' hat, don't")] == [
        *("Rachel", "'s", "tie", ",", "Ross", "'", "hat", ",", "don't")
    ]


def test_a_sentence_opens_after_a_full_stop_but_not_after_a_title():
    opens = [w.text for w in words('Dr. House sits. Wilson says: "Stop it"') if w.opens]
    assert opens == ["Dr", "Wilson", '"', "Stop"]


def test_collapsing_takes_stray_white_space_away():
    assert collapse("  A man  sits . \n") == "A man sits."
