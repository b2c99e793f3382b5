"""What the checks say in words never contradicts itself."""

from types import SimpleNamespace
from typing import Any

import pytest

from queries.checks.verdicts import verdicts

LIMITS: Any = SimpleNamespace(similarity_threshold=0.4, name_threshold=0.8, kept_threshold=0.85)


def said(check: str, **figures: Any) -> str:
    """The verdict of one check on an attempt with these figures."""
    usual = {"text": "A man sits.", "error": "", "similarity": 0.7, "name_score": 0.0, "names": [], "kept_ratio": 1.0}
    usual |= {"persons_before": 1, "persons_after": 1, "name_places": [0]}
    usual |= {f"{name}_passed": True for name in ("similarity", "names", "kept", "persons")}
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
