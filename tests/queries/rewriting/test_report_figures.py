"""Shares and the histogram of the rewriting report."""

import pytest

from queries.rewriting.histogram import histogram
from queries.rewriting.report import CheckRate, Replacement


@pytest.mark.parametrize(
    ("passed", "of", "told"),
    [(10, 15, "66.67 %"), (15, 15, "100.00 %"), (99_999, 100_000, "99.99 %"), (0, 9, "0.00 %"), (0, 0, "–")],
)
def test_shares_are_rounded_but_only_all_is_all(passed: int, of: int, told: str) -> None:
    assert CheckRate("names", "no name", "0.80", passed, of, 0, 0).first_percent == told


def test_a_share_of_replacements_is_written_as_those_of_checks() -> None:
    assert Replacement("woman", 17, 17 / 35, "woman").percent == "48.57 %"


@pytest.mark.parametrize(("threshold", "after"), [(0.2, True), (0.8, False)])
def test_the_threshold_s_words_stand_where_there_is_room(threshold: float, after: bool) -> None:
    assert histogram([0, 3, 1, 0], threshold).said_after is after
