"""Run to open: what remains is done job by job, and it stops where somebody is needed."""

import os
from typing import Any

import pytest
from django.test import Client
from redis import Redis

from annotation.models import Batch
from config.celery import app
from desk.models import RunToOpen
from desk.running.run import ask_to_run, go_on
from foundation.infra.job_control import stop_job
from foundation.infra.job_log import lines_of
from foundation.models import Collection
from queries.models import Attempt, Caption, Draw, Query, QueryDraw
from tests.api.callers import read
from tests.conftest import build_world
from tests.queries.pooling.test_fetching_in_the_browser import captioned, lead_of
from tests.workers import queued_tasks

pytestmark = pytest.mark.django_db(transaction=True)

ADDRESS = "/c/friends/run"


@pytest.fixture
def collection() -> Collection:
    """Captions, two of them in review, and no query yet."""
    with Redis.from_url(os.environ["REDIS_URL"]) as broker:
        broker.delete("celery", "unacked", "unacked_index")
    collection = captioned()
    Query.objects.all().delete()
    Draw.objects.all().delete()
    return collection


def work() -> RunToOpen:
    """Do what waits in the queue, as a worker would, until the run has ended."""
    app.loader.import_default_modules()
    run = RunToOpen.objects.latest("pk")
    for _ in range(40):
        go_on(run.pk)
        with Redis.from_url(os.environ["REDIS_URL"]) as broker:
            waiting = queued_tasks()
            broker.delete("celery")
        for task, arguments in waiting:
            if task != RunToOpen.TASK:
                app.tasks[task](*arguments)
        run.refresh_from_db()
        if run.finished:
            return run
    raise AssertionError(f"it goes on and on: {run.step}")


def passing() -> None:
    Attempt.objects.update(similarity=0.95, kept_passed=True, persons_passed=True)


def test_it_accepts_what_passes_draws_fetches_and_opens(collection: Collection) -> None:
    _, ada = lead_of(collection)
    passing()
    assert ada.post(ADDRESS, {"rewriter": "rules", "val": "1", "test": "2", "seed": "7"}).status_code == 302
    assert "Running to open." in ada.get("/c/friends/").content.decode()
    run = work()
    assert (run.state, run.said) == ("done", "Everything is prepared, and judging is open.")
    assert (QueryDraw.objects.get().seed, Batch.objects.count()) == (7, 3)
    assert not Caption.objects.filter(status="review").exists()
    log = " ".join(line.text for line in lines_of(run))
    for part in (
        "Accepted 2 captions that pass every check",
        "Queries: begun",
        "Candidates: begun",
        "Open judging",
    ):
        assert part in log
    steps = read(ada, "collections/friends/overview")["steps"]
    assert {step["state"] for step in steps if step["stage"] == "Prepare"} == {"done"}
    assert "Do all of this for me</button>" not in ada.get("/c/friends/").content.decode()


def test_it_stops_at_what_a_person_decides_and_goes_on_from_there(collection: Collection) -> None:
    lead, ada = lead_of(collection)
    ada.post(ADDRESS, {"rewriter": "rules"})
    run = work()
    assert (run.state, run.problem) == ("refused", "Captions: 2 captions to review.")
    page = ada.get("/c/friends/").content.decode()
    assert "The run stopped: Captions: 2 captions to review." in page and "Continue from here" in page
    assert not Query.objects.exists()
    Caption.objects.filter(status="review").update(status="accepted")
    ask_to_run(member=lead, rewriter="rules", val=0, test=100_000)
    run = work()
    assert run.state == "refused" and run.problem.startswith("Queries: draw of queries ended early")
    ada.post(ADDRESS, {"rewriter": "rules", "val": "0", "test": "2"})
    assert work().state == "done"
    assert (RunToOpen.objects.count(), Batch.objects.count()) == (3, 2)


