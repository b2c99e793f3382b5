from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.language.lexicon import Lexicon, leftover_names
from queries.language.name_tagger import load_tagger
from queries.language.words import word_set
from queries.rewriting.rewriters.choice import make_rewriter
from queries.rewriting.rewriters.interface import Source
from queries.rewriting.rewriters.rules import RulesRewriter, imprecise

LEXICON = Lexicon(
    cast=word_set("rachel chandler ross joey house castle beckett thirteen penny leonard hofstadter izzie"),
    lower={"house": 9, "castle": 3, "thirteen": 2, "a": 50, "door": 9},
    nouns=frozenset({"house", "castle", "thirteen", "penny"}),
    genders={"house": "man", "castle": "man", "beckett": "woman", "chandler": "man", "thirteen": "woman"},
)


def rewritten(text: str, *, bold: bool = False) -> str:
    return imprecise(text, [], LEXICON, bold=bold)


@pytest.mark.parametrize(
    ("description", "caption"),
    [
        ("Rachel is shoving a tie into Chandler's mouth.", "A woman is shoving a tie into a man's mouth."),
        ("Ross looks at Joey.", "A man looks at another man."),
        ("Ross looks at Joey and Ross sighs.", "A man looks at another man and the first man sighs."),
        ("Rachel hugs Ross and Rachel smiles.", "A woman hugs a man and the woman smiles."),
        ("Eric and Dr. Gregory were arguing.", "Two men were arguing."),
        ("Rachel and Ross are arguing.", "A woman and a man are arguing."),
        ("Ross, Joey and Rachel sit down.", "Two men and a woman sit down."),
        ("Both Ross and Joey sit down.", "Two men sit down."),
        ("Ross and Joey sit and Joey laughs.", "Two men sit and one of the men laughs."),
        ("When Ross sees Joey, Rachel and Monica laugh.", "When a man sees another man, two women laugh."),
        (
            "Ross looks at Rachel and Monica walks away.",
            "A man looks at a woman and another woman walks away.",
        ),
        ("Ross' hat is on Rachels head.", "A man's hat is on a woman's head."),
        ("Ross and Joey's couch is wet.", "Two men's couch is wet."),
        ("Dr. House talks to Mrs. Zimmer.", "A man talks to a woman."),
        ("Mr. and Mrs. Zimmer sit down.", "A man and a woman sit down."),
        ("Detective Qwyx enters with Officer Zblx.", "A detective enters with an officer."),
        ("The Hofstadters are eating.", "The people are eating."),
        ("House enters the house.", "A man enters the house."),
        ("castle points at the laptop", "A man points at the laptop"),
        ("Beckett waits thirteen minutes.", "A woman waits thirteen minutes."),
        ("A pregnant Rachel hugs her friend Ross.", "A pregnant woman hugs her friend."),
        ("A woman named Rachel sits by the doctor.", "A woman sits by the doctor."),
        ("Young Ross walks past Penny.", "A young man walks past a woman."),
        ("A man hands Ross a pen.", "A man hands another man a pen."),
        ("Izzie drops  her pen .", "A woman drops her pen."),
        ("Rachel Green kisses Ross Geller.", "A woman kisses a man."),
        (
            "The waiter brings Chinese food to Central Perk.",
            "The waiter brings Chinese food to Central Perk.",
        ),
        ("Someone opens the door.", "Someone opens the door."),
        ("", ""),
    ],
)
def test_names_become_noun_phrases(description, caption):
    assert rewritten(description) == caption


def test_what_is_no_name_at_first_is_one_when_bold():
    assert rewritten("A man talks to Zblxor.") == "A man talks to Zblxor."
    assert rewritten("A man talks to Zblxor.", bold=True) == "A man talks to a person."
    assert rewritten("A man eats Chinese food on TV.", bold=True) == "A man eats Chinese food on TV."


@given(st.text(max_size=120))
def test_any_text_can_be_rewritten(text):
    rewritten(text)
    rewritten(text, bold=True)


NAMES = st.sampled_from(["Rachel", "Chandler", "Ross", "Joey", "House", "Castle", "Beckett", "Dr. House"])
PLAIN = st.lists(
    st.sampled_from(["opens", "the", "red", "door", "slowly", "with", "both", "hands", "near", "table"]),
    max_size=6,
)


@given(NAMES, PLAIN, NAMES, PLAIN)
def test_no_name_is_left_and_every_other_word_is_kept_in_order(one, middle, other, end):
    description = " ".join([one, "sees", *middle, "from", other, "then", *end, "leaves."])
    caption = rewritten(description)
    assert leftover_names(caption, LEXICON) == []
    rest = iter(caption.rstrip(".").split())
    assert all(word in rest for word in ["sees", *middle, "from"])
    assert all(word in rest for word in ["then", *end, "leaves"])


class NobodyNamed:
    def find_names(self, texts):
        return [[] for _ in texts]


def test_answers_come_in_the_order_of_the_sources_and_an_empty_one_says_why():
    rewriter = RulesRewriter(NobodyNamed(), LEXICON)
    answers = rewriter.rewrite([Source("2", "Ross sits."), Source("1", "  ")], temperature=0, seed=0)
    assert [(answer.id, answer.text) for answer in answers] == [("2", "A man sits."), ("1", None)]
    assert answers[1].error


@given(st.lists(st.sampled_from(["Ross sits.", "Joey sees Rachel.", "A man sits."]), min_size=1, max_size=6))
def test_a_caption_does_not_depend_on_its_company(texts):
    rewriter = RulesRewriter(NobodyNamed(), LEXICON)
    asked = [Source(str(number), text) for number, text in enumerate(texts)]
    together = rewriter.rewrite(asked, temperature=0, seed=1)
    alone = [rewriter.rewrite([one], temperature=0, seed=1)[0] for one in asked]
    assert together == alone


def test_without_a_key_the_rules_do_it_with_the_shipped_tagger():
    rewriter = make_rewriter({})
    assert (rewriter.name, rewriter.model, rewriter.prompt_version) == ("rules", "rules-1", "")
    answers = rewriter.rewrite([Source("1", "Kutner hands Volakis a cup.")], temperature=0, seed=0)
    assert answers[0].text == "A person hands another person a cup."
    assert load_tagger({}) is load_tagger({})
