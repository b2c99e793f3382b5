"""Who may be sent which pair: a pure function of facts."""

import math
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.assignment import assignment_policy
from annotation.assignment.assignment_policy import (
    AT_ONCE,
    SMALLEST_GROUP,
    USUAL_SIZES,
    WHOLE,
    Asker,
    OpenBatch,
    PairFacts,
    Staffing,
    order_batches,
)


def pair(pk: int, judges: tuple[int, ...] = (), *, disputed: bool = False, ready: bool = True) -> PairFacts:
    return PairFacts(pk, f"public-{pk}", 4 if disputed else 2, frozenset(judges), ready)


def pairs_for(annotator: int, pairs: Iterable[PairFacts], earlier_seats: Iterable[int]) -> list[PairFacts]:
    """The rule's, where earlier seats hold every pair of the batch."""
    held = [replace(pair, holders=frozenset(earlier_seats)) for pair in pairs]
    return [replace(pair, holders=frozenset()) for pair in assignment_policy.pairs_for(annotator, held)]


def keys(pairs: list[PairFacts]) -> set[int]:
    return {pair.pk for pair in pairs}


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


def test_without_a_clip_or_with_an_open_flag_a_pair_goes_to_nobody() -> None:
    assert pairs_for(1, [pair(10, ready=False)], []) == []


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
    for fact in facts:
        assert sum(fact.pk in pairs for pairs in sent) <= fact.places


def order(asker: Asker, *batches: OpenBatch) -> list[int]:
    return [batch.pk for batch in order_batches(asker, batches)]


BO = 1


def test_second_rounds_come_before_begun_batches_and_those_before_new_ones() -> None:
    new, begun, second = OpenBatch(1, False, False), OpenBatch(2, False, True), OpenBatch(3, True, True)
    assert order(Asker(BO), new, begun, second) == [3, 2, 1]


def test_what_the_lead_prioritised_comes_before_everything_else() -> None:
    assert order(Asker(BO), OpenBatch(1, True, True), OpenBatch(2, False, False, priority=1)) == [2, 1]


def test_partners_who_met_least_are_brought_together() -> None:
    often, seldom = OpenBatch(1, False, True, people=frozenset({7})), OpenBatch(2, False, True, people=frozenset({8}))
    assert order(Asker(BO, met={7: 5, 8: 2}), often, seldom) == [2, 1]
    assert order(Asker(BO, met={8: 5, 7: 2}), often, seldom) == [1, 2]


@pytest.mark.parametrize(
    ("under_way", "expected"), [(AT_ONCE - 1, ["begun", "new", "again"]), (AT_ONCE, ["begun", "again", "new"])], ids=str
)
def test_a_query_visited_before_waits_for_new_ones_until_forty_are_under_way(
    under_way: int, expected: list[str]
) -> None:
    shown = {1: "again", 2: "begun", 3: "new"}
    batches = [OpenBatch(1, False, True, visits=1), OpenBatch(2, False, True), OpenBatch(3, False, False)]
    others = [OpenBatch(pk, False, True, visits=9) for pk in range(10, 8 + under_way)]
    second_rounds = [OpenBatch(100, True, True, visits=9)]
    assert [shown[pk] for pk in order(Asker(BO), *batches, *others, *second_rounds) if pk in shown] == expected


def test_a_reserved_query_is_for_the_reserved_and_a_barred_person_never_gets_it() -> None:
    reserved = OpenBatch(1, False, False, reserved=frozenset({BO}))
    barred = OpenBatch(2, False, False, barred=frozenset({BO}))
    assert order(Asker(BO), reserved, barred) == [1]
    assert order(Asker(9), reserved, barred) == [2]


def test_a_query_goes_to_those_who_read_its_language() -> None:
    german, plain = OpenBatch(1, False, False, language="de-AT"), OpenBatch(2, False, False)
    assert order(Asker(BO, frozenset({"de"})), german, plain) == [1, 2]
    assert order(Asker(BO, frozenset({"en"})), german, plain) == [2]
    assert order(Asker(BO), german, plain) == [1, 2]


@given(
    st.lists(
        st.builds(
            OpenBatch,
            pk=st.integers(1, 1000),
            second_round=st.booleans(),
            begun=st.booleans(),
            priority=st.integers(-1, 1),
            people=st.frozensets(st.integers(1, 5), max_size=3),
        ),
        unique_by=lambda batch: batch.pk,
    )
)
def test_the_policy_loses_no_batch_and_does_not_depend_on_the_order_it_is_told(batches: list[OpenBatch]) -> None:
    asker = Asker(BO, met={2: 1, 3: 4})
    assert order(asker, *batches) == order(asker, *reversed(batches))
    assert sorted(order(asker, *batches)) == sorted(batch.pk for batch in batches)


