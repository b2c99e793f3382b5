"""Who may be sent which pair: a pure function of facts."""

from hypothesis import given
from hypothesis import strategies as st

from annotation.routing import PairFacts, pairs_for


def pair(pk: int, judges: tuple[int, ...] = (), *, disputed: bool = False, watchable: bool = True) -> PairFacts:
    return PairFacts(pk, f"public-{pk}", disputed, frozenset(judges), watchable)


def keys(pairs: list[PairFacts]) -> set[int]:
    return {one.pk for one in pairs}


def test_nobody_is_sent_a_pair_twice() -> None:
    assert keys(pairs_for(1, [pair(10, (1,)), pair(11, (2,))], [])) == {11}


def test_a_full_pair_is_nobodys() -> None:
    assert pairs_for(3, [pair(10, (1, 2))], []) == []


def test_in_the_second_round_only_others_are_asked() -> None:
    facts = [pair(10, (1, 2), disputed=True)]
    assert pairs_for(1, facts, []) == []
    assert keys(pairs_for(3, facts, [])) == {10}


def test_earlier_seats_go_first() -> None:
    facts = [pair(10, (1,)), pair(11)]
    assert keys(pairs_for(3, facts, [2])) == {11}
    assert pairs_for(4, facts, [2, 3]) == []


def test_a_seat_whose_annotator_has_judged_the_pair_claims_nothing_there() -> None:
    assert keys(pairs_for(3, [pair(10, (2,))], [2])) == {10}


def test_without_a_clip_a_pair_goes_to_nobody() -> None:
    assert pairs_for(1, [pair(10, watchable=False)], []) == []


def test_two_annotators_get_orders_of_their_own_and_each_the_same_again() -> None:
    facts = [pair(number) for number in range(20)]
    mine, theirs = pairs_for(1, facts, []), pairs_for(2, facts, [])
    assert mine == pairs_for(1, list(reversed(facts)), [])
    assert mine != theirs
    assert keys(mine) == keys(theirs)


@given(
    judges=st.lists(st.sets(st.integers(1, 8), max_size=4), min_size=1, max_size=6),
    disputed=st.booleans(),
    seats=st.lists(st.integers(1, 8), max_size=5, unique=True),
)
def test_the_seats_together_are_never_sent_more_places_than_a_pair_has(
    judges: list[set[int]], disputed: bool, seats: list[int]
) -> None:
    facts = [pair(number, tuple(who), disputed=disputed) for number, who in enumerate(judges)]
    sent = [keys(pairs_for(annotator, facts, seats[:place])) for place, annotator in enumerate(seats)]
    for one in facts:
        assert sum(one.pk in pairs for pairs in sent) <= one.places
