"""Servers and networks that do what no server should: nothing of it becomes a grade, and no key gets into a message."""

import math
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage

from annotation.models import MachineReply
from corpus.models import Clip
from tests.annotation.machine_judges.server.conftest import declare, judged, word
from tests.conftest import World
from tests.queries.chat_server import Reply, completion, graded, refusal

ALL = 8
"""Pairs."""
KEY = "sk-a-very-secret-key-0123456789"


def once(fault: Reply) -> Any:
    return lambda request, number: fault if number == 1 else completion("2")


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Reply(body={"choices": []}, half=True), id="broken off in the body"),
        pytest.param(Reply(body=b"<!doctype html><title>Gateway</title>"), id="HTML with status 200"),
        pytest.param(
            Reply(body=b"<!doctype html><title>Gateway</title>", headers={"Content-Type": "text/html"}),
            id="HTML as HTML",
        ),
        pytest.param(Reply(body=b"null"), id="null"),
        pytest.param(Reply(body=b"[]"), id="a list"),
        pytest.param(Reply(body=b'"3"'), id="a string"),
        pytest.param(Reply(body={"choices": [None]}), id="a choice that is null"),
        pytest.param(Reply(body={"choices": ["3"]}), id="a choice that is a text"),
        pytest.param(Reply(body={"choices": {"0": {"message": {"content": "3"}}}}), id="choices by name"),
        pytest.param(Reply(502, b"<html>Bad gateway</html>"), id="502"),
    ],
)
def test_what_is_no_answer_is_tried_again(filmed: World, asked: Any, fault: Reply) -> None:
    with asked(once(fault)) as server:
        judge = declare(filmed)
        job = judged(judge)
    assert job.state == "done" and {row[1] for row in word(judge)} == {2}, job.problem
    assert len(server.requests) == ALL + 1 and MachineReply.objects.count() == ALL


@pytest.mark.parametrize("content", [["3"], {"text": "3"}, 3, None])
def test_an_answer_whose_content_is_no_text_has_no_grade(filmed: World, asked: Any, content: Any) -> None:
    def behave(*_: Any) -> Reply:
        reply = completion("3")
        reply.body["usage"] = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        reply.body["choices"][0]["message"]["content"] = content
        return reply

    with asked(behave):
        judge = declare(filmed)
        job = judged(judge)
    assert job.state == "done" and {row[1] for row in word(judge)} == {None}, job.problem


def test_an_answer_of_ten_megabytes_has_no_grade_and_breaks_nothing(filmed: World, asked: Any) -> None:
    with asked(once(completion("word " * 2_000_000))):
        judge = declare(filmed)
        job = judged(judge)
    assert job.state == "done" and sorted(str(row[1]) for row in word(judge)) == ["2"] * 7 + ["None"], job.problem


@pytest.mark.parametrize(
    ("answer", "likely", "mean"),
    [
        pytest.param(" 3", {" 3": 0.6, "3": 0.2, " 2": 0.2}, 2.8, id="with a space"),
        pytest.param("3.", {"3": 0.8, "2": 0.2}, 2.8, id="with a stop"),
        pytest.param("３", {"３": 0.8, "２": 0.2}, 2.8, id="full width"),
        pytest.param("3", {"3": 0.5, "35": 0.2, "x": 0.2, "9": 0.1}, 3.0, id="other numbers"),
    ],
)
def test_odd_tokens_are_the_grades_they_show(
    filmed: World, asked: Any, answer: str, likely: dict[str, float], mean: float
) -> None:
    def behave(*_: Any) -> Reply:
        reply = graded(answer, likely)
        if answer == "3.":  # two tokens
            own = reply.body["choices"][0]["logprobs"]["content"]
            own[0] |= {"token": "3", "logprob": math.log(0.8)}
            own.append({"token": ".", "logprob": -0.1, "top_logprobs": []})
        return reply

    with asked(behave):
        judge = declare(filmed)
        judged(judge)
    ((grade, told),) = {(row[1], tuple(row[2] or ())) for row in word(judge)}
    assert grade == 3 and sum(place * share for place, share in enumerate(told)) == pytest.approx(mean)


def test_a_redirect_is_not_followed_and_no_key_goes_there(filmed: World, asked: Any) -> None:
    with asked(lambda *_: completion("4")) as elsewhere:
        away = Reply(307, {"error": "moved"}, {"Location": f"{elsewhere.url}/chat/completions"})
        with asked(lambda *_: away, OPENAI_API_KEY=KEY):
            judge = declare(filmed)
            job = judged(judge)
    assert job.state == "refused" and "redirects aren't followed" in job.problem
    assert not elsewhere.requests and not judge.judgments.exists()


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500])
def test_a_key_that_the_server_repeats_is_in_no_message(filmed: World, asked: Any, status: int) -> None:
    with asked(lambda *_: refusal(status, f"Incorrect API key provided: {KEY}"), OPENAI_API_KEY=KEY, REWRITER_TRIES=1):
        judge = declare(filmed)
        job = judged(judge)
    assert job.problem and KEY not in job.problem + job.said + str(job.found)


def test_a_model_that_changes_its_name_is_kept_with_each_answer(filmed: World, asked: Any) -> None:
    def behave(_: Any, number: int) -> Reply:
        reply = completion("2")
        reply.body["model"] = f"m-{number}" * 60
        return reply

    with asked(behave):
        judge = declare(filmed)
        assert judged(judge).state == "done"
    served = MachineReply.objects.values_list("served_model", flat=True)
    assert len(set(served)) == ALL and max(map(len, served)) <= 200


def test_a_clip_deleted_while_the_judge_is_asked_is_an_abstention(filmed: World, asked: Any) -> None:
    gone = [Path(default_storage.path(clip.video_file)) for clip in Clip.objects.order_by("-pk")[:2]]

    def behave(_: Any, number: int) -> Reply:
        if number == 1:
            for path in gone:
                path.unlink()
        return completion("2")

    with asked(behave, REWRITER_CONCURRENCY=1):
        judge = declare(filmed)
        job = judged(judge)
    assert job.state == "done" and job.found["abstained"] == {"no clip": 4}, job.problem
