"""Another rule over the stored judgments: what would change, and that nothing does."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.backends.utils import CursorWrapper
from hypothesis import given
from hypothesis import strategies as st

from annotation.consensus import PAPER, Rule, state_of
from annotation.models import Pair
from annotation.review.consensus_replay import CHUNK, DecidedPair, replay, replay_collection
from tests.annotation.judging_steps import judge, sit
from tests.conftest import World


@given(st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=4), max_size=20))
def test_the_rule_itself_changes_nothing(grades: list[list[int]]) -> None:
    pairs = [
        DecidedPair(str(place), *state_of(given_grades), tuple(given_grades))
        for place, given_grades in enumerate(grades)
    ]
    assert replay(pairs, PAPER).changed == 0


def test_what_moves_is_counted_by_where_from_and_where_to() -> None:
    pairs = [
        DecidedPair("a", "consensus", 4, (3, 4)),
        DecidedPair("b", "consensus", 2, (2, 2)),
        DecidedPair("c", "consensus", 2, (1, 3, 2, 2)),
    ]
    down = replay(pairs, Rule(rounding="down"))
    assert dict(down.moves) == {(("consensus", 4), ("consensus", 3)): 1}
    strict = replay(pairs, Rule(largest_difference=0))
    assert dict(strict.moves) == {(("consensus", 4), ("disputed", None)): 1}
    assert (strict.changed, strict.undecided) == (1, 1)
    three = replay(pairs, Rule(first_round=3, second_round=0))
    assert three.undecided == 2, "two judgments are not three"


@pytest.fixture
def judged(world: World) -> World:
    sit(world["bo"], world["cy"])
    for pair, (one, other) in zip(world.batch.pairs.order_by("pk"), [(3, 4), (0, 2), (1, 1)], strict=True):
        judge(world["bo"], pair, one)
        judge(world["cy"], pair, other)
    return world


def test_a_collection_is_replayed_from_its_counted_judgments(judged: World) -> None:
    replayed = replay_collection(collection=judged.collection, rule=Rule(largest_difference=2))
    assert (replayed.pairs, replayed.judgments) == (3, 6)
    assert dict(replayed.moves) == {(("disputed", None), ("consensus", 1)): 1}
    assert replay_collection(collection=judged.collection, rule=PAPER).changed == 0
    assert set(Pair.objects.values_list("status", "grade")) == {("consensus", 4), ("disputed", None), ("consensus", 1)}


def test_judgments_are_fetched_in_blocks_of_the_size_that_is_said(
    judged: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[CursorWrapper] = []
    chunked_cursor = connection.chunked_cursor

    def noted() -> CursorWrapper:
        opened.append(chunked_cursor())
        return opened[-1]

    monkeypatch.setattr(connection, "chunked_cursor", noted)
    replay_collection(collection=judged.collection, rule=PAPER)
    assert [cursor.cursor.itersize for cursor in opened] == [CHUNK]


def test_the_command_says_what_would_change(judged: World) -> None:
    out = StringIO()
    call_command("replay_consensus", "paper", "--largest-difference", "2", "--rounding", "down", stdout=out)
    assert out.getvalue().splitlines() == [
        "3 pairs with 6 judgments: 2 would change, 0 of them would need more judgments.",
        "          1  grade 4 -> grade 3",
        "          1  a second round -> grade 1",
    ]
    with pytest.raises(CommandError, match="at least 1 in the first round"):
        call_command("replay_consensus", "paper", "--first-round", "0")


def test_the_page_shows_it_and_refuses_what_is_no_rule(judged: World, client_of: Any) -> None:
    ada = client_of(judged["ada"].account)
    page = ada.get("/c/paper/replay/", {"largest_difference": "2"}).content.decode()
    assert "1 would change" in page and "a second round" in page
    for field, sent, said in (
        ("first_round", "0", "Found “0”, expected a whole number from 1 to 9."),
        ("second_round", "x", "Found “x”, expected a whole number from 0 to 9."),
        ("rounding", "sideways", "sideways is not one of the available choices."),
    ):
        answer = ada.get("/c/paper/replay/", {field: sent})
        assert answer.status_code == 400
        assert said in answer.content.decode().split(f'id="field-{field}-wrong">')[1]
