"""How relevant one moment of the paper theatre is to a query made of another."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demo.theatre import Scene, relevance
from demo.theatre.script import write_films

SEASON = [scene for film in write_films(12, 7) for scene in film.scenes]


def scene(description: str, action: str, actor: str, partner: str | None = None, thing: str | None = None,
          place: str = "kitchen", video: str = "v", start: float = 1.0) -> Scene:  # fmt: skip
    return Scene(1, video, start, start + 4, 40.0, description, "v", action, actor, partner, thing, place)


ASKED = scene("Nora hands Felix a red book in the kitchen.", "hands over", "Nora", "Felix", "red book")


def shown(**changes: object) -> Scene:
    facts = {"action": "hands over", "actor": "Nora", "partner": "Felix", "thing": "red book"} | changes
    return scene("", video="other", **facts)  # type: ignore[arg-type]


@given(st.sampled_from(SEASON), st.sampled_from(SEASON))
@settings(max_examples=400)
def test_it_lies_between_0_and_4(asked: Scene, other: Scene) -> None:
    assert 0.0 <= relevance(asked, other) <= 4.0


@given(st.sampled_from(SEASON))
def test_a_moment_fits_itself_perfectly_under_each_of_its_descriptions(asked: Scene) -> None:
    assert relevance(asked, asked) == 4.0
    for other in SEASON:
        if (other.video_name, other.start, other.end) == (asked.video_name, asked.start, asked.end):
            assert relevance(asked, other) == 4.0


def test_who_they_are_does_not_matter_only_man_and_woman() -> None:
    assert relevance(ASKED, shown(actor="Ruth", partner="Hugo")) == 4.0


def test_what_the_sentence_does_not_say_does_not_matter() -> None:
    asked = scene("Nora hands over a book.", "hands over", "Nora", "Felix", "red book")
    assert relevance(asked, shown(actor="Iris", partner="Clara", thing="green book", place="park")) == 4.0


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (shown(), shown(thing="blue book")),
        (shown(thing="blue book"), shown(thing="white letter")),
        (shown(thing="white letter"), shown(thing="green box")),
        (shown(), shown(place="park")),
        (shown(), shown(actor="Victor")),
        (shown(), shown(partner="Clara")),
        (shown(partner="Clara"), shown(partner=None)),
        (shown(actor="Victor"), shown(actor="Victor", partner="Clara")),
        (shown(), shown(action="throws")),
        (shown(action="throws"), shown(action="waves", thing=None)),
    ],
    ids=["another colour", "a similar thing", "another thing", "elsewhere", "a man gives it",
    "a woman gets it",
         "nobody gets it", "roles exchanged", "a similar action", "another action"],
)  # fmt: skip
def test_every_difference_costs(better: Scene, worse: Scene) -> None:
    assert relevance(ASKED, better) > relevance(ASKED, worse)


@pytest.mark.parametrize("action", ["hugs", "shakes hands", "argues", "dances"])
def test_in_what_two_people_do_together_either_may_be_named_first(action: str) -> None:
    asked = scene("Nora and Felix do it together.", action, "Nora", "Felix")
    assert relevance(asked, shown(action=action, actor="Felix", partner="Nora", thing=None)) == 4.0


def test_half_of_two_actions_is_part_of_the_query_and_an_action_too_many_costs_a_grade() -> None:
    """Appendix B.1: a perfect match has no redundancy; with additional unrelated content it is a 3."""
    both = scene("Nora sits down and then reads a letter.", "sits down and reads", "Nora", None, "white letter")
    partly = shown(action="reads", partner=None, thing="white letter")
    assert 1.5 <= relevance(both, partly) < 4.0
    only = scene("Nora reads a letter.", "reads", "Nora", None, "white letter")
    assert relevance(only, shown(action="sits down and reads", partner=None, thing="white letter")) == 3.0


def test_persons_who_do_nothing_that_is_asked_are_unrelated_and_with_the_place_a_few_points() -> None:
    """Appendix B.1: a person is like a stop word; "a man" and "a board" without the action are a 1."""
    asked = scene("Nora sits down on the bench.", "sits down", "Nora", place="park")
    assert relevance(asked, shown(action="dances", partner=None, thing=None, place="kitchen")) == 0.0
    assert 0.5 < relevance(asked, shown(action="dances", partner=None, thing=None, place="park")) < 1.5
    assert 0.5 < relevance(ASKED, shown(action="smells", partner=None, place="park")) < 1.5


def test_furniture_is_where_it_stands() -> None:
    asked = scene("Nora sits down on the bench.", "sits down", "Nora", place="park")
    street = shown(action="sits down", partner=None, thing=None, place="street")
    sofa = shown(action="sits down", partner=None, thing=None, place="living room")
    assert relevance(asked, street) == 4.0
    assert 3.0 <= relevance(asked, sofa) < 4.0


def test_something_else_entirely_is_worth_nothing() -> None:
    assert relevance(ASKED, shown(action="dances", actor="Victor", partner=None, thing=None, place="park")) == 0.0


def test_same_action_pairs_spread_over_the_grades() -> None:
    values = [relevance(a, b) for a in SEASON for b in SEASON if a is not b and a.action == b.action]
    grades = {round(v) for v in values}
    assert {1, 2, 3, 4} <= grades
    assert 0.1 < sum(v == 4.0 for v in values) / len(values) < 0.6
