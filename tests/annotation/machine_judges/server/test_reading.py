"""What a model's answer comes to: one grade as it was asked for, or an abstention."""

import json
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from annotation.machine_judges.server.reading import Reading, grade_in, read_replies, read_reply
from tests.queries.chat_server import completion, graded


@pytest.mark.parametrize(
    ("answer", "grade"),
    [
        pytest.param("3", 3, id="as asked"),
        pytest.param(" 3.\n", 3, id="with a full stop"),
        pytest.param("Grade: 3", 3, id="labelled"),
        pytest.param("The grade is 3.", 3, id="a sentence"),
        pytest.param("**3**", 3, id="Markdown"),
        pytest.param("3/4", 3, id="of the top grade"),
        pytest.param("3 out of 4", 3, id="of the top grade in words"),
        pytest.param("3 - nearly perfect", 3, id="with the grade's name"),
        pytest.param("3\n\nA man opens a door.", 3, id="with an explanation"),
        pytest.param('{"grade": 3}', 3, id="JSON"),
        pytest.param('```json\n{"Grade": "3", "why": "two of 5 men"}\n```', 3, id="JSON in a fence"),
        pytest.param("٣", 3, id="Arabic digit"),
        pytest.param("३", 3, id="Devanagari digit"),
        pytest.param("评分：３", 3, id="Chinese label and full-width digit"),
        pytest.param("Note : 3", 3, id="French label"),
        pytest.param("<think>Is it 2? Rather 4.</think>\n3", 3, id="thought before"),
        pytest.param("3/5", "nonsense", id="of another top"),
        pytest.param("3-4", "nonsense", id="range"),
        pytest.param("3 or 4", "nonsense", id="two grades"),
        pytest.param("Grade: 3. No, 2.", "nonsense", id="changed its mind"),
        pytest.param("5", "nonsense", id="above the top"),
        pytest.param("-3", "nonsense", id="negative"),
        pytest.param("3.5", "nonsense", id="between grades"),
        pytest.param("½", "nonsense", id="fraction"),
        pytest.param("", "nonsense", id="empty"),
        pytest.param("three", "nonsense", id="a word"),
        pytest.param("There are 3 men in it.", "nonsense", id="a number of something else"),
        pytest.param('{"grade": 3, "grade": 4}', "nonsense", id="JSON with two"),
        pytest.param('{"grade": [3, 4]}', "nonsense", id="JSON range"),
        pytest.param('{"grade": true}', "nonsense", id="JSON without a number"),
        pytest.param('{"grade":', "nonsense", id="JSON broken off"),
        pytest.param("<think>It may be 3", "nonsense", id="thought without end"),
        pytest.param("I'm sorry, I can't judge people.", "refused", id="refusal"),
        pytest.param("I’m sorry: 3", "refused", id="refusal with a number"),
    ],
)
def test_a_text_has_one_grade_or_none(answer: str, grade: int | str) -> None:
    assert grade_in(answer, 4) == grade


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(("grade", "token", "logprob", "x")), inner, max_size=3)
    ),
    max_leaves=8,
)


@example("3", math.nan)
@example("3", -(10**400))
@example("3", True)
@given(st.text(max_size=40) | st.from_regex(r"(Grade: ?)?[0-9]([/ .-][0-9])?( of 4)?[.!]?", fullmatch=True), JSON)
def test_whatever_comes_is_a_grade_in_range_or_an_abstention(text: str, odd: Any) -> None:
    for content in (text, json.dumps({"grade": odd}), json.dumps(odd)):
        assert grade_in(content, 4) in (0, 1, 2, 3, 4, "refused", "nonsense")
    body = reply(text)
    body["choices"][0]["logprobs"] = {"content": [{"token": "3", "logprob": odd, "top_logprobs": odd}, odd]}
    read = read_reply(body, 4, 0.5)
    assert (read.grade is None) == bool(read.abstained)
    assert read.distribution is None or sum(read.distribution) == pytest.approx(1)


def reply(*args: Any, **more: Any) -> Any:
    return completion(*args, **more).body


