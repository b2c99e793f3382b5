"""Rewriting from its page: ten tried with an estimate, then the job with its limit; stopped and resumed."""

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from foundation.collections.members import add_member
from foundation.models import Account, Collection
from queries.models import Attempt, Caption, Exchange, RewriteJob, RewritePreview
from queries.rewriting.preview import drawn_descriptions, run_preview
from queries.rewriting.tasks import go_on_rewriting
from tests.queries.chat_server import refusal, well
from tests.queries.conftest import Begin, doors, make_collection

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection() -> Collection:
    collection = make_collection(doors(30), name="paper")
    add_member(collection=collection, account=Account.objects.create(username="ada"), role="lead")
    return collection


@pytest.fixture
def ada(collection: Collection, client: Client) -> Client:
    client.force_login(Account.objects.get(username="ada"))
    return client


def post(client: Client, name: str, **fields: Any) -> Any:
    return client.post(reverse(name, args=["paper"]), fields, follow=True)


def preview(client: Client, rewriter: str, seed: int = 1) -> RewritePreview:
    post(client, "rewriting-preview", rewriter=rewriter, seed=seed)
    latest = RewritePreview.objects.latest("pk")
    run_preview(latest.pk)
    latest.refresh_from_db()
    return latest


def shown(client: Client) -> str:
    return client.get(reverse("rewriting", args=["paper"])).content.decode()


def test_ten_are_tried_by_rules_and_nothing_is_kept(ada: Client, collection: Collection) -> None:
    trial = preview(ada, "rules")
    assert len(trial.found["rows"]) == 10 and all(row["passed"] for row in trial.found["rows"])
    assert trial.found["estimate"]["descriptions"] == 30 and trial.found["estimate"]["seconds"] > 0
    assert not Attempt.objects.exists() and not Caption.objects.exists()
    text = shown(ada)
    assert "10 of 10 pass every check." in text and trial.found["rows"][0]["caption"] in text
    assert "Rewrite all by rules" in text


def test_the_same_seed_draws_the_same_ten_and_another_others(collection: Collection) -> None:
    first, again, other = (drawn_descriptions(collection, seed) for seed in (1, 1, 2))
    assert first == again != other and len(first) == 10


@pytest.mark.django_db(transaction=True)
def test_what_the_preview_paid_for_the_job_does_not_pay_again(ada: Client, collection: Collection, llm: Begin) -> None:
    with llm(well) as server:
        trial = preview(ada, "llm")
        assert len(server.requests) == 1
        estimate = trial.found["estimate"]
        assert (estimate["descriptions"], estimate["texts"], estimate["requests"]) == (30, 20, 1)
        assert Decimal(estimate["cost"]) > 0 and estimate["seconds"] > 0 and estimate["model"] == "m"
        text = shown(ada)
        assert "estimated cost" in text and estimate["cost"] in text
        # Looked at again: nothing is asked.
        assert preview(ada, "llm").found["estimate"]["seconds"] is None and len(server.requests) == 1
        post(ada, "rewriting-start", rewriter="llm", limit="1,50")
        job = RewriteJob.objects.get(state="running")
        assert (job.limit, job.member.account.username) == (Decimal("1.50"), "ada")
        go_on_rewriting(job.pk)
        assert set(server.answered.values()) == {1}
    assert Caption.objects.count() == 30


@pytest.mark.django_db(transaction=True)
def test_a_limit_stops_it_and_a_higher_one_goes_on(ada: Client, collection: Collection, llm: Begin) -> None:
    with llm(well) as server:
        post(ada, "rewriting-start", rewriter="llm", limit="0.00001")
        job = RewriteJob.objects.get()
        go_on_rewriting(job.pk)
        job.refresh_from_db()
        assert job.state == "stopped" and "The spending limit of 0.00001 is reached" in job.problem
        assert server.requests == []
        post(ada, "rewriting-start", rewriter="llm", limit="5")
        go_on_rewriting(RewriteJob.objects.get(state="running").pk)
    assert Caption.objects.count() == 30


def test_a_stopped_job_is_resumed_from_what_is_stored(ada: Client, collection: Collection, llm: Begin) -> None:
    post(ada, "rewriting-start", rewriter="rules")
    job = RewriteJob.objects.get()
    assert 'name="rewriter"' not in shown(ada)  # one at a time
    ada.post(reverse("job-stop", args=["paper", "rewriting", job.pk]))
    go_on_rewriting(job.pk)
    assert not Caption.objects.exists()
    ada.post(reverse("job-resume", args=["paper", "rewriting", job.pk]))
    go_on_rewriting(job.pk)
    job.refresh_from_db()
    assert (job.state, Caption.objects.count()) == ("done", 30) and not Exchange.objects.exists()


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        (
            {"rewriter": "llm", "limit": "much"},
            "Found “much”, expected an amount from 0 to 100,000",
        ),
        ({"rewriter": "magic"}, "Choose rules or the LLM."),
    ],
)
def test_what_cannot_start_is_said(ada: Client, llm: Begin, fields: dict[str, str], told: str) -> None:
    with llm(well):
        answer = post(ada, "rewriting-start", **fields)
    assert told in answer.content.decode() and not RewriteJob.objects.exists()


def test_a_limit_without_prices_points_to_the_settings(ada: Client, llm: Begin) -> None:
    with llm(well, REWRITER_PRICE_IN="", REWRITER_PRICE_OUT=""):
        answer = post(ada, "rewriting-start", rewriter="llm", limit="5")
    assert answer.status_code == 400
    assert "A limit needs the prices of the model. Set them under LLM settings." in answer.content.decode()


def test_an_llm_that_refuses_ends_the_preview_with_its_reason(ada: Client, llm: Begin) -> None:
    with llm(lambda request, number: refusal(401, "who are you")):
        trial = preview(ada, "llm")
    assert trial.state == "refused" and "refuses the key in OPENAI_API_KEY" in trial.problem
    assert "refuses the key" in shown(ada)


def test_without_an_llm_there_is_none_to_choose(ada: Client, collection: Collection) -> None:
    assert "An LLM (none is set)" in shown(ada)
    made = preview(ada, "llm")
    assert "OPENAI_API_KEY is not set" in made.problem
    post(ada, "rewriting-start", rewriter="llm")
    assert not RewriteJob.objects.exists()
