"""Error rates by threshold, and the pair of thresholds that is proposed."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from queries.calibration.rates import (
    MOST_WAITING,
    RIGHT,
    SHARES,
    SIMILARITIES,
    Measured,
    Thresholds,
    at_thresholds,
    propose,
    table,
    wrong_passing,
)

LOWEST = Thresholds(float(SIMILARITIES[0]), float(SHARES[0]))
RIGHT_ONES = [Measured(RIGHT, 0.9, 1.0, others=True), Measured(RIGHT, 0.6, 0.9, others=True)]
WRONG = [
    Measured("noun", 0.7, 0.8, others=True),
    Measured("noun", 0.5, 1.0, others=True),
    Measured("gender", 0.95, 1.0, others=False),
    Measured("gender", 0.95, 1.0, others=True),
]


def test_a_worked_example() -> None:
    measured = RIGHT_ONES + WRONG
    assert at_thresholds(measured, Thresholds(0.65, 0.5)) == {RIGHT: 0.5, "noun": 0.5, "gender": 0.5}
    assert propose(measured, LOWEST) == Thresholds(0.51, 0.81), (
        "a noun fails by similarity, one by its words; no right one"
    )
    rows = {row["threshold"]: row for row in table(measured, "similarity")}
    assert rows[0.6] == {"threshold": 0.6, RIGHT: 0.0, "wrong": {"noun": 0.5, "gender": 1.0}}
    assert rows[0.65][RIGHT] == 0.5 and wrong_passing(rows[0.65]["wrong"]) == 0.75


def test_nothing_is_stricter_than_it_has_to_be() -> None:
    proposed = propose([*RIGHT_ONES, Measured("gender", 0.99, 1.0, others=True)], LOWEST)
    assert proposed == Thresholds(SIMILARITIES[0], SHARES[0])


def test_what_is_proposed_stays_near_the_thresholds_of_today() -> None:
    today = Thresholds(0.2, 0.9)
    unaffected = [*RIGHT_ONES, Measured("gender", 0.99, 1.0, others=True)]
    assert propose(unaffected, today) == today, "no other pair refuses more"
    assert propose([*RIGHT_ONES, Measured("noun", 0.5, 1.0, others=True)], today) == Thresholds(0.51, 0.9)
    assert propose(unaffected, Thresholds(0.655, 0.9)) == Thresholds(0.6, 0.9), "too many right ones waited"
    lost = [Measured(RIGHT, -0.5, 0.1, others=True), *unaffected[1:]]
    assert propose(lost, Thresholds(0.2, 0.9)) == Thresholds(0.2, 0.9), "none leaves few enough waiting"


GRID = st.sampled_from([0.1, 0.33, 0.505, 0.8, 1.0])
ONES = st.lists(
    st.builds(Measured, st.sampled_from([RIGHT, "noun", "roles"]), GRID, GRID, others=st.booleans()), max_size=12
)


@given(ONES, GRID, GRID)
def test_no_other_pair_of_thresholds_refuses_more_of_the_wrong_and_few_enough_of_the_right(
    ones: list[Measured], similarity: float, kept: float
) -> None:
    measured = [*RIGHT_ONES, *ones, *WRONG[:1]]
    today = Thresholds(similarity, kept)
    proposed = propose(measured, today)

    def waits(pair: Thresholds) -> float:
        rights = [one for one in measured if one.kind == RIGHT]
        return sum(one.similarity < pair.similarity or one.kept < pair.kept for one in rights) / len(rights)

    least = wrong_passing(at_thresholds(measured, proposed))
    allowed = waits(proposed) <= MOST_WAITING
    if waits(today) <= MOST_WAITING and wrong_passing(at_thresholds(measured, today)) <= least + 1e-9:
        assert proposed == today, "nothing changes where nothing is better"
    for pair in itertools.starmap(Thresholds, itertools.product(SIMILARITIES[::12], SHARES[::6])):
        if waits(pair) <= MOST_WAITING:
            assert allowed and least <= wrong_passing(at_thresholds(measured, pair)) + 1e-9
