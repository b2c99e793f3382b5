"""Servers that fail, in passing or for good, limits, stops and kills: what was paid is kept, and nothing twice."""

import threading
import time
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.db import connection

from annotation.machine_judges.jobs import judge_by_machine
from annotation.machine_judges.server.judging import begin_judging
from annotation.machine_judges.server.pairs import Scope
from annotation.machine_judges.server.replies import totals
from annotation.models import MachineJudging, MachineReply
from corpus.models import Clip
from foundation.infra.job_control import resume_job
from tests.annotation.machine_judges.server.conftest import build_filmed, declare, judged, word
from tests.conftest import World
from tests.queries.chat_server import Behaviour, Reply, completion, graded, pictures, refusal, texts
from tests.queries.rewriting.test_llm_kill import kill, process, wait_until

ALL = 8
"""Pairs."""


def well(request: dict[str, Any], _: int = 0) -> Reply:
    return graded("2", {"2": 0.8, "1": 0.2})


def first_then(fault: Reply) -> Behaviour:
    """A server that does something wrong once."""
    return lambda request, number: fault if number == 1 else well(request)


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(refusal(500, "not now"), id="error"),
        pytest.param(refusal(429, "slow down", retry_after="0.1"), id="too many"),
        pytest.param(Reply(cut=True), id="cut"),
        pytest.param(Reply(body=b'{"choices": ['), id="malformed"),
        pytest.param(Reply(body={"error": {"message": "overloaded"}}), id="error with status 200"),
    ],
)
def test_a_passing_fault_is_tried_again_and_counted(filmed: World, asked: Any, fault: Reply) -> None:
    with asked(first_then(fault)) as server:
        judge = declare(filmed)
        job = judged(judge)
    assert job.state == "done" and job.found["graded"] == ALL and len(server.requests) == ALL + 1
    assert totals(job.replies.all())["retries"] == 1


def test_a_slow_server_is_waited_for_and_no_longer_than_the_settings_say(filmed: World, asked: Any) -> None:
    def behave(request: dict[str, Any], number: int) -> Reply:
        reply = well(request)
        reply.delay = 20.0 if number == 1 else 0.1
        return reply

    with asked(behave, REWRITER_TIMEOUT=0.5) as server:
        job = judged(declare(filmed))
        assert server.most_at_once > 2
    assert job.state == "done" and job.found["graded"] == ALL


def test_retry_after_holds_for_all_requests(filmed: World, asked: Any) -> None:
    times = []

    def behave(request: dict[str, Any], number: int) -> Reply:
        times.append(time.monotonic())
        return refusal(429, "slow down", retry_after="0.6") if number == 2 else well(request)

    with asked(behave, REWRITER_CONCURRENCY=2):
        judged(declare(filmed))
    assert sum(at - times[1] < 0.6 for at in times[2:]) <= 1


def test_a_server_without_probabilities_is_asked_without_them(filmed: World, asked: Any) -> None:
    def behave(request: dict[str, Any], _: int) -> Reply:
        if request.get("top_logprobs", 0) > 5:
            return refusal(400, "top_logprobs must be at most 5")
        return refusal(500, "logprobs is not supported") if "logprobs" in request else completion("1")

    with asked(behave) as server:
        judge = declare(filmed)
        judged(judge)
    assert len(server.requests) == ALL + 2
    assert {(grade, told) for _, grade, told, _ in word(judge)} == {(1, None)}


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        pytest.param(refusal(401, "Incorrect API key"), "refuses the key in OPENAI_API_KEY", id="wrong key"),
        pytest.param(refusal(404, "no such model"), "doesn't know the model 'm'", id="unknown model"),
        pytest.param(refusal(400, "image_url is not supported by this model"), "image_url is not", id="no pictures"),
        pytest.param(refusal(429, "insufficient_quota"), "insufficient_quota", id="no money"),
        pytest.param(refusal(429, "tomorrow", retry_after="7200"), "asks to wait 7,200 s", id="long wait"),
    ],
)
def test_a_fault_of_the_whole_job_ends_it_with_a_sentence(filmed: World, asked: Any, fault: Reply, told: str) -> None:
    with asked(lambda *_: fault) as server:
        judge = declare(filmed)
        job = judged(judge)
    assert job.state == "refused" and told in job.problem
    assert len(server.requests) == 1 and not judge.judgments.exists()


