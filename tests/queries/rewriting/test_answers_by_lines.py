"""Captions asked for one a line, as in the paper's Figure 3: none is ever taken for another's."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.collections.members import set_cast
from queries.models import Answer, Attempt, Caption, RewriteJob
from queries.rewriting.rewriters.prompting import BY_LINES, PROMPT_OF_STYLE, Request, Wording, prompt, prompt_version
from queries.rewriting.rewriters.reading import read_answer
from tests.queries.chat_server import Reply, by_lines, completion, texts
from tests.queries.conftest import Begin, doors, make_collection
from tests.queries.rewriting.test_llm_jobs import no_worker, rewrite

__all__ = ["no_worker"]

TEXTS = {"1": "Rachel opens the door.", "2": "Joey sits down on the couch.", "3": "Ross reads a book to his son."}
LINES = ["A woman opens the door.", "A man sits down on the couch.", "A man reads a book to his son."]
RIGHT = {str(place): (line, "") for place, line in enumerate(LINES, start=1)}


def read(content: str, **said: str) -> dict[str, tuple[str | None, str]]:
    return read_answer(content, TEXTS, **said, by_lines=True)


@pytest.mark.parametrize(
    "content",
    [
        "\n".join(LINES),
        "\n\n".join(LINES) + "\n",
        "\r\n".join(f"  {line}" for line in LINES),
        json.dumps(LINES),
        "\n".join(f"{place}. {line}" for place, line in enumerate(LINES, start=1)),
        "\n".join(f"- {line}" for line in LINES),
    ],
)
def test_as_many_lines_as_descriptions_are_their_captions(content: str) -> None:
    assert read(content) == RIGHT


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("\n".join(LINES[:2]), "The answer has 2 lines, expected 3: A woman opens"),
        ("Here they are:\n" + "\n".join(LINES), "The answer has 4 lines, expected 3: Here they are:"),
        (" ".join(LINES), "The answer has 1 line, expected 3"),
        (json.dumps(LINES[:2]), "The answer has 2 lines, expected 3"),
        ("", "The answer has 0 lines, expected 3"),
        ("\n".join([LINES[1], LINES[0], LINES[2]]), "A line doesn't fit its description: A man sits down"),
        ("\n".join([*LINES[1:], LINES[0]]), "A line doesn't fit its description"),
    ],
)
def test_no_line_is_taken_where_any_may_be_another_s(content: str, why: str) -> None:
    answers = read(content)
    assert {caption for caption, _ in answers.values()} == {None}
    assert all(fault.startswith(why) for _, fault in answers.values()), answers


def test_an_answer_that_was_cut_off_counts_for_nothing_though_its_lines_are_enough() -> None:
    answers = read("\n".join(LINES)[:-9], finish_reason="length")
    assert all("cut off" in fault and caption is None for caption, fault in answers.values())


def test_a_refusal_is_told() -> None:
    assert read("", refusal="No.")["2"] == (None, "The model refuses: No.")


def test_a_description_that_begins_with_a_number_keeps_it() -> None:
    asked = {"1": "1. Rachel opens the door."}
    assert read_answer("1. A woman opens the door.", asked, by_lines=True)["1"] == ("1. A woman opens the door.", "")


@given(st.text(max_size=200), st.lists(st.text(min_size=1, max_size=9), max_size=4))
def test_whatever_a_model_says_every_id_gets_a_caption_or_a_reason(content: str, asked: list[str]) -> None:
    answers = read_answer(content, {str(place): text for place, text in enumerate(asked)}, by_lines=True)
    assert set(answers) == {str(place) for place in range(len(asked))}
    for caption, fault in answers.values():
        assert (caption is None) == bool(fault)


@pytest.mark.parametrize("style", PROMPT_OF_STYLE)
def test_the_prompt_asks_for_lines_and_says_no_more_of_json(style: str) -> None:
    version = prompt_version(style, {"REWRITER_ANSWERS": "lines"})
    assert version == PROMPT_OF_STYLE[style] + BY_LINES
    assert prompt_version(style, {}) == prompt_version(style, {"REWRITER_ANSWERS": "json"}) == PROMPT_OF_STYLE[style]
    asked, usual = prompt(version).split("\n\n"), prompt(PROMPT_OF_STYLE[style]).split("\n\n")
    new = [part for part in asked if part not in usual]
    assert len(new) == 1 and len(asked) == len(usual)
    assert "each on a new line: as many lines as you were given, in their order, and nothing else" in new[0]
    assert "JSON" not in prompt(version)


def test_a_request_has_its_descriptions_one_a_line_whatever_they_hold() -> None:
    wording = Wording(prompt_version=prompt_version("faithful", {"REWRITER_ANSWERS": "lines"}))
    system, user = wording.messages(Request(("Rachel\nopens", 'Joey "sits"', "Ross\u2028reads")))
    assert user["content"].splitlines() == ["Rachel opens", 'Joey "sits"', "Ross reads"]
    assert system["content"] == wording.instructions


@pytest.mark.django_db(transaction=True)
def test_a_job_by_lines_makes_captions_and_says_so(llm: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REWRITER_ANSWERS", "lines")
    collection = make_collection(doors(45))
    set_cast(collection=collection, cast="Rachel, f")
    with llm(by_lines) as server:
        assert "45 captions accepted" in rewrite(collection)
    assert not any("response_format" in request for request in server.requests)
    assert all("Rachel is a woman" in request["messages"][0]["content"] for request in server.requests)
    assert set(Attempt.objects.values_list("prompt_version", flat=True)) == {"imprecise-v2+lines-v1"}
    assert RewriteJob.objects.get().instructions.endswith(prompt("imprecise-v2+lines-v1"))


@pytest.mark.django_db(transaction=True)
def test_a_request_whose_lines_are_too_few_is_asked_again_in_smaller_ones(
    llm: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drops_one(request: dict[str, Any], number: int) -> Reply:
        answer = by_lines(request)
        lines = answer.body["choices"][0]["message"]["content"].splitlines()
        return completion("\n".join(lines[1:])) if len(lines) > 5 else answer

    monkeypatch.setenv("REWRITER_ANSWERS", "lines")
    collection = make_collection(doors(20))
    with llm(drops_one) as server:
        assert "20 captions accepted" in rewrite(collection)
    assert sorted(len(texts(request)) for request in server.requests) == [5, 5, 5, 5, 20]
    assert Caption.objects.filter(status="accepted").count() == 20
    assert not Answer.objects.exclude(caption="").exclude(error="").exists()
