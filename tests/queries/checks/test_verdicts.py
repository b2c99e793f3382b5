"""What the checks say in words never contradicts itself."""

from types import SimpleNamespace
from typing import Any

import pytest

from foundation.models import NoName
from queries.checks.verdicts import verdicts
from queries.language.mentions import LETTERS, LISTED, OPENING, THING
from queries.models import CHECKS

LIMITS: Any = SimpleNamespace(similarity_threshold=0.4, name_threshold=0.8, kept_threshold=0.85)


def said(check: str, **figures: Any) -> str:
    """The verdict of one check on an attempt with these figures."""
    usual = {"text": "A man sits.", "error": "", "similarity": 0.7, "name_score": 0.0, "names": [], "kept_ratio": 1.0}
    usual |= {"persons_before": 1, "persons_after": 1, "name_places": [0]}
    usual |= {"swaps": [], "doubted_names": []} | {f"{check}_passed": True for check in CHECKS}
    attempt: Any = SimpleNamespace(**(usual | figures))
    return next(verdict.why for verdict in verdicts("Joey sits.", attempt, LIMITS) if verdict.check == check)


@pytest.mark.parametrize(
    ("similarity", "passed", "words"),
    [
        (0.33, False, "Similarity 0.33, below 0.40."),
        (0.3993, False, "Similarity 0.399, below 0.400."),
        (0.399999, False, "Similarity 0.399999, below 0.400000."),
        (0.4001, True, "Similarity 0.40."),
    ],
)
def test_a_similarity_is_never_below_itself(similarity: float, passed: bool, words: str) -> None:
    assert said("similarity", similarity=similarity, similarity_passed=passed) == words


def test_nor_is_a_share_of_words() -> None:
    assert said("words kept", kept_ratio=0.8461, kept_passed=False).startswith(
        "Keeps 84.6% of the words beside the names"
    )
    assert "below 85.0%" in said("words kept", kept_ratio=0.8461, kept_passed=False)
    assert "Keeps 50% of the words beside the names, below 85%" in said("words kept", kept_ratio=0.5, kept_passed=False)


def test_what_was_exchanged_is_said_by_check() -> None:
    swaps = [
        {"check": "gender", "before": "Rachel", "after": "a man"},
        {"check": "words", "before": "beer", "after": "wine"},
        {"check": "words", "before": "red", "after": "blue"},
    ]
    assert said("gender", swaps=swaps) == "Another gender: “a man” for “Rachel”."
    assert said("roles", swaps=swaps) == "Everybody and everything is in its place."
    assert said("words", swaps=swaps) == "Swapped: “wine” for “beer”, “blue” for “red”."
    moved = [{"check": "roles", "before": "cup", "after": "cup"}]
    another = "Somebody else does it, or it is done to somebody else"
    assert said("roles", swaps=moved) == f"{another}: “cup” stands elsewhere."
    assert said("words") == "No word is swapped."


def test_a_name_that_may_be_none_is_said_with_the_reason_and_whether_it_counts() -> None:
    doubted = {"text": "MRI", "score": 0.93, "reasons": ["letters"], "discarded": True}
    sentence = said("names", doubted_names=[doubted])
    assert sentence.startswith("Names nobody. “MRI”, of which the tagger is 0.93 sure, doesn't count here (letters: ")
    figures = {"names": ["MRI"], "name_score": 0.93, "names_passed": False}
    sentence = said("names", doubted_names=[{**doubted, "discarded": False}], **figures)
    assert sentence.startswith("Names MRI. The tagger is 0.93 sure. “MRI” may be no name (letters: ")


def test_every_reason_of_the_word_lists_has_its_words() -> None:
    assert set(NoName.values) == {LISTED, THING, LETTERS, OPENING}