def test_a_request_that_is_refused_is_a_refusal_that_replays_and_costs_nothing(filmed: World, asked: Any) -> None:
    first = filmed.queries[0].text

    def behave(request: dict[str, Any], _: int) -> Reply:
        return refusal(400, "content_filter: no violence") if texts(request) == [first] else well(request)

    with asked(behave) as server:
        judge, again = declare(filmed), declare(filmed, "again")
        job = judged(judge)
        requests = len(server.requests)
        judged(again)
        assert len(server.requests) == requests
    assert Counter(row[3] for row in word(judge)) == {"refused": 4, "": 4} and word(again) == word(judge)
    assert set(job.replies.filter(reply__has_key="declined").values_list("cost", flat=True)) == {None}


def test_a_refusal_that_isnt_about_the_clip_says_nothing_of_it_and_many_end_the_job(filmed: World, asked: Any) -> None:
    with asked(lambda request, number: well(request) if number == 1 else refusal(400, "your balance is too low")):
        judge = declare(filmed, samples=4, temperature=1.0)
        job = judged(judge)
    assert job.state == "refused" and "your balance is too low" in job.problem and "20 requests" in job.problem
    assert not judge.judgments.exists() and job.replies.count() == 1


def test_an_answer_in_another_language_without_a_grade_is_none(filmed: World, asked: Any) -> None:
    with asked(lambda *_: completion("这个片段里有3个人在跳舞。")):
        judge = declare(filmed)
        judged(judge)
    assert {row[3] for row in word(judge)} == {"nonsense"}


def test_what_a_table_cant_hold_is_kept_without_it(filmed: World, asked: Any) -> None:
    def behave(request: dict[str, Any], _: int) -> Reply:
        reply = graded("2", {"2": 0.9})
        reply.body["choices"][0]["logprobs"]["content"][0]["top_logprobs"].append({"token": "\x00", "logprob": -1e999})
        return reply

    with asked(behave):
        judge = declare(filmed)
        assert judged(judge).state == "done"
    tops = MachineReply.objects.first().reply["choices"][0]["logprobs"]["content"][0]["top_logprobs"]  # type: ignore[union-attr]
    assert tops[-1]["token"] == "" and tops[-1]["logprob"] == -9999


def test_pairs_that_are_never_answered_are_left_to_another_job(filmed: World, asked: Any) -> None:
    first, broken = filmed.queries[0].text, True

    def behave(request: dict[str, Any], _: int) -> Reply:
        return refusal(500, "it broke") if broken and texts(request) == [first] else well(request)

    with asked(behave, REWRITER_TRIES=2, REWRITER_CONCURRENCY=8):
        judge = declare(filmed)
        job = judged(judge)
        assert job.state == "done" and job.found["unanswered"] == 4
        assert "4 pairs not answered" in job.said and "it broke" in job.said
        assert judge.judgments.count() == 4
        broken = False
        assert judged(judge).found["graded"] == 4


def test_a_limit_is_never_passed_and_a_higher_one_goes_on(filmed: World, asked: Any) -> None:
    with asked(well, REWRITER_PRICE_IN="1000", REWRITER_PRICE_OUT="1000") as server:
        judge = declare(filmed)
        one = judged(judge, Scope(some=1), limit="9").replies.get()
        assert one.cost
        limit = one.cost * 5
        job = judged(judge, limit=f"{limit:.4f}")
        spent = totals(job.replies.all())["cost"]
        assert job.state == "refused" and "The spending limit of" in job.problem
        assert 0 < spent <= limit and job.found["graded"] == job.replies.count() < ALL - 1
        assert judged(judge, limit="100").state == "done"
    assert len(server.requests) == ALL and judge.judgments.count() == ALL
    assert Decimal(job.found["cost"]) == round(spent, 4)


def test_settings_that_lead_elsewhere_are_another_judges(filmed: World, asked: Any) -> None:
    with asked(well):
        judge = declare(filmed)
    with asked(well) as server:
        job = judged(judge)
    assert job.state == "refused" and f"The settings lead to {server.url}" in job.problem and not server.requests


def test_a_storage_that_fails_ends_the_job_and_says_nothing_of_clips(filmed: World, asked: Any) -> None:
    for clip in Clip.objects.all():
        path = Path(default_storage.path(clip.video_file))
        path.unlink()
        path.mkdir()  # what is there and can't be read
    with asked(well) as server:
        judge = declare(filmed)
        job = judged(judge)
    assert job.state == "refused" and "can't be read from the storage" in job.problem
    assert not judge.judgments.exists() and not server.requests


def test_without_a_server_a_job_says_so(filmed: World, asked: Any) -> None:
    with asked(well):
        judge = declare(filmed)
    job = judged(judge)
    assert job.state == "refused" and "No LLM server is set" in job.problem


@pytest.fixture
def committed(transactional_db: None, media: Path, tmp_path: Path) -> World:
    return build_filmed(tmp_path)


