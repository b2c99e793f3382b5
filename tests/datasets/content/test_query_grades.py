"""Pairs and relevant moments a query are counted in a few bytes a query, as lists of its grades would say them."""

from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from annotation.scale import Scale
from datasets.content.statistics import _QueryGrades

LEVELS = Scale(4).levels


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 4)), max_size=50), st.integers(1, 9))
def test_counts_are_those_of_the_lists_of_grades_wherever_a_block_ends(rows: list[tuple[int, int]], size: int) -> None:
    rows.sort(key=lambda row: row[0])
    lists = [[grade for _, grade in found] for _, found in groupby(rows, key=lambda row: row[0])]
    counted = _QueryGrades(LEVELS)
    for start in range(0, len(rows), size):
        counted.add(rows[start : start + size])
    assert list(counted.pairs) == [len(grades) for grades in lists]
    assert {least: list(found) for least, found in counted.relevant.items()} == {
        least: [sum(grade >= least for grade in grades) for grades in lists] for least in LEVELS
    }
