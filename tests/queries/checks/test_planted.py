"""Captions made wrong on purpose: of each kind, the same ones again, and none where a sentence offers nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.checks.faithfulness import compare
from queries.checks.planted import KINDS, learn_material, planted
from queries.checks.thresholds import CALIBRATED
from queries.language.lexicon import build_lexicon, leftover_names
from queries.retrieval.encoder import PACKAGED_MODEL
from queries.rewriting.rewriters.rules import imprecise

CAST = build_lexicon([], ["Rachel Green", "Ross"], genders={"Rachel Green": "woman", "Ross": "man"})
TEXTS = [
    "Rachel slaps Ross.",
    "Ross is drinking a beer in the kitchen.",
    "Rachel opens a green box with her hand.",
    "Ross and Joey are closing a window.",
]
RIGHT = {text: imprecise(text, [], CAST) for text in TEXTS}
MATERIAL = learn_material(RIGHT.values(), CAST)


def wrong(text: str, caption: str | None = None) -> dict[str, str]:
    return {one.kind: one.caption for one in planted(text, caption or RIGHT[text], [], MATERIAL, 1)}


def test_each_kind_is_made_wrong_in_its_own_way_alone() -> None:
    assert RIGHT["Rachel slaps Ross."] == "A woman slaps a man."
    made = wrong("Rachel slaps Ross.")
    assert made["roles"] == "A man slaps a woman."
    assert made["gender"] in ("A man slaps a man.", "A woman slaps a woman.")
    assert made["name left"] in (
        "Rachel slaps a man.",
        "Ross slaps a man.",
        "A woman slaps Ross.",
        "A woman slaps Rachel.",
    )
    assert made["number"] in ("Two women slaps a man.", "A woman slaps two men.")
    assert made["negation"] == "A woman doesn't slap a man."
    assert made["dropped"] == "A woman slaps."
    assert {"noun", "adjective"}.isdisjoint(made), "there is neither a thing nor a quality in it"

    made = wrong("Rachel opens a green box with her hand.")
    assert made["gender"] == "A man opens a green box with his hand."
    assert made["adjective"].startswith("A woman opens a") and "green" not in made["adjective"]
    assert "roles" not in made

    made = wrong("Ross and Joey are closing a window.")
    assert made["gender"] == "Two women are closing a window."
    assert made["number"] == "Three men are closing a window."
    assert made["action"] == "Two men are drinking a window."
    assert made["unrelated"] in RIGHT.values()


def test_articles_go_with_the_other_word() -> None:
    text = "Ross peels a banana."
    made = {one.caption for seed in range(40) for one in planted(text, "A man peels a banana.", [], MATERIAL, seed)}
    assert "A man peels an apple." in made and not any("a apple" in caption for caption in made)


def test_the_same_seed_makes_the_same_and_another_another() -> None:
    text = "Rachel opens a green box with her hand."
    one = [list(planted(text, RIGHT[text], [], MATERIAL, seed)) for seed in (1, 1, 2)]
    assert one[0] == one[1] != one[2]


def test_every_kind_is_made_of_some_of_these_and_most_are_refused_already() -> None:
    made = [(text, one) for text in TEXTS for one in planted(text, RIGHT[text], [], MATERIAL, 1)]
    assert {one.kind for _, one in made} == set(KINDS)
    limits = CALIBRATED[PACKAGED_MODEL]["faithful"]
    for text, one in made:
        assert one.caption != RIGHT[text]
        if one.kind == "name left":
            assert leftover_names(one.caption, CAST), one
        elif one.kind not in ("gender", "roles"):
            result = compare(text, one.caption, [], CAST)
            assert result.ratio < limits.kept or not result.persons_passed, one


@pytest.mark.parametrize("caption", ["", "...", "Yes."])
def test_nothing_is_made_of_nothing(caption: str) -> None:
    assert {one.kind for one in planted("", caption, [], MATERIAL, 1)} <= {"unrelated"}


@given(st.text(max_size=120))
def test_any_text_may_be_made_wrong(text: str) -> None:
    caption = imprecise(text, [], CAST)
    assert all(one.caption != caption for one in planted(text, caption, [], MATERIAL, 1))
