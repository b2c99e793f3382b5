"""Whether the use of evidence goes with other grades: within the same pair, with intervals over queries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.agreement.evidence_use import EvidenceUse, UsedJudgment, evidence_use

J = UsedJudgment


def found(*rows: UsedJudgment) -> EvidenceUse:
    return evidence_use(rows, largest_difference=1)


def test_nothing_is_known_of_nothing() -> None:
    empty = found()
    assert (empty.judgments, empty.share, empty.difference, empty.low, empty.neither.agree) == (
        0,
        None,
        None,
        None,
        None,
    )


def test_a_worked_example() -> None:
    use = found(
        # Query 1: with context 3 and 2, without 1: the difference is 1.5; a pair of one kind alone has none.
        *(J(1, 10, 1, 3, True), J(1, 10, 2, 2, True), J(1, 10, 1, 1, False)),
        *(J(1, 11, 1, 4, False), J(1, 11, 1, 4, False)),
        # Query 2: 0 with and 1 without.
        *(J(2, 20, 1, 0, True), J(2, 20, 1, 1, False)),
        *(J(2, 21, 1, 4, True), J(2, 21, 1, 2, True)),
    )
    assert (use.judgments, use.used, use.share) == (9, 5, pytest.approx(5 / 9))
    assert (use.with_it, use.without) == (pytest.approx(11 / 5), pytest.approx(10 / 4))
    assert (use.pairs, use.queries, use.difference) == (2, 2, pytest.approx(0.25))
    assert use.low == pytest.approx(-1) and use.high == pytest.approx(1.5)
    # The second round isn't chosen by nothing: agreement is of the first alone.
    assert (use.one.twos, use.one.equal, use.one.agree) == (2, 0, 0.5)
    assert (use.both.twos, use.both.agree) == (1, 0)
    assert (use.neither.twos, use.neither.equal) == (1, 1)


def test_pairs_of_a_single_query_have_no_interval() -> None:
    one = found(J(1, 1, 1, 4, True), J(1, 1, 1, 2, False), J(1, 2, 1, 4, True), J(1, 2, 1, 3, False))
    assert (one.pairs, one.queries, one.difference, one.low) == (2, 1, 1.5, None)


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(0, 4), st.booleans()), max_size=30))
def test_the_other_way_round_the_difference_has_the_other_sign(rows: list[tuple[int, int, int, bool]]) -> None:
    own = found(*(J(query, pair, 1, grade, used) for query, pair, grade, used in rows))
    turned = found(*(J(query, pair, 1, grade, not used) for query, pair, grade, used in rows))
    if own.difference is None:
        assert turned.difference is None and own.pairs == 0
    else:
        assert own.difference == pytest.approx(-(turned.difference or 0), abs=1e-9)
    if own.low is not None and own.high is not None and own.difference is not None:
        assert own.low - 1e-9 <= own.high and turned.low == pytest.approx(-own.high, abs=0.6)
    assert own.both == turned.neither and own.one == turned.one
