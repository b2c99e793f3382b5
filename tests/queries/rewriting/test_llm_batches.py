"""Rewriting by the Batch endpoints over real HTTP: packed, sent, looked after, collected, whatever fails."""

import io
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from config.celery import app
from foundation.models import Collection
from queries.models import Answer, Caption, Exchange, Parcel, RewriteJob
from queries.rewriting.batch_requests import Parcels
from queries.rewriting.cost_estimates import estimate, job_with_figures
from queries.rewriting.costs import prices_from
from queries.rewriting.run_job import collection_rewriter
from queries.rewriting.tasks import go_on_rewriting
from tests.queries.chat_server import ChatServer, Reply, completion, refusal, texts, well
from tests.queries.conftest import Begin, doors, make_collection

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("queries.management.commands.rewrite.workers_answer", lambda: False)


def rewrite(collection: Collection, **options: Any) -> str:
    out = io.StringIO()
    call_command("rewrite", collection.name, batch_api=True, stdout=out, **options)
    return out.getvalue()


def begun(server: ChatServer) -> int:
    return len(server.batches)


def test_everything_goes_in_one_batch_at_half_the_price(llm: Begin) -> None:
    collection = make_collection(doors(45) * 2)
    with llm(well) as server:
        expected = estimate(
            collection=collection, rewriter=collection_rewriter(collection), prices=prices_from(), batch_api=True
        )
        output = rewrite(collection)
        assert begun(server) == 1
        assert server.calls.count("POST /files") == server.calls.count("POST /batches") == 1
        assert len(server.requests) == expected.requests == 3
        assert server.requests[0]["response_format"]["type"] == "json_schema"
    assert "90 captions accepted" in output
    job = job_with_figures(RewriteJob.objects.get())
    full = (job.tokens_in * Decimal("0.15") + job.tokens_out * Decimal("0.60")) / 1_000_000
    assert float(job.cost) == pytest.approx(float(full / 2), rel=1e-4)
    assert (job.state, job.waiting) == ("done", 0)
    assert Answer.objects.filter(settled=True).count() == 45


def test_what_fails_in_a_batch_goes_alone_in_the_next(llm: Begin) -> None:
    collection = make_collection(doors(40))

    def behave(request: dict[str, Any], _: int) -> Reply:
        if any("number 3 " in text for text in texts(request)):
            return refusal(400, "content_filter: not this one")
        return well(request)

    with llm(behave) as server:
        output = rewrite(collection)
        assert "39 captions accepted, 1 waits for review" in output
        # 20, then 5, then alone; and as many times for the second attempt, which begins alone.
        assert [len(texts(request)) for request in server.requests] == [20, 20, 5, 5, 5, 5, 1, 1, 1, 1, 1, 1]
    assert all("not this one" in answer.error for answer in Answer.objects.filter(caption=""))


def test_an_expired_batch_keeps_what_it_answered_and_the_rest_goes_again(llm: Begin) -> None:
    collection = make_collection(doors(80))
    with llm(well, ends=["expired"]) as server:
        output = rewrite(collection)
        assert begun(server) == 2
        assert set(server.answered.values()) == {1} and len(server.answered) == 80
    assert "80 captions accepted" in output
    assert Exchange.objects.filter(problem__contains="ended without an answer").count() == 2


def test_a_failed_batch_stops_with_what_the_server_says_and_the_next_run_sends_it_again(llm: Begin) -> None:
    collection = make_collection(doors(3))
    with llm(well, ends=["failed"]) as server:
        with pytest.raises(CommandError, match=r"is failed without one answer: line 1 can't be read"):
            rewrite(collection)
        assert not Answer.objects.exists()
        assert "3 captions accepted" in rewrite(collection)
        assert begun(server) == 2


def test_a_server_that_knows_no_batches_is_told(llm: Begin) -> None:
    collection = make_collection(doors(3))
    with llm(well) as server:
        server.call_faults["POST /files"] = [refusal(404, "Not Found")]
        with pytest.raises(CommandError, match="refuses the request"):
            rewrite(collection)
        assert "3 captions accepted" in rewrite(collection)


def test_structured_output_refused_within_a_batch_is_left_out_in_the_next(llm: Begin) -> None:
    collection = make_collection(doors(3))

    def behave(request: dict[str, Any], _: int) -> Reply:
        kind = request.get("response_format", {}).get("type")
        return refusal(400, f"response_format {kind} is not supported") if kind == "json_schema" else well(request)

    with llm(behave) as server:
        assert "3 captions accepted" in rewrite(collection)
        assert [request["response_format"]["type"] for request in server.requests] == ["json_schema", "json_object"]


@pytest.mark.parametrize(
    "call", ["POST /files", "POST /batches", "GET /batches/…", "GET /files/…"], ids=lambda call: call
)
@pytest.mark.parametrize(
    "fault",
    [pytest.param(refusal(503, "later"), id="503"), pytest.param(Reply(cut=True), id="answer lost")],
)
def test_a_call_that_fails_is_made_again_and_no_batch_begins_twice(llm: Begin, call: str, fault: Reply) -> None:
    collection = make_collection(doors(3))
    with llm(well) as server:
        server.call_faults[call] = [fault]
        assert "3 captions accepted" in rewrite(collection)
        assert begun(server) == 1


