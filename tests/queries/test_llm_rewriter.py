"""The LLM rewriter against a real HTTP server that misbehaves."""

from __future__ import annotations

import email.utils
import json
import re
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from corpus.cast import parse_cast
from queries.rewriters import RewriterError, Rewritten, Source, make_rewriter
from queries.rewriters.chat import Patience
from queries.rewriters.llm import OpenAIRewriter
from queries.rewriters.prompting import Wording
from tests.queries.chat_server import Reply, captions, completion, refusal, serving, texts, well

QUICK = Patience(first_pause=0.01, longest_pause=2.0, timeout=5.0)


def asking(url, **patience):
    settings = {**vars(QUICK), **patience}
    return OpenAIRewriter(model="m", api_key="k", base_url=url, patience=Patience(**settings))


def sources(count: int) -> list[Source]:
    return [Source(f"d{number}", f"Rachel opens door {number}.") for number in range(count)]


def expected(count: int) -> list[Rewritten]:
    return [Rewritten(f"d{number}", f"A woman opens door {number}.") for number in range(count)]


def rewritten(behave, count=3, **patience):
    with serving(behave) as server:
        return asking(server.url, **patience).rewrite(sources(count), temperature=0, seed=1), server


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
        rewriter = make_rewriter(environ)
        assert rewriter.rewrite(sources(1), temperature=0, seed=0) == expected(1)
    assert (rewriter.name, rewriter.model, rewriter.prompt_version) == ("openai", "tiny", "imprecise-v2")
    assert server.keys == ["Bearer secret"]
    assert "secret" not in repr(rewriter)


def test_equal_descriptions_share_one_place_in_the_request():
    with serving(well) as server:
        twice = [Source("a", "Joey sits."), Source("b", "Joey sits."), Source("c", "Rachel sits.")]
        answers = asking(server.url).rewrite(twice, temperature=0, seed=0)
    assert [answer.text for answer in answers] == ["A man sits.", "A man sits.", "A woman sits."]
    assert len(captions(server.requests[0])) == 2


def test_answers_are_matched_by_id_and_not_by_place():
    answers, _ = rewritten(lambda r, _: completion(json.dumps({"captions": captions(r)[::-1]})), count=5)
    assert answers == expected(5)


def odd(request: dict[str, Any]) -> list[int]:
    """The numbers of the doors in a request."""
    return [int(re.sub(r"\D", "", text)) for text in texts(request)]


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
    assert [*answers[:13], *answers[14:]] == [one for place, one in enumerate(expected(40)) if place != 13]


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


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
def test_a_passing_fault_is_tried_again(status):
    answers, server = rewritten(lambda r, n: refusal(status, "not now") if n < 3 else well(r))
    assert answers == expected(3)
    assert len(server.requests) == 3


def test_a_dropped_connection_is_tried_again():
    assert rewritten(lambda r, n: Reply(cut=True) if n == 1 else well(r))[0] == expected(3)


def test_a_connection_dropped_within_the_answer_is_tried_again():
    def behave(request, number):
        reply = well(request)
        reply.half = number == 1
        return reply

    assert rewritten(behave)[0] == expected(3)


def test_an_error_told_with_status_200_is_tried_again():
    overloaded = Reply(body={"error": {"message": "overloaded", "code": 502}})
    assert rewritten(lambda r, n: overloaded if n == 1 else well(r))[0] == expected(3)


def test_a_timeout_is_tried_again():
    def behave(request, number):
        reply = well(request)
        reply.delay = 30.0 if number == 1 else 0.0
        return reply

    assert rewritten(behave, timeout=0.3)[0] == expected(3)


def test_a_body_that_is_no_json_is_tried_again():
    assert rewritten(lambda r, n: Reply(body=b'{"choices": [') if n == 1 else well(r))[0] == expected(3)


@pytest.mark.parametrize(
    "header",
    [
        pytest.param({"retry_after": "0.7"}, id="seconds"),
        pytest.param({"retry_after_ms": "700"}, id="milliseconds"),
    ],
)
def test_retry_after_is_honoured_by_all_requests(header):
    times = []

    def behave(request, number):
        times.append(time.monotonic())
        return refusal(429, "slow down", **header) if number == 2 else well(request)

    answers, _ = rewritten(behave, count=120, concurrency=2, longest_pause=0.01)
    assert answers == expected(120)
    # The second was told to wait; of the others one may have been on its way.
    assert sum(at - times[1] < 0.7 for at in times[2:]) <= 1


