"""The tolerant reading of a model's answer: pure rules, by example and by property."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.rewriting.rewriters.prompting import Request, chars_out, ladder, split_evenly
from queries.rewriting.rewriters.reading import read_answer, read_captions, speaks_otherwise

TEXTS = {"1": "Rachel opens the door.", "2": "Joey sits down on the couch.", "3": "Ross reads a book to his son."}
ROWS = [
    {"id": "1", "caption": "A woman opens the door."},
    {"id": "2", "caption": "A man sits down on the couch."},
    {"id": "3", "caption": "A man reads a book to his son."},
]


def test_an_answer_that_breaks_off_keeps_the_captions_that_it_holds() -> None:
    content = json.dumps({"captions": ROWS})
    for end in range(len(content)):
        answers = read_answer(content[:end], TEXTS, finish_reason="length")
        for row in ROWS:
            caption, error = answers[row["id"]]
            assert caption in (row["caption"], None)
            assert caption is not None or "cut off" in error


@pytest.mark.parametrize(
    "caption",
    [
        "A woman opens the door.",
        "Two people talk.",
        "The three men and another woman",
        "Someone's hat.",
        "A man hugs a woman.",
    ],
)
def test_a_caption_of_its_description_is_let_through(caption: str) -> None:
    assert not speaks_otherwise("Rachel opens the door.", caption)


@pytest.mark.parametrize(
    "caption",
    [
        "Eine Frau öffnet die Tür zum Zimmer.",
        "Une femme ouvre la porte.",
        "Una mujer abre la puerta.",
        "Женщина открывает дверь в комнату.",
        "Sorry, but as language models we cannot help with that.",
    ],
)
def test_another_language_or_something_else_is_not(caption: str) -> None:
    assert speaks_otherwise("Rachel opens the door.", caption)


def test_a_description_in_another_language_keeps_its_own() -> None:
    assert not speaks_otherwise("Rachel öffnet die Tür zum Zimmer.", "Eine Frau öffnet die Tür zum Zimmer.")


def test_signs_that_no_database_holds_are_dropped() -> None:
    content = '{"captions": [{"id": "1", "caption": "A wo\\u0000man \\ud800 smiles"}]}'
    assert read_captions(content, ["1"]) == {"1": ("A woman smiles", "")}


def test_an_answer_nested_too_deep_is_no_json() -> None:
    assert read_captions("[" * 100_000, ["1"])["1"][0] is None


@given(st.text(max_size=200), st.lists(st.text(min_size=1, max_size=3), max_size=4))
def test_whatever_a_model_says_every_id_gets_a_caption_or_a_reason(content: str, ids: list[str]) -> None:
    answers = read_captions(content, ids)
    assert set(answers) == set(ids)
    for caption, error in answers.values():
        assert (caption is None) == bool(error)


@given(st.lists(st.text(max_size=20)), st.integers(1, 30))
def test_requests_have_every_text_once_in_its_order(texts: list[str], size: int) -> None:
    pieces = list(split_evenly(texts, size))
    assert [text for piece in pieces for text in piece] == texts
    assert all(len(piece) == size for piece in pieces[:-1])


@pytest.mark.parametrize(("per_request", "steps"), [(20, (20, 5, 1)), (4, (4, 1)), (2, (2, 1)), (1, (1,))])
def test_what_fails_is_asked_in_smaller_company_and_in_the_end_alone(per_request: int, steps: tuple[int, ...]) -> None:
    assert ladder(per_request) == steps


def test_the_expected_length_of_an_answer_is_that_of_the_form_asked_for() -> None:
    texts = tuple(row["caption"] for row in ROWS)
    assert chars_out(Request(texts)) == len(json.dumps({"captions": ROWS}))
