from __future__ import annotations

import math
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.checks.thresholds import names_pass, similarity_passes
from queries.language.known_words import NOT_PERSONS
from queries.language.lexicon import Lexicon, build_lexicon, leftover_names


@dataclass(frozen=True)
class Span:
    score: float


DESCRIPTIONS = [
    "House looks at Wilson and takes his cane.",
    "Wilson talks to House in front of a house.",
    "Cuddy hands House her file.",
    "House leaves his house and Thirteen follows.",
    *["Cuddy looks at House while Thirteen talks to House and House nods at Thirteen."] * 4,
    "Cuddy opens her door while Dr. Taub waits.",
    "Foreman waits thirteen minutes at the door with Thirteen.",
    "Rachels tie is red, says Rachel to Rachel.",
    "Will sits at the table near the TV and will leave.",
]
LEXICON = build_lexicon(DESCRIPTIONS)


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_a_similarity_passes_exactly_from_its_threshold_on(score, threshold):
    assert similarity_passes(score, threshold) == (score >= threshold)


def test_a_similarity_that_is_no_number_fails():
    assert not similarity_passes(math.nan)


@given(st.lists(st.floats(0, 1)), st.floats(0, 1))
def test_names_pass_exactly_when_no_score_is_above_the_threshold(scores, threshold):
    assert names_pass(map(Span, scores), threshold) == (max(scores, default=0) <= threshold)


def test_the_thresholds_are_those_of_the_paper():
    assert similarity_passes(0.4)
    assert not similarity_passes(0.399)
    assert names_pass([Span(0.8)])
    assert not names_pass([Span(0.801)])


def test_the_cast_is_learnt_from_capitals_inside_sentences():
    assert {"house", "wilson", "cuddy", "taub", "thirteen", "rachel"} <= LEXICON.cast
    assert LEXICON.cast.isdisjoint({"tv", "dr", "will", "the", "file"})


def test_a_cast_word_that_is_a_thing_too_is_known_as_both():
    assert {"house", "thirteen"} <= LEXICON.nouns


def test_genders_are_learnt_from_pronouns():
    lexicon = build_lexicon(["House takes his cane."] * 2 + ["House sees Foreman.", "Cuddy sees House, her coat on."])
    assert lexicon.genders["house"] == "man"


def test_titles_tell_the_gender():
    lexicon = build_lexicon(["Then Mrs. Kutner sits.", "Then Mr. Stark sits."])
    assert (lexicon.genders["kutner"], lexicon.genders["stark"]) == ("woman", "man")


def test_a_given_cast_list_is_matched_besides():
    lexicon = build_lexicon(["A man sits."], cast=["Zaphod Beeblebrox"])
    assert leftover_names("A man looks at Beeblebrox.", lexicon) == ["Beeblebrox"]


def test_a_number_is_a_name_where_the_cast_list_says_so_alone():
    lexicon = build_lexicon(DESCRIPTIONS, cast=["Thirteen", "13"])
    assert leftover_names("13 looks at a man. A man waits 13 minutes.", lexicon) == ["13"]
    assert leftover_names("7 looks at a man. Dr. 7 sits.", lexicon) == []
    assert leftover_names("13 looks at a man.", LEXICON) == []


@pytest.mark.parametrize(
    ("caption", "left"),
    [
        pytest.param("A man looks at Wilson.", ["Wilson"], id="inside the sentence"),
        pytest.param("Wilson looks at a man.", ["Wilson"], id="at its start"),
        pytest.param("A man takes wilson's file.", ["wilson"], id="in lower case"),
        pytest.param("A man looks at house.", ["house"], id="a word, where only a name can stand"),
        pytest.param("A man sits in the house.", [], id="a word, as a word"),
        pytest.param("House leaves.", ["House"], id="a name that is a word"),
        pytest.param("A woman waits thirteen minutes.", [], id="a number"),
        pytest.param("A man sees Dr. Green in the room.", ["Green"], id="after a title"),
        pytest.param("A man hugs Giuseppe.", ["Giuseppe"], id="a first name from elsewhere"),
        pytest.param("Giuseppe hugs a man.", ["Giuseppe"], id="a first name at the start"),
        pytest.param("A man watches TV on Halloween with a Chinese woman.", [], id="capitals that name nobody"),
        pytest.param("Two people and the Rachels sit.", ["Rachels"], id="plural"),
        pytest.param("Someone opens the door. Then a woman sits.", [], id="nobody"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_leftover_names_are_found_and_nothing_else(caption, left):
    assert leftover_names(caption, LEXICON) == left


@given(st.text())
def test_any_text_can_be_checked_and_any_text_can_be_learnt_from(text):
    lexicon = build_lexicon([text])
    assert all(name in text for name in leftover_names(text, lexicon))
    assert lexicon.cast.isdisjoint(NOT_PERSONS)


@given(st.sampled_from(sorted(LEXICON.cast)))
def test_every_member_of_the_cast_is_found_when_capitalised_inside_a_sentence(member):
    assert leftover_names(f"A man looks at {member.capitalize()} again.", LEXICON) == [member.capitalize()]


def test_without_a_lexicon_first_names_still_count():
    assert leftover_names("A man looks at Rachel.", Lexicon()) == ["Rachel"]