class Gate:
    """A behaviour that answers so many requests and then lets the others hang until it is opened."""

    def __init__(self, answers: int) -> None:
        self.answers, self.hanging = answers, 0
        self.opened = threading.Event()
        self.paid: Counter[tuple[str, bytes]] = Counter()
        self._lock = threading.Lock()

    def __call__(self, request: dict[str, Any], number: int) -> Reply:
        if number > self.answers and not self.opened.is_set():
            with self._lock:
                self.hanging += 1
            self.opened.wait(60)
        with self._lock:
            self.paid[texts(request)[0], pictures(request)[0]] += 1
        return well(request)


def test_a_stopped_job_keeps_what_is_under_way_and_resumed_it_goes_on(committed: World, asked: Any) -> None:
    def behave(request: dict[str, Any], number: int) -> Reply:
        if number == 3:
            MachineJudging.objects.get().stop()
            connection.close()
        reply = well(request)
        reply.delay = 0.3  # a worker hears of it within half a second
        return reply

    with asked(behave, REWRITER_CONCURRENCY=1) as server:
        judge = declare(committed)
        job = judged(judge)
        assert job.state == "stopped" and 3 <= judge.judgments.count() == job.replies.count() < ALL
        resume_job(job)
        judge_by_machine(job.pk)
        job.refresh_from_db()
    assert (job.state, job.done, job.total) == ("done", ALL, ALL) and len(server.requests) == ALL


def test_a_stop_is_heard_while_the_server_says_nothing(committed: World, asked: Any) -> None:
    gate = Gate(0)
    with asked(gate):
        judge = declare(committed)
        job = begin_judging(judge=judge, member=None, scope=Scope(), typed={})
        thread = threading.Thread(target=_work, args=(job.pk,))
        thread.start()
        wait_until(lambda: gate.hanging == 1)
        job.stop()
        time.sleep(1.5)  # within which a worker hears of it, though no answer comes
        gate.opened.set()
        thread.join(30)
        assert not thread.is_alive()
    job.refresh_from_db()
    assert job.state == "stopped" and judge.judgments.count() == 1 == sum(gate.paid.values())


def test_two_judges_at_once_that_ask_the_same_pay_once(committed: World, asked: Any) -> None:
    gate = Gate(2)
    with asked(gate) as server:
        first, second = declare(committed), declare(committed, "second", least_mass=0.1)
        other = declare(committed, "third", seed=9)
        jobs = [begin_judging(judge=judge, member=None, scope=Scope(), typed={}) for judge in (first, second, other)]
        thread = threading.Thread(target=_work, args=(jobs[0].pk,))
        thread.start()
        wait_until(lambda: gate.hanging > 0)
        judge_by_machine(jobs[1].pk)
        jobs[1].refresh_from_db()
        assert jobs[1].state == "queued" and not second.judgments.exists()
        gate.opened.set()
        thread.join(60)
        judge_by_machine(jobs[1].pk)
        assert len(server.requests) == ALL
        judge_by_machine(jobs[2].pk)
        assert len(server.requests) == 2 * ALL
    assert [row[1:] for row in word(first)] == [row[1:] for row in word(second)] and len(word(other)) == ALL


@pytest.mark.long
def test_a_job_killed_twice_in_the_middle_goes_on_and_pays_nothing_twice(
    committed: World, asked: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(5)
    with asked(gate, REWRITER_CONCURRENCY=2, REWRITER_TIMEOUT=300) as server:
        judge = declare(committed)
        job = begin_judging(judge=judge, member=None, scope=Scope(), typed={})
        line = f"from annotation.machine_judges.jobs import judge_by_machine as judge; judge({job.pk})"
        monkeypatch.setenv("QREELS_VAR", str(tmp_path))
        for hanging in (2, 3):  # killed a second time, it had sent one request: the first goes alone
            with process(["manage.py", "shell", "-c", line], tmp_path / "log") as working:
                wait_until(lambda: _hangs(gate, hanging) or working.poll() is not None)  # noqa: B023
                assert working.poll() is None, "it ended"
                kill(working)
        stored = set(MachineReply.objects.values_list("key", flat=True))
        gate.opened.set()
        judge_by_machine(job.pk)
        job.refresh_from_db()
        assert job.state == "done" and judge.judgments.count() == ALL == MachineReply.objects.count()
        # Two were under way when it was killed, and one the second time: they alone were asked again.
        assert stored < set(MachineReply.objects.values_list("key", flat=True))
        assert len(server.requests) == ALL + 3


def _hangs(gate: Gate, hanging: int) -> bool:
    return gate.hanging == hanging and MachineReply.objects.count() == 5


def _work(job: int) -> None:
    try:
        judge_by_machine(job)
    finally:
        connection.close()