STEPS = ["after packing", "before the batch is begun", "after it, its id not stored", "while waiting", "half collected"]


@pytest.mark.parametrize("step", STEPS)
def test_whenever_it_dies_it_goes_on_and_pays_nothing_twice(
    llm: Begin, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = make_collection(doors(60))

    class Died(BaseException):
        """The process ends here: nothing more is stored."""

    def die(*_: object, **__: object) -> None:
        raise Died

    landed = Parcels._land
    count = 0

    def land_twice(self: Parcels, *args: Any) -> None:
        nonlocal count
        count += 1
        if count > 2:
            raise Died
        landed(self, *args)

    with llm(well) as server:
        with monkeypatch.context() as patched:
            if step == STEPS[0]:
                patched.setattr(Parcels, "_send", die)
            elif step == STEPS[1]:
                patched.setattr("queries.rewriting.rewriters.batch_api.BatchApi.begin", die)
            elif step == STEPS[2]:
                begin = "queries.rewriting.rewriters.batch_api.BatchApi.begin"
                from queries.rewriting.rewriters.batch_api import BatchApi

                real = BatchApi.begin

                def begin_and_die(self: BatchApi, *args: Any, **kwargs: Any) -> str:
                    real(self, *args, **kwargs)
                    raise Died

                patched.setattr(begin, begin_and_die)
            elif step == STEPS[3]:
                patched.setattr("queries.rewriting.rewriters.batch_api.BatchApi.look", die)
            else:
                patched.setattr(Parcels, "_land", land_twice)
            with pytest.raises(Died):
                rewrite(collection)
        assert RewriteJob.objects.get().state == "running"
        assert "60 captions accepted" in rewrite(collection)
        assert begun(server) == 1
        assert set(server.answered.values()) == {1} and len(server.answered) == 60
    job = RewriteJob.objects.get()
    assert job.state == "done"
    assert Parcel.objects.get().collected_at is not None


def test_while_a_batch_is_out_nothing_else_asks_for_the_same(llm: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    collection = make_collection(doors(3))

    def leave(*_: object) -> None:
        raise KeyboardInterrupt

    with llm(well) as server:
        with monkeypatch.context() as patched:
            patched.setattr("queries.rewriting.rewriters.batch_api.BatchApi.look", leave)
            with pytest.raises(CommandError, match="Interrupted"):
                rewrite(collection)
        with pytest.raises(CommandError, match="A batch of an earlier run is still out"):
            call_command("rewrite", collection.name)
        assert not server.requests
        out = io.StringIO()
        call_command("rewrite", collection.name, leave_batch=True, stdout=out)
        assert "1 batch abandoned" in out.getvalue() and "3 captions accepted" in out.getvalue()
    assert [job.state for job in RewriteJob.objects.order_by("pk")] == ["stopped", "done"]


def test_the_limit_cuts_the_batch_to_what_it_allows(llm: Begin) -> None:
    collection = make_collection(doors(200))
    with llm(well) as server:
        expected = estimate(
            collection=collection, rewriter=collection_rewriter(collection), prices=prices_from(), batch_api=True
        )
        limit = (expected.cost or Decimal(0)) / 2
        with pytest.raises(CommandError, match="The spending limit"):
            rewrite(collection, limit=str(limit))
        job = job_with_figures(RewriteJob.objects.get())
        assert 0 < float(job.cost) <= float(limit)
        assert Caption.objects.count() == len(server.answered) < 200


def test_nonsense_in_a_result_file_is_passed_over(llm: Begin) -> None:
    collection = make_collection(doors(40))
    with llm(lambda r, n: completion("\u2028 no JSON") if n == 1 else well(r)) as server:
        look = server._look

        def spoil(batch: dict[str, Any]) -> dict[str, Any]:
            seen = look(batch)
            if name := seen.get("output_file_id"):
                server.files[name] += b'\nno json\n{"custom_id": "x"}\n{"custom_id": "99999999"}\n[]\n'
            return seen

        server._look = spoil  # type: ignore[method-assign]
        assert "40 captions accepted" in rewrite(collection)


def test_a_worker_looks_after_a_batch_and_does_not_wait_for_it(llm: Begin) -> None:
    collection = make_collection(doors(3))
    try:
        with llm(well, REWRITER_POLL=3600) as server:
            rewrite(collection, background=True)
            job = RewriteJob.objects.get()
            looks = 0
            while go_on_rewriting(job.pk) != "done":
                looks += 1
                assert looks <= 3
            assert begun(server) == 1
            assert go_on_rewriting(job.pk) == "done"
    finally:
        app.control.purge()
    assert Caption.objects.filter(status="accepted").count() == 3
