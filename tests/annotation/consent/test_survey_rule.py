"""What is told of people's answers: fives alone, and nothing by which anybody's answer could be computed."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.consent.survey_rule import FEWEST, LEAST, added_up, bands_of, told_of

COUNTS = st.dictionaries(st.sampled_from("abcdefg"), st.integers(0, 40))


@given(COUNTS, st.integers(0, 40))
def test_no_number_is_below_five_and_none_can_be_subtracted(counts: dict[str, int], silent: int) -> None:
    people = sum(counts.values()) + silent
    told = told_of(counts, people)
    assert all(count >= LEAST and count % LEAST == 0 and count <= counts[answer] for answer, count in told.items())
    assert not told or people - sum(told.values()) >= LEAST


@pytest.mark.parametrize(
    ("counts", "people", "told"),
    [
        ({"a": 4, "b": 4}, 20, {}),
        ({"a": 5}, 10, {"a": 5}),
        ({"a": 5}, 9, {}),
        ({"a": 10}, 10, {"a": 5}),
        ({"a": 10, "b": 5}, 15, {"a": 10}),
        ({"a": 12, "b": 9, "c": 4}, 25, {"a": 10, "b": 5}),
        ({"a": 10, "b": 10}, 20, {"a": 5, "b": 10}),
        ({}, 0, {}),
    ],
    ids=["small", "half", "one too few", "all are one", "the rest is nobody", "each is rounded", "a tie", "nobody"],
)
def test_by_hand(counts: dict[str, int], people: int, told: dict[str, int]) -> None:
    assert told_of(counts, people) == told


def tables(people: int, answers: str) -> Iterator[dict[str, int]]:
    for counts in product(range(people + 1), repeat=len(answers)):
        if sum(counts) <= people:
            yield dict(zip(answers, counts, strict=True))


@pytest.mark.parametrize("people", range(FEWEST, 23))
def test_whoever_knows_the_rule_and_how_many_there_are_is_left_with_five_possible_counts_of_each_answer(
    people: int,
) -> None:
    """Every table there is of so many people and three answers: those of which the same is told are an attacker's
    possible worlds."""
    worlds: dict[str, list[dict[str, int]]] = defaultdict(list)
    for table in tables(people, "abc"):
        worlds[repr(sorted(told_of(table, people).items()))].append(table)
    for told, possible in worlds.items():
        for answer in "abc":
            assert len({table[answer] for table in possible}) >= LEAST, (told, answer)
        assert len({sum(table.values()) for table in possible}) >= LEAST, told


def test_the_difference_of_two_releases_is_itself_told_of_ten_people_or_more() -> None:
    """Sums of other people each: what the second release has more than the first is one sum, protected as such."""
    first, second = told_of({"a": 14, "b": 3}, 20), told_of({"a": 1, "b": 7}, 12)
    after = added_up([first, second])
    difference = {answer: after[answer] - first.get(answer, 0) for answer in after}
    assert {answer: count for answer, count in difference.items() if count} == second == {"b": 5}


@pytest.mark.parametrize(("counts", "people"), [({"a": 3}, 2), ({"a": -1}, 4)])
def test_counts_that_can_t_be_are_refused(counts: dict[str, int], people: int) -> None:
    with pytest.raises(ValueError, match="expected counts"):
        told_of(counts, people)


@pytest.mark.parametrize("bounds", [[], [5, 5], [9, 3], [-1, 4]])
def test_bands_rise(bounds: list[int]) -> None:
    with pytest.raises(ValueError, match="rising"):
        bands_of(bounds)
    assert bands_of([1, 2, 10]) == ["<1", "1", "2-9", "10+"]
