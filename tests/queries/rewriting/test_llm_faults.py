"""Servers that fail, in passing or for good: what the LLM rewriter tries again, and what stops the job."""

from __future__ import annotations

import email.utils
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest

from queries.rewriting.rewriters.interface import RewriterError
from tests.queries.asking_llm import asking, expected, odd, rewritten, sources
from tests.queries.chat_server import Reply, refusal, serving, well


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
        if number == 3:
            # The one that was on its way stays away for as long as the other needs to read that it is to wait.
            time.sleep(0.3)
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
    assert [*answers[:3], *answers[4:]] == [answer for place, answer in enumerate(expected(40)) if place != 3]


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