def test_it_is_stopped_and_resumed(collection: Collection) -> None:
    lead, ada = lead_of(collection)
    passing()
    run = ask_to_run(member=lead, rewriter="rules", test=2, val=0)
    assert ask_to_run(member=lead, rewriter="llm").pk == run.pk, "one at a time"
    go_on(run.pk)
    stop_job(run)
    go_on(run.pk)
    run.refresh_from_db()
    assert (run.state, Query.objects.count()) == ("stopped", 0)
    assert "Continue from here" in ada.get("/c/friends/").content.decode()
    ada.post(f"/c/friends/jobs/run-to-open/{run.pk}/resume")
    assert (work().pk, Batch.objects.count()) == (run.pk, 2)


def test_an_empty_collection_is_told_what_comes_first(client_of: Any) -> None:
    world = build_world()
    empty = Collection.objects.create(name="empty", title="Empty", has_clips=False)
    member = empty.memberships.create(account=world["ada"].account, role="owner", worker="w01")
    ask_to_run(member=member, rewriter="rules")
    assert work().problem == "Descriptions: import descriptions."


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"rewriter": "rules", "test": "many"}, 'id="run-test-wrong">Found “many”, expected a whole number from 0'),
        ({"rewriter": "rules", "val": "-1"}, 'id="run-val-wrong">'),
        ({"rewriter": "magic"}, 'id="run-rewriter-wrong">'),
        ({"rewriter": "rules", "val": "2", "test": "400"}, "Found 402 queries in all, expected at most"),
        ({"rewriter": "rules", "test": "400"}, "Found 400 queries in all, expected at most"),
        ({"rewriter": "rules", "val": "400"}, 'id="run-val-wrong">'),
        ({"rewriter": "rules", "val": "0", "test": "0"}, "expected at least 1"),
    ],
)
def test_what_makes_no_sense_begins_nothing(collection: Collection, sent: dict[str, str], said: str) -> None:
    ada: Client = lead_of(collection)[1]
    answer = ada.post(ADDRESS, sent)
    page = answer.content.decode()
    assert answer.status_code == 400 and "Nothing was started." in page and said in page
    assert "data-live data-page" not in page, "a look of the page would take the form away"
    assert not RunToOpen.objects.exists()


def test_an_llm_that_is_not_set_up_is_said_before_the_job_begins(collection: Collection) -> None:
    Caption.objects.all().delete()
    answer = lead_of(collection)[1].post(ADDRESS, {"rewriter": "llm"})
    assert answer.status_code == 400 and "No LLM is set up" in answer.content.decode()


def test_a_number_that_turned_out_wrong_is_changed_where_the_run_stopped(collection: Collection) -> None:
    lead, ada = lead_of(collection)
    passing()
    ask_to_run(member=lead, rewriter="rules", val=2, test=400)
    assert work().state == "refused"
    page = ada.get("/c/friends/").content.decode()
    assert 'value="400"' in page and "Continue from here" in page
    assert ada.post(ADDRESS, {"rewriter": "rules", "val": "1", "test": "2", "seed": "1"}).status_code == 302
    assert work().state == "done"
    assert Query.objects.filter(split="test").count() == 2


def test_one_number_alone_leaves_the_other_what_there_is(collection: Collection) -> None:
    lead, _ = lead_of(collection)
    passing()
    captions = Caption.objects.count()
    ask_to_run(member=lead, rewriter="rules", test=captions)
    assert work().state in ("done", "refused")
    assert QueryDraw.objects.latest("pk").val == 0


def test_descriptions_are_used_as_they_are_where_nobody_is_to_be_replaced(collection: Collection) -> None:
    _, ada = lead_of(collection)
    Caption.objects.all().delete()
    Attempt.objects.all().delete()
    for description in collection.descriptions.all():
        description.text = description.text.replace("Rachel", "A woman")
        description.save(update_fields=["text"])
    assert 'value="as-they-are"' in ada.get("/c/friends/").content.decode()
    assert ada.post(ADDRESS, {"rewriter": "as-they-are", "val": "1", "test": "2"}).status_code == 302
    assert work().state == "done"
    captions = set(Caption.objects.values_list("attempt__rewriter", "status"))
    assert captions == {("as they are", "accepted")}
    assert set(Query.objects.values_list("text", flat=True)) <= set(
        collection.descriptions.values_list("text", flat=True)
    )