def portion(
    facts: list[PairFacts],
    *,
    in_batch: int = 20,
    second_round: bool = False,
    sizes: Iterable[int] = (),
    lot: object = 0,
) -> list[PairFacts]:
    return assignment_policy.portion_for(
        BO, facts, in_batch=in_batch, second_round=second_round, sizes=tuple(sizes), lot=lot
    )


def test_a_small_batch_and_a_second_round_are_given_whole_with_what_waits() -> None:
    facts = [pair(number, ready=number > 1) for number in range(WHOLE)]
    assert keys(portion(facts, in_batch=WHOLE)) == set(range(WHOLE))
    assert keys(portion(facts, in_batch=WHOLE + 1, sizes=[9] * len(USUAL_SIZES))) == set(range(2, WHOLE))
    assert keys(portion(facts, second_round=True)) == set(range(WHOLE))
    assert portion([pair(1, ready=False)], in_batch=1) == [], "where all waits nobody takes a seat for it"


def test_the_portion_of_a_first_round_is_as_large_as_second_rounds_of_the_collection_were() -> None:
    facts = [pair(number) for number in range(20)]
    mine = portion(facts, sizes=[3] * len(USUAL_SIZES))
    assert mine == assignment_policy.pairs_for(BO, facts)[:3], "the first of one's own order"
    few = {len(portion(facts, sizes=[9] * (len(USUAL_SIZES) - 1), lot=lot)) for lot in range(300)}
    assert few == {9, *USUAL_SIZES}, "where too few are known the usual ones count too"
    assert {len(portion(facts, lot=lot)) for lot in range(300)} == set(USUAL_SIZES)
    likely = [math.comb(20, size) * 0.18**size * 0.82 ** (20 - size) for size in range(1, 21)]
    middles = [(part + 0.5) / 20 * sum(likely) for part in range(20)]
    by_hand = [next(size for size in range(1, 21) if sum(likely[:size]) >= middle) for middle in middles]
    assert list(USUAL_SIZES) == by_hand


@pytest.mark.parametrize(("size", "batches", "groups"), [(40, 4, 4), (40, 1, 1), (25, 9, 2), (10, 3, 1)])
def test_each_query_s_rounds_go_to_parts_of_the_team_of_which_nobody_is_in_two(
    size: int, batches: int, groups: int
) -> None:
    for query in range(5):
        turns = {
            (number, second_round): [
                place
                for place in range(size)
                if Staffing(size, place, batches).turn(OpenBatch(1, second_round, True, query=query, number=number))
            ]
            for number in range(1, groups + 1)
            for second_round in (False, True)
        }
        assert sorted(place for part in turns.values() for place in part) == list(range(size))
        for number in range(1, groups + 1):
            first, second = len(turns[number, False]), len(turns[number, True])
            assert abs(first - 3 * second) <= 4, "a quarter has the second round"
            later = OpenBatch(1, True, True, query=query, number=number + groups)
            assert [place for place in range(size) if Staffing(size, place, batches).turn(later)] == turns[number, True]
    dealt = {
        tuple(Staffing(size, place, batches).turn(OpenBatch(1, True, True, query=query)) for place in range(size))
        for query in range(20)
    }
    assert len(dealt) > 5, "each query deals the team anew"


def test_it_is_everybody_s_turn_in_a_small_team_or_at_what_has_waited_or_is_reserved() -> None:
    second = OpenBatch(1, True, True)
    for batch in (replace(second, waited=True), replace(second, reserved=frozenset({BO}))):
        assert all(Staffing(40, place, 4).turn(batch) for place in range(40))
    assert all(Staffing(SMALLEST_GROUP - 1, place, 4).turn(second) for place in range(SMALLEST_GROUP - 1))
    assert not all(Staffing(SMALLEST_GROUP, place, 4).turn(second) for place in range(SMALLEST_GROUP))


def test_whose_turn_it_is_comes_first() -> None:
    batches = [OpenBatch(pk, True, True, query=pk) for pk in range(1, 30)]
    team = Staffing(40, 7, 1)
    shown = order_batches(Asker(BO, team=team), batches)
    assert [team.turn(batch) for batch in shown] == sorted((team.turn(batch) for batch in batches), reverse=True)
    assert 0 < sum(team.turn(batch) for batch in batches) < 29
