"""The LLM rewriter against a real HTTP server that misbehaves."""

from __future__ import annotations

import json
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.rewriters import RewriterError, Rewritten, Source, make_rewriter
from queries.rewriters.llm import OpenAIRewriter, Patience, read_captions
from tests.queries.chat_server import Reply, captions, completion, refusal, serving, well

QUICK = Patience(first_pause=0.01, longest_pause=2.0, timeout=5.0)


def asking(url: str, **patience: float) -> OpenAIRewriter:
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
    answers, server = rewritten(lambda request, _: well(request), count=45)
    assert answers == expected(45)
    assert len(server.requests) == 3


def test_model_temperature_seed_key_and_schema_are_sent():
    with serving(lambda request, _: well(request)) as server:
        asking(server.url).rewrite(sources(1), temperature=0.2, seed=77)
    request = server.requests[0]
    assert (request["model"], request["temperature"], request["seed"]) == ("m", 0.2, 77)
    assert request["response_format"]["json_schema"]["name"] == "captions"
    assert "name" in request["messages"][0]["content"]
    assert server.keys == ["Bearer k"]


def test_the_environment_names_server_key_and_model():
    with serving(lambda request, _: well(request)) as server:
        environ = {"OPENAI_API_KEY": "secret", "OPENAI_BASE_URL": server.url, "REWRITER_MODEL": "tiny"}
        rewriter = make_rewriter(environ)
        assert rewriter.rewrite(sources(1), temperature=0, seed=0) == expected(1)
    assert (rewriter.name, rewriter.model, rewriter.prompt_version) == ("openai", "tiny", "imprecise-v1")
    assert server.keys == ["Bearer secret"]
    assert "secret" not in repr(rewriter)


def test_equal_descriptions_share_one_place_in_the_request():
    with serving(lambda request, _: well(request)) as server:
        twice = [Source("a", "Joey sits."), Source("b", "Joey sits."), Source("c", "Rachel sits.")]
        answers = asking(server.url).rewrite(twice, temperature=0, seed=0)
    assert [answer.text for answer in answers] == ["A man sits.", "A man sits.", "A woman sits."]
    assert len(captions(server.requests[0])) == 2


def test_answers_are_matched_by_id_and_not_by_place():
    answers, _ = rewritten(lambda r, _: completion(json.dumps({"captions": captions(r)[::-1]})), count=5)
    assert answers == expected(5)


def test_a_missing_a_doubled_and_an_empty_caption_cost_only_themselves():
    def behave(request, _):
        listed = captions(request)
        listed[1]["caption"] = "  "
        listed[3]["caption"] = None
        return completion(json.dumps({"captions": [*listed[:2], *listed[3:], listed[4]]}))

    answers, _ = rewritten(behave, count=6)
    assert [answer.text is None for answer in answers] == [False, True, True, True, True, False]
    assert "empty" in answers[1].error
    assert "out" in answers[2].error
    assert "twice" in answers[4].error
    assert answers[5] == expected(6)[5]


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


def test_a_half_answer_keeps_the_captions_that_it_holds():
    def behave(request, _):
        return completion(json.dumps({"captions": captions(request)})[:-25])

    answers, _ = rewritten(behave)
    assert answers[:2] == expected(3)[:2]
    assert answers[2].text is None


def test_a_refusal_costs_only_the_descriptions_of_its_request():
    def behave(request, _):
        if "door 0" in request["messages"][-1]["content"]:
            return completion(None, refusal="I can't help with that.")
        return well(request)

    answers, _ = rewritten(behave, count=40)
    assert all(answer.text is None and "can't help" in answer.error for answer in answers[:20])
    assert answers[20:] == expected(40)[20:]


def test_a_server_without_structured_output_is_asked_again_without_it():
    def behave(request, _):
        if "response_format" in request:
            return refusal(400, "response_format json_schema is not supported")
        return well(request)

    answers, server = rewritten(behave, count=60, concurrency=1)
    assert answers == expected(60)
    assert ["response_format" in request for request in server.requests] == [True, False, False, False]


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
def test_a_passing_fault_is_tried_again(status):
    answers, server = rewritten(lambda r, n: refusal(status, "not now") if n < 3 else well(r))
    assert answers == expected(3)
    assert len(server.requests) == 3


def test_a_dropped_connection_is_tried_again():
    assert rewritten(lambda r, n: Reply(cut=True) if n == 1 else well(r))[0] == expected(3)


def test_a_timeout_is_tried_again():
    def behave(request, number):
        reply = well(request)
        reply.delay = 30.0 if number == 1 else 0.0
        return reply

    assert rewritten(behave, timeout=0.3)[0] == expected(3)


def test_a_body_that_is_no_json_is_tried_again():
    assert rewritten(lambda r, n: Reply(body=b'{"choices": [') if n == 1 else well(r))[0] == expected(3)


def test_retry_after_is_honoured():
    times = []

    def behave(request, number):
        times.append(time.monotonic())
        return refusal(429, "slow down", retry_after="0.7") if number == 1 else well(request)

    assert rewritten(behave)[0] == expected(3)
    assert times[1] - times[0] >= 0.7


def test_a_request_that_never_succeeds_costs_only_its_descriptions():
    def behave(request, _):
        return refusal(500, "broken") if "door 0" in request["messages"][-1]["content"] else well(request)

    answers, _ = rewritten(behave, count=40, tries=3)
    assert all(answer.text is None and "500" in answer.error for answer in answers[:20])
    assert answers[20:] == expected(40)[20:]


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
            asking(server.url, concurrency=1).rewrite(sources(100), temperature=0, seed=0)
        assert len(server.requests) == 1


def test_a_wrong_key_ends_the_waiting_of_other_requests():
    def behave(request, number):
        return refusal(503, "later", retry_after="60") if number == 1 else refusal(401, "no")

    with serving(behave) as server:
        started = time.monotonic()
        with pytest.raises(RewriterError):
            asking(server.url, concurrency=2, longest_pause=60).rewrite(sources(40), temperature=0, seed=0)
        assert time.monotonic() - started < 20


def test_an_unreachable_server_stops_the_job_after_all_tries():
    with pytest.raises(RewriterError, match="did not answer"):
        asking("http://127.0.0.1:9/v1", tries=2).rewrite(sources(1), temperature=0, seed=0)


def test_no_more_requests_are_in_flight_than_allowed():
    together = threading.Barrier(4)

    def behave(request, _):
        together.wait(timeout=10)
        return well(request)

    answers, server = rewritten(behave, count=160, concurrency=4)
    assert answers == expected(160)
    assert server.most_at_once == 4


def test_nothing_to_do_asks_nobody():
    answers, server = rewritten(lambda r, _: well(r), count=0)
    assert answers == []
    assert server.requests == []


@given(st.text(max_size=200), st.lists(st.text(min_size=1, max_size=3), max_size=4))
def test_whatever_a_model_says_every_id_gets_a_caption_or_a_reason(content, ids):
    for caption, error in read_captions(content, ids).values():
        assert (caption is None) == bool(error)
    assert set(read_captions(content, ids)) == set(ids)
