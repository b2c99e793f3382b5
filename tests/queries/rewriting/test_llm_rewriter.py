"""The LLM rewriter against a real HTTP server that misbehaves."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest

from foundation.collections.cast import parse_cast
from queries.rewriting.rewriters.interface import RewriterError, SourceDescription
from queries.rewriting.rewriters.prompting import Wording
from tests.queries.asking_llm import Asker, asking, expected, odd, rewritten, sources
from tests.queries.chat_server import captions, completion, refusal, serving, texts, well


def test_every_description_gets_its_caption_in_the_order_asked():
    answers, server = rewritten(well, count=45)
    assert answers == expected(45)
    assert len(server.requests) == 3


def test_model_temperature_seed_key_and_schema_are_sent():
    with serving(well) as server:
        asking(server.url).rewrite(sources(1), temperature=0.2, seed=77)
    request = server.requests[0]
    assert (request["model"], request["temperature"], request["seed"]) == ("m", 0.2, 77)
    assert request["response_format"]["json_schema"]["name"] == "captions"
    assert "name" in request["messages"][0]["content"]
    assert server.keys == ["Bearer k"]


def test_the_environment_names_server_key_and_model():
    with serving(well) as server:
        environ = {"OPENAI_API_KEY": "secret", "OPENAI_BASE_URL": server.url, "REWRITER_MODEL": "tiny"}
        rewriter = Asker.from_environ(environ)
        assert rewriter.rewrite(sources(1), temperature=0, seed=0) == expected(1)
    assert (rewriter.name, rewriter.model, rewriter.prompt_version) == ("openai", "tiny", "imprecise-v2")
    assert server.keys == ["Bearer secret"]
    assert "secret" not in repr(rewriter)


def test_equal_descriptions_share_one_place_in_the_request():
    with serving(well) as server:
        twice = [
            SourceDescription("a", "Joey sits."),
            SourceDescription("b", "Joey sits."),
            SourceDescription("c", "Rachel sits."),
        ]
        answers = asking(server.url).rewrite(twice, temperature=0, seed=0)
    assert [answer.text for answer in answers] == ["A man sits.", "A man sits.", "A woman sits."]
    assert len(captions(server.requests[0])) == 2


def test_answers_are_matched_by_id_and_not_by_place():
    answers, _ = rewritten(lambda r, _: completion(json.dumps({"captions": captions(r)[::-1]})), count=5)
    assert answers == expected(5)


def test_a_missing_a_doubled_and_an_empty_caption_cost_only_themselves():
    def behave(request, _):
        faults = {1: "empty", 2: "missing", 3: "none", 4: "doubled"}
        listed = []
        for door, row in zip(odd(request), captions(request), strict=True):
            fault = faults.get(door)
            if fault != "missing":
                listed.append({**row, "caption": {"empty": "  ", "none": None}.get(fault, row["caption"])})
            if fault == "doubled":
                listed.append(row)
        return completion(json.dumps({"captions": listed}))

    answers, server = rewritten(behave, count=6)
    assert [answer.text is None for answer in answers] == [False, True, True, True, True, False]
    assert "empty" in answers[1].error
    assert "out" in answers[2].error
    assert "twice" in answers[4].error
    assert answers[5] == expected(6)[5]
    assert [len(texts(request)) for request in server.requests] == [6, 4, 1, 1, 1, 1]


def test_what_fails_in_company_may_succeed_alone():
    def behave(request, _):
        rows = captions(request)
        return completion(json.dumps({"captions": rows if len(rows) <= 5 else rows[:-7]}))

    answers, server = rewritten(behave, count=20, concurrency=1)
    assert answers == expected(20)
    assert [odd(request) for request in server.requests] == [list(range(20)), [13, 14, 15, 16, 17], [18, 19]]


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        pytest.param(lambda _: completion(None, refusal="I can't help with that."), "can't help", id="refusal"),
        pytest.param(lambda _: completion("", "content_filter"), "content filter", id="content filter"),
        pytest.param(
            lambda _: refusal(400, "The response was filtered due to the prompt: content_filter"),
            "400",
            id="filter 400",
        ),
        pytest.param(lambda _: refusal(400, "maximum context length is 8192 tokens"), "context length", id="too long"),
        pytest.param(lambda _: refusal(413, "payload too large"), "413", id="too large"),
        pytest.param(
            lambda r: completion(json.dumps({"captions": captions(r)})[:20], "length"), "cut off", id="cut off"
        ),
        pytest.param(lambda _: completion("I am sorry, Dave."), "not the JSON", id="prose alone"),
        pytest.param(lambda _: completion(""), "it is empty", id="nothing said"),
        pytest.param(
            lambda r: completion(
                json.dumps(
                    {"captions": [{**row, "caption": "Eine Frau macht die Tür zu Zimmer auf."} for row in captions(r)]}
                )
            ),
            "another language",
            id="another language",
        ),
    ],
)
def test_an_answer_spoilt_by_one_description_costs_that_one_alone(spoil, told):
    def behave(request, _):
        return spoil(request) if 13 in odd(request) else well(request)

    answers, _ = rewritten(behave, count=40)
    assert answers[13].text is None
    assert told in answers[13].error
    assert [*answers[:13], *answers[14:]] == [answer for place, answer in enumerate(expected(40)) if place != 13]


def test_ids_nobody_asked_for_are_ignored():
    def behave(request, _):
        return completion(json.dumps({"captions": [*captions(request), {"id": "99", "caption": "Joey lives."}]}))

    assert rewritten(behave)[0] == expected(3)


@pytest.mark.parametrize(
    "wrap",
    [
        pytest.param(lambda rows: f"Sure! Here you are:\n```json\n{json.dumps(rows)}\n```\nBye.", id="prose and fence"),
        pytest.param(lambda rows: f"Captions: {json.dumps({'captions': rows})} Done.", id="prose around an object"),
        pytest.param(lambda rows: json.dumps(rows), id="a bare list"),
        pytest.param(lambda rows: json.dumps({r["id"]: r["caption"] for r in rows}), id="an object by id"),
        pytest.param(lambda rows: "\n".join(json.dumps(r) for r in rows), id="one object a line"),
        pytest.param(lambda rows: json.dumps({"results": [{**r, "id": int(r["id"])} for r in rows]}), id="numeric ids"),
    ],
)
def test_captions_are_read_however_a_model_wraps_them(wrap):
    assert rewritten(lambda r, _: completion(wrap(captions(r))))[0] == expected(3)


def test_a_server_without_structured_output_is_asked_for_json_and_then_for_nothing():
    def behave(request, _):
        kind = request.get("response_format", {}).get("type")
        return refusal(400, f"response_format {kind} is not supported") if kind else well(request)

    answers, server = rewritten(behave, count=60, concurrency=3)
    assert answers == expected(60)
    kinds = [request.get("response_format", {}).get("type") for request in server.requests]
    assert kinds == ["json_schema", "json_object", None, None, None]


@pytest.mark.parametrize(
    "status, told",
    [
        (422, "Input should be 'text' or 'json_object'"),
        # As llama-cpp-python 0.3.36 says it.
        (500, "1 validation error: {'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text'\"}"),
    ],
)
def test_a_server_that_knows_json_mode_is_asked_for_that(status, told):
    def behave(request, _):
        if request["response_format"]["type"] == "json_schema":
            return refusal(status, told)
        return well(request)

    answers, server = rewritten(behave, count=40)
    assert answers == expected(40)
    assert [request["response_format"]["type"] for request in server.requests][1:] == ["json_object"] * 2


def test_a_server_that_takes_no_seed_is_asked_without():
    def behave(request, _):
        return refusal(422, "extra_forbidden: seed") if "seed" in request else well(request)

    answers, server = rewritten(behave, count=40)
    assert answers == expected(40)
    assert ["seed" in request for request in server.requests] == [True, False, False]


def test_an_answer_has_a_limit_that_a_server_may_refuse():
    def behave(request, _):
        if "max_tokens" in request:
            return refusal(400, "Unsupported parameter: 'max_tokens' is not supported with this model.")
        return well(request)

    answers, server = rewritten(behave, count=40)
    assert answers == expected(40)
    limits = [request.get("max_tokens") for request in server.requests]
    assert limits[0] > 256 and limits[1:] == [None, None]


def test_no_more_requests_are_in_flight_than_allowed():
    together = threading.Barrier(4)

    def behave(request, number):
        if number > 1:
            together.wait(timeout=10)
        return well(request)

    answers, server = rewritten(behave, count=180, concurrency=4)
    assert answers == expected(180)
    assert server.most_at_once == 4


def test_nothing_to_do_asks_nobody():
    answers, server = rewritten(well, count=0)
    assert answers == []
    assert server.requests == []


def test_context_goes_into_every_request_and_the_cast_where_it_occurs():
    wording = Wording(
        context="The show is Friends.", cast=parse_cast("Rachel Green, f\nDr. Joey, m\nKim, ?\nChandler, m")
    )
    with serving(well) as server:
        rewriter = replace(asking(server.url, per_request=1), wording=wording)
        asked = [
            SourceDescription("a", "green, she says, and joey's late"),
            SourceDescription("b", "The door opens."),
            SourceDescription("c", "Kim and Kim"),
        ]
        rewriter.rewrite(asked, temperature=0, seed=0)
    sent = [json.loads(request["messages"][1]["content"]) for request in server.requests]
    assert {body["descriptions"][0]["text"]: body.get("cast") for body in sent} == {
        "green, she says, and joey's late": {"Rachel Green": "woman", "Dr. Joey": "man"},
        "The door opens.": None,
        "Kim and Kim": {"Kim": "person"},
    }
    assert all("The show is Friends." in request["messages"][0]["content"] for request in server.requests)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("REWRITER_CONCURRENCY", "0", "REWRITER_CONCURRENCY is '0', expected a whole number from 1 to 256"),
        ("REWRITER_PER_REQUEST", "2.5", "expected a whole number from 1 to 200"),
        ("REWRITER_TIMEOUT", "soon", "REWRITER_TIMEOUT is 'soon', expected a number"),
        ("REWRITER_TRIES", "nan", "expected a whole number"),
    ],
)
def test_a_setting_that_is_no_number_in_its_range_is_told(name, value, told):
    with pytest.raises(RewriterError, match=told):
        Asker.from_environ({"OPENAI_API_KEY": "k", name: value})


def test_a_password_in_the_base_url_is_not_told():
    with pytest.raises(RewriterError) as refusal_:
        asking("http://ada:moon@127.0.0.1:9/v1", tries=1).rewrite(sources(1), temperature=0, seed=0)
    assert "moon" not in str(refusal_.value) and "127.0.0.1:9/v1" in str(refusal_.value)
