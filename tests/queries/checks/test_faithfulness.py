"""As many persons as before and nothing else changed, with the lexicon alone and no model."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.checks.faithfulness import Faithfulness, compare
from queries.checks.word_alignment import KEPT_THRESHOLD, kept_passes
from queries.language.lexicon import Lexicon, build_lexicon
from queries.language.name_tagger import load_tagger
from queries.language.person_phrases import find_phrases
from queries.language.words import words
from queries.rewriting.rewriters.interface import SourceDescription
from queries.rewriting.rewriters.rules import RulesRewriter
from tests.paths import DATA, NO_DATA

TVR = DATA / "tvr" / "tvr_val_part.jsonl"
CAST = build_lexicon([], ["Amy", "Leonard", "Eric", "Gregory", "Rachel Green", "Ross", "Monica", "Kopek", "Bob"])


def compared(before: str, after: str, lexicon: Lexicon = CAST) -> Faithfulness:
    return compare(before, after, [], lexicon)


@pytest.mark.parametrize(
    ("before", "after", "persons"),
    [
        ("Eric and Dr. Gregory were there.", "Two people were there.", 2),
        ("Rachel, Monica and Ross sit.", "Two women and a man sit.", 3),
        ("Amy hugs Leonard.", "The woman hugs the man.", 2),
        ("Rachel gives Rachel Green's coat to Ross.", "A woman gives the woman's coat to a man.", 2),
        ("Ross hugs Leonard and Ross leaves.", "A man hugs another man and the first man leaves.", 2),
        ("Ross and Leonard talk, then Ross leaves.", "Two men talk, then one of the men leaves.", 2),
        ("Her friend Rachel sits.", "Her friend sits.", 1),
        ("A guy named Bob sits.", "A guy sits.", 1),
        ("Mr. and Mrs. Kopek sit.", "A man and a woman sit.", 2),
        ("Mr. and Mrs. Kopek sit.", "A couple sit.", 2),
        ("A nurse hands Ross a glass.", "A nurse hands a man a glass.", 2),
        ("Two nurses see Ross.", "Two nurses see a man.", 3),
        ("Ross and a woman sit.", "A man and a woman sit.", 2),
        ("Amy sits.", "Someone sits.", 1),
        ("The door opens.", "The door opens.", 0),
    ],
)
def test_good_captions_keep_every_person(before: str, after: str, persons: int) -> None:
    result = compared(before, after)
    assert result.persons_passed
    assert kept_passes(result.ratio)
    assert result.persons_before == result.persons_after


@pytest.mark.parametrize(
    ("before", "after", "counted"),
    [
        ("Amy is driving Leonard somewhere in her car.", "A woman is driving a car.", (2, 1)),
        ("Rachel, Monica and Ross sit.", "Two people sit.", (3, 2)),
        ("Amy sits.", "Two women sit.", (1, 2)),
        ("Amy hugs Leonard.", "A woman hugs.", (2, 1)),
        ("Two nurses see Ross.", "Three nurses see a man.", (2, 3)),
        ("Amy sits.", "It sits.", (1, 0)),
    ],
)
def test_a_person_lost_or_gained_fails(before: str, after: str, counted: tuple[int, int]) -> None:
    result = compared(before, after)
    assert not result.persons_passed
    difference = result.persons_after - result.persons_before
    assert difference == counted[1] - counted[0]


def test_what_stands_for_the_names_and_how_many_words_went_is_told() -> None:
    result = compared("Rachel Green and Dr. Gregory see a woman.", "Two people see a woman.")
    assert result.replacements == ("two", "people")
    assert result.words_replaced == 4
    assert result.name_places == (0, 1, 3, 5)


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_can_be_compared(before: str, after: str) -> None:
    result = compared(before, after)
    assert 0.0 <= result.ratio <= 1.0
    assert result.persons_before >= 0 and result.persons_after >= 0


@given(st.lists(st.sampled_from("two the men a man another woman one of and sits nurse couple people".split())))
def test_phrases_do_not_overlap_and_end_at_their_noun(parts: list[str]) -> None:
    taken: set[int] = set()
    for phrase in find_phrases(words(" ".join(parts))):
        assert phrase.start <= phrase.noun
        assert taken.isdisjoint(phrase.places)
        taken |= set(phrase.places)
        assert 0 <= phrase.few <= phrase.many


@pytest.mark.skipif(not TVR.exists(), reason=NO_DATA)
def test_what_the_rules_write_for_real_descriptions_passes() -> None:
    everything = [json.loads(line)["desc"] for line in TVR.read_text(encoding="utf-8").splitlines()]
    lexicon = build_lexicon(everything)
    texts = list(dict.fromkeys(everything[::15]))
    spans = load_tagger({}).find_names(texts)
    written = RulesRewriter(load_tagger({}), lexicon).rewrite(
        [SourceDescription(text, text) for text in texts], temperature=0.0, seed=1
    )
    captions = [answer.text or "" for answer in written]
    results = [compare(*texts_and_names, lexicon) for texts_and_names in zip(texts, captions, spans, strict=True)]
    passed = [result for result in results if kept_passes(result.ratio, KEPT_THRESHOLD) and result.persons_passed]
    assert len(passed) >= 0.99 * len(results)
