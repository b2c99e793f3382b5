"""The LLM pipeline over real HTTP, with the real checks: stored, exactly once, resumed, limited, told."""

import io
import json
import re
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from corpus.models import Description
from foundation.collections.members import set_cast
from foundation.models import CaptionReviewPolicy, Collection
from foundation.refused import Busy
from queries.models import Answer, Attempt, Caption, Exchange, RewriteJob
from queries.rewriting.cost_estimates import estimate, job_with_figures, jobs_with_figures
from queries.rewriting.costs import Prices, prices_from
from queries.rewriting.jobs import only_runner
from queries.rewriting.make_captions import rewrite_descriptions, rewrite_once
from queries.rewriting.run_job import collection_rewriter
from tests.queries.chat_server import Reply, captions, completion, refusal, texts, well
from tests.queries.conftest import Begin, doors, make_collection

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is asked whether there are workers: there are none in these tests."""
    monkeypatch.setattr("queries.management.commands.rewrite.workers_answer", lambda: False)


def rewrite(collection: Collection, **options: Any) -> str:
    """The command, and what it says."""
    out = io.StringIO()
    call_command("rewrite", collection.name, stdout=out, **options)
    return out.getvalue()


def said(server: Any) -> list[list[str]]:
    return [texts(request) for request in server.requests]


def test_every_description_is_captioned_and_every_attempt_tells_what_made_it(llm: Begin) -> None:
    collection = make_collection(doors(45))
    with llm(well) as server:
        output = rewrite(collection)
    assert "45 captions accepted" in output
    # Requests in flight together reach the server in any order.
    assert sorted(len(asked) for asked in said(server)) == [5, 20, 20]
    attempt = Attempt.objects.select_related("answer__exchange__job").order_by("pk")[44]
    assert attempt.text == doors(45)[44].replace("Rachel", "A woman")
    assert (attempt.rewriter, attempt.model, attempt.prompt_version) == ("openai", "m", "imprecise-v2")
    assert (attempt.temperature, attempt.seed) == (0.0, server.requests[0]["seed"])
    exchange = attempt.answer.exchange
    assert (exchange.served_model, exchange.fingerprint) == ("m-2026", "fp-7")
    assert exchange.request_id.startswith("req-")
    assert exchange.tokens_in > 100 and exchange.tokens_out > 20 and not exchange.tokens_estimated
    assert exchange.cost == (exchange.tokens_in * Decimal("0.15") + exchange.tokens_out * Decimal("0.6")) / 1_000_000
    assert exchange.job.state == "done" and "generic noun" in exchange.job.instructions


def test_equal_descriptions_share_one_answer_over_the_whole_job(llm: Begin) -> None:
    collection = make_collection(doors(30) * 3)
    with llm(well) as server:
        rewrite(collection)
        assert set(server.answered.values()) == {1} and len(server.answered) == 30
    assert Caption.objects.filter(status="accepted").count() == 90
    assert Answer.objects.count() == 30


def test_again_it_asks_nothing(llm: Begin) -> None:
    collection = make_collection(doors(3))
    with llm(well) as server:
        rewrite(collection)
        before = list(Attempt.objects.order_by("pk").values())
        rewrite(collection)
        assert len(server.requests) == 1
    assert list(Attempt.objects.order_by("pk").values()) == before


def test_what_was_answered_but_not_checked_is_never_asked_again(llm: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    collection = make_collection(doors(60))

    def die(*_: object, **__: object) -> int:
        raise KeyboardInterrupt

    with llm(well) as server:
        with monkeypatch.context() as patched:
            patched.setattr("queries.rewriting.run_job.check_answers", die)
            with pytest.raises(CommandError, match="Interrupted"):
                rewrite(collection)
        stored = set(Answer.objects.values_list("text", flat=True))
        assert stored and not Attempt.objects.exists()
        rewrite(collection)
        assert all(server.answered[text] == 1 for text in stored)
    assert Caption.objects.count() == 60
    assert [job.state for job in RewriteJob.objects.order_by("pk")] == ["stopped", "done"]


def test_what_fails_a_check_is_asked_again_at_another_temperature_and_seed(llm: Begin) -> None:
    collection = make_collection(doors(25))

    def behave(request: dict[str, Any], _: int) -> Reply:
        if request["temperature"] > 0:
            return well(request)
        rows = captions(request)
        for row in rows:
            if "number 7 " in row["caption"]:
                row["caption"] = row["caption"].replace("A woman", "Rachel")
        return completion(json.dumps({"captions": rows}))

    with llm(behave) as server:
        rewrite(collection)
    again = [request for request in server.requests if request["temperature"] == 0.2]
    assert [texts(request) for request in again] == [[doors(25)[7]]]
    assert again[0]["seed"] != server.requests[0]["seed"]
    caption = Caption.objects.get(description__text=doors(25)[7])
    assert (caption.status, caption.attempt.number) == ("review", 2)
    assert caption.text.startswith("A woman")
    assert Caption.objects.filter(status="accepted").count() == 24


def test_a_description_that_never_gets_a_caption_waits_for_a_person_with_the_reason(llm: Begin) -> None:
    collection = make_collection(doors(21))

    def behave(request: dict[str, Any], _: int) -> Reply:
        if any("number 3 " in text for text in texts(request)):
            return completion(None, refusal="I won't open that door.")
        return well(request)

    with llm(behave):
        output = rewrite(collection)
    assert "20 captions accepted, 1 waits for review" in output
    attempts = Attempt.objects.filter(description__text=doors(21)[3]).order_by("number")
    assert [(attempt.number, attempt.text) for attempt in attempts] == [(1, ""), (2, "")]
    assert all("I won't open that door" in attempt.error for attempt in attempts)
    assert Answer.objects.filter(settled=False).exists()


def test_the_collections_cast_goes_into_the_prompt(llm: Begin) -> None:
    collection = make_collection(doors(1))
    set_cast(collection=collection, cast="Rachel Green, f\nRoss, m", context="The show is Friends.")
    with llm(well) as server:
        rewrite(collection)
    system, user = (message["content"] for message in server.requests[0]["messages"])
    assert "The show is Friends." in system
    assert json.loads(user)["cast"] == {"Rachel Green": "woman"}


def test_the_service_captions_these_descriptions_alone(llm: Begin) -> None:
    collection = make_collection(doors(5))
    ids = list(collection.descriptions.order_by("pk").values_list("pk", flat=True))
    with llm(well):
        assert rewrite_descriptions(collection=collection, description_ids=ids[:2]) == 2
    assert set(Caption.objects.values_list("description_id", flat=True)) == set(ids[:2])


def test_a_single_attempt_for_a_person_is_stored_and_counted_and_paid_for_once(llm: Begin) -> None:
    collection = make_collection(doors(2))
    first = collection.descriptions.order_by("pk")[0]
    with llm(well) as server:
        for _ in range(2):
            attempt = rewrite_once(collection=collection, description=first, number=3)
            assert (attempt.text, attempt.temperature) == (doors(2)[0].replace("Rachel", "A woman"), 0.2)
        rewrite_once(collection=collection, description=first, number=4)
        assert [request["seed"] for request in server.requests] == [20240703, 20240704]
    job = jobs_with_figures(collection).get()
    assert (job.state, job.requests_sent) == ("done", 2) and job.cost > 0
    assert attempt.answer_id is not None


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        pytest.param(refusal(401, "Incorrect API key"), "refuses the key in OPENAI_API_KEY", id="wrong key"),
        pytest.param(refusal(404, "model_not_found"), "doesn't know the model 'm'", id="unknown model"),
    ],
)
def test_a_wrong_key_or_an_unknown_model_stops_at_once_and_costs_nothing(llm: Begin, reply: Reply, told: str) -> None:
    collection = make_collection(doors(100))
    with llm(lambda *_: reply) as server:
        with pytest.raises(CommandError, match=told):
            rewrite(collection)
        assert len(server.requests) == 1
    job = RewriteJob.objects.get()
    assert job.state == "stopped" and told in job.problem
    assert not Answer.objects.exists() and not Caption.objects.exists()


def test_an_outage_stops_the_job_and_settles_nothing(llm: Begin) -> None:
    collection = make_collection(doors(400))

    def behave(request: dict[str, Any], number: int) -> Reply:
        return well(request) if number <= 3 else refusal(503, "down")

    with llm(behave, REWRITER_TRIES=2) as server:
        with pytest.raises(CommandError, match=r"503: .*down"):
            rewrite(collection)
        answered = set(server.answered)
    assert not Answer.objects.filter(caption="").exists()
    with llm(well) as server:
        rewrite(collection)
        assert not answered & set(server.answered)
    assert Caption.objects.filter(status="accepted").count() == 400


def test_only_one_process_rewrites_a_collection(llm: Begin) -> None:
    from threading import Event, Thread

    from django.db import connection

    collection = make_collection(doors(1))
    held, over = Event(), Event()

    def hold() -> None:
        with only_runner(collection):
            held.set()
            over.wait(30)
        connection.close()

    other = Thread(target=hold)
    other.start()
    try:
        assert held.wait(30)
        with llm(well) as server:
            with pytest.raises(CommandError, match="Another process is rewriting"):
                rewrite(collection)
            assert not server.requests
        with pytest.raises(Busy, match="Another process is rewriting"), only_runner(collection):
            pass
    finally:
        over.set()
        other.join()
    with only_runner(collection):
        pass


def test_a_model_that_answers_without_usage_is_reckoned_by_characters(llm: Begin) -> None:
    collection = make_collection(doors(2))

    def behave(request: dict[str, Any], _: int) -> Reply:
        reply = well(request)
        reply.body["usage"] = None
        return reply

    with llm(behave):
        assert "(1 answer by estimate)" in rewrite(collection)
    exchange = Exchange.objects.get()
    assert exchange.tokens_estimated and exchange.tokens_in == round(exchange.chars_in / 4)


class TestMoney:
    def test_the_estimate_is_what_is_then_sent(self, llm: Begin) -> None:
        collection = make_collection(doors(70) + doors(10))
        other = make_collection([text.replace("door", "window") for text in doors(150)], name="windows")
        with llm(well) as server:
            output = rewrite(collection, estimate=True)
            assert not server.requests and not RewriteJob.objects.exists()
            assert "80 descriptions are left; 70 different texts" in output and "in 4 requests" in output
            first = estimate(collection=collection, rewriter=collection_rewriter(collection), prices=prices_from())
            assert self._sent(first, rewrite, collection, server) == pytest.approx(1.0, abs=0.35)
            second = estimate(collection=other, rewriter=collection_rewriter(other), prices=prices_from())
            assert second.answers == 4
            assert self._sent(second, rewrite, other, server) == pytest.approx(1.0, abs=0.05)
            assert "by what 12 answers" in rewrite(other, estimate=True)

    def _sent(self, expected: Any, run: Any, collection: Collection, server: Any) -> float:
        """Tokens estimated over tokens taken, having held that the requests are exact."""
        before = len(server.requests)
        run(collection)
        assert len(server.requests) - before == expected.requests
        job = job_with_figures(collection.rewrite_jobs.get())
        assert expected.tokens_in / job.tokens_in == pytest.approx(expected.tokens_out / job.tokens_out, abs=0.5)
        assert expected.cost is not None and float(expected.cost / job.cost) == pytest.approx(1.0, abs=0.35)
        return (expected.tokens_in + expected.tokens_out) / (job.tokens_in + job.tokens_out)

    def test_without_prices_the_estimate_says_so_and_a_limit_is_refused(self, llm: Begin) -> None:
        collection = make_collection(doors(3))
        with llm(well, REWRITER_PRICE_IN="", REWRITER_PRICE_OUT="") as server:
            assert "isn't known without REWRITER_PRICE_IN" in rewrite(collection, estimate=True)
            with pytest.raises(CommandError, match="A limit needs prices"):
                rewrite(collection, limit="5")
            assert not server.requests
            assert "isn't known" in rewrite(collection)

    @pytest.mark.parametrize(
        ("settings", "options", "told"),
        [
            ({"REWRITER_PRICE_IN": "cheap"}, {}, "REWRITER_PRICE_IN is 'cheap', expected an amount"),
            ({"REWRITER_PRICE_IN": ""}, {}, "REWRITER_PRICE_IN is not set, though the other price is"),
            ({"REWRITER_BATCH_SHARE": "2"}, {}, "REWRITER_BATCH_SHARE is 2, expected a part"),
            ({"REWRITER_LIMIT": "-1"}, {}, "REWRITER_LIMIT is '-1'"),
            ({}, {"limit": "nan"}, "--limit is 'nan'"),
        ],
    )
    def test_a_bad_amount_is_told(self, llm: Begin, settings: Any, options: Any, told: str) -> None:
        collection = make_collection(doors(3))
        with llm(well, **settings) as server:
            with pytest.raises(CommandError, match=told):
                rewrite(collection, **options)
            assert not server.requests

    def test_the_limit_stops_the_job_cleanly_and_is_not_exceeded(self, llm: Begin) -> None:
        collection = make_collection(doors(400))
        with llm(well, REWRITER_CONCURRENCY=3) as server:
            expected = estimate(collection=collection, rewriter=collection_rewriter(collection), prices=prices_from())
            limit = (expected.cost or Decimal(0)) / 2
            with pytest.raises(CommandError, match=r"The spending limit of .* is reached"):
                rewrite(collection, limit=str(limit))
            job = job_with_figures(RewriteJob.objects.get())
            assert job.state == "stopped" and 0.5 * float(limit) < float(job.cost) <= float(limit)
            assert job.requests_sent == len(server.requests) < expected.requests
            # What was answered within the limit is checked, too, and the next run asks for the rest alone.
            assert Caption.objects.count() == len(server.answered)
            rewrite(collection, limit="1.00")
            assert set(server.answered.values()) == {1} and len(server.answered) == 400

    def test_a_limit_below_one_request_sends_nothing(self, llm: Begin) -> None:
        collection = make_collection(doors(3))
        with llm(well) as server:
            with pytest.raises(CommandError, match=r"0\.0000 spent"):
                rewrite(collection, limit="0")
            assert not server.requests

    def test_each_job_tells_what_it_took(self, llm: Begin) -> None:
        collection = make_collection(doors(30))

        def behave(request: dict[str, Any], number: int) -> Reply:
            return refusal(500, "oops") if number == 1 else well(request)

        with llm(behave):
            output = rewrite(collection)
        job = jobs_with_figures(collection)[0]
        assert (job.requests_sent, job.retries, job.waiting, job.failures) == (2, 1, 0, 0)
        assert job.tokens_in == sum(Exchange.objects.values_list("tokens_in", flat=True))
        assert job.finished_at is not None and not job.problem
        assert re.search(rf"2 requests, 1 retry, {job.tokens_in:,} tokens sent, {job.tokens_out:,} answered", output)
        assert f"cost {job.cost:.4f}" in output

    def test_prices_are_for_a_million_tokens(self) -> None:
        prices = Prices(Decimal("0.15"), Decimal("0.60"))
        assert prices.cost(2_000_000, 1_000_000, batch_api=False) == Decimal("0.90")
        assert prices.cost(2_000_000, 1_000_000, batch_api=True) == Decimal("0.45")
        assert Prices().cost(1, 1, batch_api=False) is None


def test_the_database_holds_one_settled_answer_a_text_and_one_running_job_a_collection(llm: Begin) -> None:
    collection = make_collection(doors(1))
    with llm(well):
        rewrite(collection)
    answer = Answer.objects.get()
    answer.pk = None
    with pytest.raises(IntegrityError, match="one_settled_answer_a_text"), transaction.atomic():
        answer.save()
    make = {"collection": collection, "rewriter": "openai", "model": "m"}
    RewriteJob.objects.create(**make)
    with pytest.raises(IntegrityError, match="one_running_rewrite_job"), transaction.atomic():
        RewriteJob.objects.create(**make)


def test_with_rules_the_flags_of_an_llm_are_refused() -> None:
    collection = make_collection(doors(2))
    for flag in ({"limit": "5"}, {"batch_api": True}, {"leave_batch": True}):
        with pytest.raises(CommandError, match="only for an LLM"):
            rewrite(collection, **flag)
    assert "2 descriptions are left, rewritten by rules at no cost" in rewrite(collection, estimate=True)
    assert not Description.objects.filter(caption__isnull=False).exists()


def test_a_second_attempt_that_passes_is_accepted_where_only_failing_ones_are_seen(llm: Begin) -> None:
    collection = make_collection(doors(2))
    Collection.objects.update(review_policy=CaptionReviewPolicy.FAILING)

    def behave(request: dict[str, Any], _: int) -> Reply:
        return well(request) if request["temperature"] else completion(json.dumps({"captions": []}))

    with llm(behave):
        rewrite(Collection.objects.get(pk=collection.pk))
    assert set(Caption.objects.values_list("status", "attempt__number")) == {("accepted", 2)}