def test_retry_after_may_be_a_date():
    at = email.utils.format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
    times = []

    def behave(request, number):
        times.append(time.monotonic())
        return refusal(429, "slow down", retry_after=at) if number == 1 else well(request)

    assert rewritten(behave)[0] == expected(3)
    assert times[1] - times[0] >= 0.5


def test_a_server_that_wants_a_very_long_wait_stops_the_job():
    with (
        serving(lambda *_: refusal(429, "daily limit", retry_after="7200")) as server,
        pytest.raises(RewriterError, match="asks to wait 7,200 s"),
    ):
        asking(server.url).rewrite(sources(3), temperature=0, seed=0)


def test_a_request_that_never_succeeds_costs_only_its_descriptions():
    def behave(request, _):
        return refusal(500, "broken") if 3 in odd(request) else well(request)

    answers, _ = rewritten(behave, count=40, tries=2)
    assert answers[3].text is None and "500" in answers[3].error
    assert [*answers[:3], *answers[4:]] == [one for place, one in enumerate(expected(40)) if place != 3]


def test_a_server_that_fails_again_and_again_stops_the_job():
    with serving(lambda r, n: well(r) if n <= 2 else refusal(503, "down for maintenance")) as server:
        with pytest.raises(RewriterError, match="down for maintenance"):
            asking(server.url, tries=2, concurrency=2).rewrite(sources(2000), temperature=0, seed=0)
        assert len(server.requests) <= 2 + 2 * (5 + 2)


@pytest.mark.parametrize(
    ("status", "message", "told"),
    [
        pytest.param(401, "Incorrect API key", "refuses the key", id="wrong key"),
        pytest.param(403, "Forbidden", "refuses the key", id="forbidden"),
        pytest.param(404, "no such model", "doesn't know the model 'm'", id="unknown model"),
        pytest.param(429, "You exceeded your quota: insufficient_quota", "insufficient_quota", id="no money"),
        pytest.param(400, "temperature is too hot", "temperature is too hot", id="refused request"),
    ],
)
def test_a_fault_of_the_whole_job_stops_it_at_once_with_a_sentence(status, message, told):
    with serving(lambda *_: refusal(status, message)) as server:
        with pytest.raises(RewriterError, match=told):
            asking(server.url).rewrite(sources(100), temperature=0, seed=0)
        assert len(server.requests) == 1


def test_a_wrong_key_ends_the_waiting_of_other_requests():
    both_there = threading.Event()

    def behave(request, number):
        if number == 1:
            return well(request)
        if number == 2:
            both_there.wait(60)
            return refusal(503, "later", retry_after="600")
        both_there.set()
        time.sleep(0.5)  # until the other one waits
        return refusal(401, "no")

    with serving(behave) as server:
        started = time.monotonic()
        with pytest.raises(RewriterError):
            asking(server.url, concurrency=2, tries=99).rewrite(sources(60), temperature=0, seed=0)
        assert len(server.requests) == 3
        assert time.monotonic() - started < 300, "the other request waited its ten minutes out"


def test_an_unreachable_server_stops_the_job_after_all_tries():
    with pytest.raises(RewriterError, match="did not answer"):
        asking("http://127.0.0.1:9/v1", tries=2).rewrite(sources(1), temperature=0, seed=0)


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
            Source("a", "green, she says, and joey's late"),
            Source("b", "The door opens."),
            Source("c", "Kim and Kim"),
        ]
        rewriter.rewrite(asked, temperature=0, seed=0)
    said = [json.loads(request["messages"][1]["content"]) for request in server.requests]
    assert {one["descriptions"][0]["text"]: one.get("cast") for one in said} == {
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
        make_rewriter({"OPENAI_API_KEY": "k", name: value})


def test_a_password_in_the_base_url_is_not_told():
    with pytest.raises(RewriterError) as refusal_:
        asking("http://ada:moon@127.0.0.1:9/v1", tries=1).rewrite(sources(1), temperature=0, seed=0)
    assert "moon" not in str(refusal_.value) and "127.0.0.1:9/v1" in str(refusal_.value)
