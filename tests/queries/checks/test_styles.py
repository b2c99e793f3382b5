"""The two rewriting styles: what their checks allow, their thresholds, and what the rules write in the diverse one."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.models import Collection, RewritingStyle
from queries.checks.faithfulness import compare
from queries.checks.run_checks import limits_of
from queries.checks.thresholds import CALIBRATED, UNCALIBRATED, limits_for
from queries.language.lexicon import build_lexicon, leftover_names
from queries.language.person_phrases import gender_of_word
from queries.retrieval.encoder import PACKAGED_MODEL
from queries.rewriting.decoding import ModelAndPrompt
from queries.rewriting.jobs import wording_of
from queries.rewriting.rewriters.interface import SourceDescription
from queries.rewriting.rewriters.prompting import PROMPT_OF_STYLE, prompt
from queries.rewriting.rewriters.rules import RulesRewriter, imprecise

CAST = build_lexicon(
    [],
    ["Eric", "Gregory", "Rachel Green", "Ross", "Javier", "Raj", "Leonard", "Priya", "Phoebe", "Monica", "Chandler",
     "Demming", "Beckett", "Sheldon", "Howard"],
    genders={"Ross": "man", "Rachel Green": "woman", "Monica": "woman", "Javier": "man"},
)  # fmt: skip

TABLE_2 = [
    ("Eric and Dr. Gregory were having a conversation.", "Two people were having a conversation."),
    ("Rachel Green and Ross were having a conversation.", "Two people were having a conversation."),
    (
        "Javier and the young man wearing checkered polo was having a conversation.",
        "Two people were having a conversation.",
    ),
]
FIGURE_3 = [
    ("Rachel is shoving a tie into Chandler's mouth.", "A girl is shoving a tie into guy's mouth."),
    (
        "Demming agree to meet with Beckett later after she asks.",
        "A man agrees to meet with woman later after she asks.",
    ),
    (
        "Sheldon walks to Raj, Howard, and Leonard's table with a cat in his hands.",
        "A person walks to some people's table with a cat in his hands.",
    ),
    (
        "Raj mocks the happiness of Leonard and Priya and rolls his eyes.",
        "A person mocks the happiness of two people and rolls his/her eyes.",
    ),
    ("Ross puts a laundry basket on a coffee table.", "A man puts a laundry basket on a coffee table."),
    (
        "Phoebe is holding a puppy sitting on the chair talking to Monica and Rachel about keeping it.",
        "A woman is holding a puppy sitting on the chair talking to two women about keeping it.",
    ),
]
DIVERSE = CALIBRATED[PACKAGED_MODEL]["diverse"]


@pytest.mark.parametrize(("description", "caption"), [*TABLE_2, *FIGURE_3])
def test_the_papers_own_captions_pass_in_the_diverse_style(description: str, caption: str) -> None:
    result = compare(description, caption, [], CAST, generalises=True)
    assert result.ratio >= DIVERSE.kept
    assert result.persons_passed


def test_a_faithful_caption_keeps_what_somebody_wears() -> None:
    assert compare(*TABLE_2[2], [], CAST).ratio < CALIBRATED[PACKAGED_MODEL]["faithful"].kept


@pytest.mark.parametrize(
    ("description", "caption"),
    [
        ("The man wearing a hat opens the door.", "The man."),
        ("Ross wearing a red shirt kisses Monica in the kitchen.", "A man kisses a woman."),
        ("Ross and the tall woman open the door.", "Two people open the window."),
        ("Ross opens the door.", "A man doesn't open the door."),
        ("Ross is not in the big kitchen with the others today.", "A man is in the big kitchen with the others today."),
        ("Ross, Raj and Leonard sit.", "Two people sit."),
    ],
)
def test_also_in_the_diverse_style_no_action_thing_or_person_may_go(description: str, caption: str) -> None:
    result = compare(description, caption, [], CAST, generalises=True)
    assert result.ratio < DIVERSE.kept or not result.persons_passed


def test_a_pronoun_may_stand_for_somebody_named_before_in_the_diverse_style_alone() -> None:
    pair = "Ross hugs Monica and Monica's mother.", "A guy hugs a girl and her mother."
    assert compare(*pair, [], CAST, generalises=True).replacements == ("guy", "girl", "her")
    assert compare(*pair, [], CAST, generalises=True).ratio > compare(*pair, [], CAST).ratio


def test_words_of_table_3_have_the_papers_genders() -> None:
    genders = {"M": "man guy", "F": "woman her", "N": "person two people someone some doctor other they"}
    letters = {"man": "M", "woman": "F", "person": "N"}
    assert all(letters[gender_of_word(word)] == letter for letter, listed in genders.items() for word in listed.split())


class NobodyTagged:
    def find_names(self, texts: list[str]) -> list[list[object]]:
        return [[] for _ in texts]


def test_the_diverse_rules_vary_their_words_and_pass_their_own_checks() -> None:
    texts = [f"Ross hands Monica the book number {n} and leaves." for n in range(300)]
    texts += [f"Javier and the young man wearing checkered polo was having {n} drinks." for n in range(30)]
    rewriter = RulesRewriter(NobodyTagged(), CAST, diverse=True)  # type: ignore[arg-type]
    assert rewriter.model == "rules-2-diverse"
    written = [
        one.text or "" for one in rewriter.rewrite([SourceDescription(t, t) for t in texts], temperature=0.0, seed=1)
    ]
    results = [compare(text, caption, [], CAST, generalises=True) for text, caption in zip(texts, written, strict=True)]
    assert all(result.ratio >= DIVERSE.kept and result.persons_passed for result in results)
    assert all(not leftover_names(caption, CAST) for caption in written)
    words = Counter(word for result in results for word in result.replacements)
    assert {"man", "woman", "person", "someone", "guy", "girl", "two", "people"} <= words.keys()
    assert words["man"] > words["person"] > words["guy"]
    assert any(caption.startswith("Two people were having") for caption in written), "Table 2's third row"
    assert written == [imprecise(text, [], CAST, diverse=True) for text in texts], "the text alone decides"


@given(st.text(max_size=120))
def test_any_text_can_be_rewritten_and_compared_in_the_diverse_style(text: str) -> None:
    compare(text, imprecise(text, [], CAST, diverse=True), [], CAST, generalises=True)


@pytest.mark.django_db
class TestOfACollection:
    def test_a_new_collection_is_faithful_with_the_thresholds_of_its_encoder(self) -> None:
        collection = Collection.objects.create(name="new", title="New")
        collection.refresh_from_db()
        assert collection.rewriting_style == RewritingStyle.FAITHFUL
        usual = CALIBRATED[PACKAGED_MODEL]["faithful"]
        limits = limits_of(collection)
        assert (limits.similarity_threshold, limits.kept_threshold) == (usual.similarity, usual.kept)

    def test_what_a_collection_sets_holds_whatever_the_encoder(self) -> None:
        collection = Collection(name="old", title="Old", similarity_threshold=0.4, kept_threshold=0.85)
        for encoder in (PACKAGED_MODEL, "princeton-nlp/sup-simcse-roberta-large"):
            limits = limits_for(collection, encoder)
            assert (limits.similarity_threshold, limits.kept_threshold) == (0.4, 0.85)

    def test_an_encoder_that_nobody_calibrated_has_the_papers_threshold(self) -> None:
        made = Collection(name="new", title="New")
        for style in RewritingStyle.values:
            made.rewriting_style = style
            assert limits_for(made, "/models/sup-simcse-roberta-large").similarity_threshold == 0.4
            assert (
                limits_for(made, "/models/all-MiniLM-L6-v2/").kept_threshold == CALIBRATED[PACKAGED_MODEL][style].kept
            )
            assert UNCALIBRATED[style].similarity == 0.4

    def test_each_style_has_its_prompt_and_so_its_own_stored_answers(self) -> None:
        collection = Collection(name="new", title="New", context="The show is Friends.", cast="Ross, m")
        keys = set()
        for style in RewritingStyle.values:
            collection.rewriting_style = style
            wording = wording_of(collection)
            assert wording.instructions.startswith(prompt(PROMPT_OF_STYLE[style]))
            assert "The show is Friends." in wording.instructions
            keys.add(ModelAndPrompt("m", wording.prompt_version).key(1))
        assert len(keys) == len(RewritingStyle.values)
        collection.rewriting_style = "faithful"
        assert wording_of(collection).prompt_version == "imprecise-v2", "answers stored before are found again"
