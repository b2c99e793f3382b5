"""What of a pool is chosen next, at its edges: where nothing may be added, and where there is no room left."""

from evaluation.pooling.recipes import Depth, MoveToFront, Pick
from queries.runs.choosing import choose


def test_where_nothing_is_added_what_is_left_is_only_counted() -> None:
    for recipe in (Depth(2), MoveToFront(1)):
        nothing = choose(recipe, [[7, 8], [9, 8]], {7: 2.0}, {7: 1}, size=2, most=6, lot="", adds=False)
        assert (nothing.picks, nothing.left) == ([], 2)


def test_beyond_the_last_place_nothing_is_chosen() -> None:
    lists = [[7, 8, 9, 10]]
    full = choose(Depth(4), lists, {}, {7: 1, 8: 2}, size=2, most=2, lot="")
    assert (full.picks, full.left) == ([], 2)
    # The first batch was opened with one of two: the next one begins at place 3, which is the last.
    last = choose(Depth(4), lists, {}, {7: 1}, size=2, most=3, lot="")
    assert [place for place, _ in last.picks] == [3] and last.left == 2
    first = choose(MoveToFront(1), lists, {}, {}, size=2, most=3, lot="")
    assert first.picks == [(1, Pick(7, 0, 1)), (2, Pick(8, 0, 2))]