def test_probabilities_of_the_grades_are_the_distribution_and_the_likeliest_is_the_grade() -> None:
    body = graded("3", {"3": 0.5, " 3": 0.1, "2": 0.2, "٢": 0.1, "The": 0.1}).body
    read = read_reply(body, 4, 0.5)
    assert read.grade == 3 and read.distribution == pytest.approx([0, 0, 3 / 9, 6 / 9, 0])


def test_the_place_of_the_grade_is_where_its_probabilities_are_read() -> None:
    body = graded("3", {"3": 0.75, "1": 0.25}).body
    place = body["choices"][0]["logprobs"]["content"][0]
    before = {"token": "Grade: ", "logprob": -0.1, "top_logprobs": [{"token": "4", "logprob": -0.1}]}
    body["choices"][0]["logprobs"]["content"] = [before, place]
    body["choices"][0]["message"]["content"] = "Grade: 3"
    assert read_reply(body, 4, 0.5).distribution == pytest.approx([0, 0.25, 0, 0.75, 0])


def test_grades_that_are_thought_of_before_the_answer_dont_count() -> None:
    body = graded("3", {"3": 0.75, "1": 0.25}).body
    choice = body["choices"][0]
    thought = [{"token": token, "logprob": 0.0, "top_logprobs": []} for token in ("<think>", "3", "</think>")]
    choice["logprobs"]["content"] = [*thought, *choice["logprobs"]["content"]]
    choice["message"]["content"] = "<think>3</think>3"
    assert read_reply(body, 4, 0.5).distribution == pytest.approx([0, 0.25, 0, 0.75, 0])


def test_too_little_of_an_answer_on_grades_is_an_abstention() -> None:
    body = graded("3", {"3": 0.3, "2": 0.1, "The": 0.28}).body
    assert read_reply(body, 4, 0.5) == Reading(abstained="low mass")
    assert read_reply(body, 4, 0.4).grade == 3


@pytest.mark.parametrize(
    "broken", [None, "yes", [1], {}, {"content": None}, {"content": [None, {"token": 3}]}, {"tokens": ["3"]}]
)
def test_without_readable_probabilities_the_grade_stands_alone(broken: Any) -> None:
    body = reply("3")
    body["choices"][0]["logprobs"] = broken
    assert read_reply(body, 4, 0.5) == Reading(3)


def test_odd_probabilities_are_left_out() -> None:
    body = graded("3", {"3": 0.75, "1": 0.25}).body
    place = body["choices"][0]["logprobs"]["content"][0]
    place["top_logprobs"] += [7, {"token": ["2"], "logprob": -1}, {"token": "2", "logprob": "-1"}, {"token": "4"}]
    assert read_reply(body, 4, 0.5).distribution == pytest.approx([0, 0.25, 0, 0.75, 0])
    place["top_logprobs"] = "none"
    assert read_reply(body, 4, 0.5).distribution == (0, 0, 0, 1, 0)


def test_the_servers_own_words_for_a_refusal_are_one() -> None:
    assert read_reply(reply(None, refusal="No."), 4, 0.5) == Reading(abstained="refused")
    assert read_reply(reply("3", "content_filter"), 4, 0.5) == Reading(abstained="refused")
    assert read_reply({"declined": "The server refuses this request (400)."}, 4, 0.5) == Reading(abstained="refused")
    assert read_reply({"choices": []}, 4, 0.5) == Reading(abstained="nonsense")


def test_several_answers_are_read_by_their_shares() -> None:
    read = read_replies([reply(text) for text in ("3", "3", "2", "well", "3")], 4, 0.5)
    assert read == Reading(3, (0, 0, 0.25, 0.75, 0))
    assert read_replies([reply(text) for text in ("2", "3")], 4, 0.5) == Reading(2, (0, 0, 0.5, 0.5, 0))
    assert read_replies([reply(text) for text in ("3", "well", "well")], 4, 0.5) == Reading(abstained="low mass")
    assert read_replies([reply(text) for text in ("what", "well")], 4, 0.5) == Reading(abstained="nonsense")
