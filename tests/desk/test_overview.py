"""The lead's overview: who may see it, what it says, and what it costs."""

import re
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation import precomputed
from annotation.judging.flags import raise_flag
from annotation.models import Batch, Computed, Exam, ExamSitting, Judgment, Pair, Question, Repeat, RepeatAnswer
from annotation.precomputed import refresh
from config.celery import app
from corpus.models import Import
from desk import overview_figures
from desk.selectors import overview
from foundation.models import Collection, Membership
from queries.models import Caption, RewriteJob
from tests.annotation.judging_steps import judge, sit
from tests.api.callers import read
from tests.conftest import World, build_world
from tests.workers import Waiting

pytestmark = pytest.mark.django_db


def queries_of(client: Client, url: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(url).status_code == 200
    return len(captured)


def told(world: World, client_of: Any) -> Any:
    return read(client_of(world["ada"].account), "collections/paper/overview")


def test_the_lead_sees_every_stage(world: World, client_of: Any) -> None:
    page = client_of(world["ada"].account).get("/c/paper/")
    assert page.status_code == 200
    for stage in ("Rewriting", "Captions", "Candidates", "Pairs judged", "Batches reviewed"):
        assert stage in page.content.decode()


def test_others_do_not(world: World, client_of: Any, mal: Any) -> None:
    assert client_of(world["bo"].account).get("/c/paper/").status_code == 403
    assert client_of(mal).get("/c/paper/").status_code == 404
    assert Client().get("/c/paper/").status_code == 302


def test_more_pairs_cost_no_more_sql(db: None, client_of: Any) -> None:
    small = build_world()
    large = build_world(name="large", queries=6, candidates=40)
    client = client_of(small["ada"].account)
    client.get("/c/paper/")
    few = queries_of(client, "/c/paper/")
    assert few <= 30
    assert queries_of(client, f"/c/{large.collection.name}/") == few


def test_a_program_gets_it_from_the_api_and_the_page_is_a_page(world: World, client_of: Any) -> None:
    assert {"name", "done", "total", "waiting"} <= told(world, client_of)["steps"][0].keys()
    assert client_of(world["ada"].account).get("/c/paper/?format=json")["Content-Type"].startswith("text/html")
    read(client_of(world["bo"].account), "collections/paper/overview", 403)


def test_a_page_on_which_nothing_was_judged_shows_no_zero(world: World, client_of: Any) -> None:
    page = client_of(world["ada"].account).get("/c/paper/").content.decode()
    assert "USD" not in page and "Paid so far" not in page
    assert not re.search(r">\s*0\s*<|\b0 (judgments|of)\b|\b0\.0", page.split("<main")[1]), "a figure that is nothing"
    assert "nobody has begun" in page and "in round two" not in page


def test_batches_pairs_and_judgments_are_counted_by_state(world: World, client_of: Any) -> None:
    assert told(world, client_of)["batches"]["open"] == 1
    sit(world["bo"], world["cy"])
    first, second, _third = world.batch.pairs.order_by("pk")
    for person, grade in (("bo", 0), ("cy", 4)):
        judge(world[person], first, grade)
    for person in ("bo", "cy"):
        judge(world[person], second, 3)
    facts = told(world, client_of)
    assert facts["batches"] == {"open": 0, "judging": 1, "second": 0, "decided": 0, "finished": 0, "extended": 0}
    assert facts["pairs"] == {"open": 1, "disputed": 1, "consensus": 1, "discarded": 0, "withdrawn": 0}
    assert (facts["judgments"], facts["judged_today"]) == (4, 4)
    assert facts["second_round_share"] == 0.5
    # One pair untouched: two, and half of it twice more; the pair in dispute: two.
    assert facts["forecast"]["left"] == 2 + 1 + 2
    assert sorted(person["worker"] for person in facts["at_work"]) == [world["bo"].worker, world["cy"].worker]
    assert facts["days"][-1] | {"day": ""} == {"day": "", "judgments": 4, "people": 2}


def test_the_pace_is_that_of_the_last_week_and_pay_is_that_of_everything(world: World) -> None:
    Collection.objects.update(pay_per_hour=Decimal(36))
    world.collection.refresh_from_db()
    pair = world.batch.pairs.order_by("pk")[0]
    for person, days in (("bo", 0), ("cy", 20)):
        when = timezone.now() - timedelta(days=days)
        Judgment.objects.create(
            pair=pair, annotator=world[person], grade=3, round=1, key=uuid4(), active_seconds=100, decided_at=when
        )
    Pair.objects.filter(pk=pair.pk).update(status="consensus", grade=3)
    pace = overview(world.collection).pace
    assert pace is not None
    # A hundred seconds are 0.03 h as they are paid: 1.08 a judgment; four are left of two pairs.
    assert (pace.paid, pace.forecast.left, pace.forecast.a_day) == (Decimal("2.16"), 4, 1.0)
    assert (pace.forecast.days, pace.forecast.cost) == (4, Decimal("4.32"))
    assert pace.forecast.total == Decimal("6.48")


def test_work_that_decides_nothing_is_paid_and_is_no_judgment_of_a_day(world: World) -> None:
    Collection.objects.update(pay_per_hour=Decimal(36))
    world.collection.refresh_from_db()
    first, second, _ = world.batch.pairs.order_by("pk")
    given = {"grade": 3, "round": 1, "active_seconds": 100.0}
    kept = Judgment.objects.create(pair=first, annotator=world["bo"], key=uuid4(), **given)
    late = {"counted": False, "uncounted_because": "late"}
    Judgment.objects.create(pair=second, annotator=world["bo"], key=uuid4(), **given, **late)
    again = Repeat.objects.create(pair=first, annotator=world["bo"], first=kept)
    when = timezone.now()
    RepeatAnswer.objects.create(
        repeat=again, annotator=world["bo"], grade=3, key=uuid4(), active_seconds=100, decided_at=when
    )
    pace = overview(world.collection).pace
    assert (pace.today, pace.days[-1].judgments, pace.days[-1].people) == (1, 1, 1)
    # Three hundred seconds are 0.08 h; all of it was paid for the one judgment that counts, and five are left.
    assert (pace.paid, pace.forecast.a_day, pace.forecast.left) == (Decimal("2.88"), 1.0, 5)
    assert pace.forecast.cost == Decimal("14.40")


def test_without_a_rate_no_cost_is_told(world: World, client_of: Any) -> None:
    sit(world["bo"])
    judge(world["bo"], world.batch.pairs.order_by("pk")[0], 3)
    assert (told(world, client_of)["paid"], told(world, client_of)["forecast"]["cost"]) == (None, None)


def test_what_needs_the_lead_comes_most_urgent_first(world: World, client_of: Any) -> None:
    assert told(world, client_of)["needs"] == []
    sit(world["bo"])
    pair = world.batch.pairs.order_by("pk")[0]
    Caption.objects.filter(pk=Caption.objects.order_by("-pk")[0].pk).update(status="review")
    RewriteJob.objects.create(
        collection=world.collection, rewriter="rules", model="", state="stopped", problem="no money left"
    )
    Import.objects.create(collection=world.collection, file_name="a.json", stored_file="x", size=1, state="refused")
    Question.objects.create(pair=pair, annotator=world["bo"], text="What is it?")
    for person in ("bo", "cy"):
        sit(world[person])
        raise_flag(member=world[person], pair_id=pair.public_id, kind="query")
    needs = told(world, client_of)["needs"]
    assert [(need["kind"], need["count"]) for need in needs] == [
        ("rewriting", 1),
        ("import", 1),
        ("flags", 1),
        ("questions", 1),
        ("captions", 1),
    ]
    assert needs[0]["words"] == "Rewriting stopped: no money left"
    Batch.objects.update(status="decided")
    assert [need["kind"] for need in told(world, client_of)["needs"]][2] == "stalled"


def test_an_applicant_who_handed_in_waits_for_the_lead(world: World, client_of: Any) -> None:
    exam = Exam.objects.create(collection=world.collection, number=1, seed=1)
    ExamSitting.objects.create(exam=exam, applicant=world["bo"], handed_in_at=timezone.now())
    Membership.objects.filter(pk=world["bo"].pk).update(status="applicant")
    assert [need["kind"] for need in told(world, client_of)["needs"]] == ["applicants"]


def test_a_collection_with_nothing_in_it_says_so(db: None, client_of: Any, mal: Any) -> None:
    empty = Collection.objects.create(name="paper", title="Empty")
    Membership.objects.create(collection=empty, account=mal, role="owner", worker="w01")
    page = client_of(mal).get("/c/paper/")
    assert "Nothing is open for judging yet" in page.content.decode()
    assert page.context["forecast"].left == 0


class TestInALargeCollection:
    @pytest.fixture
    def asked(self, world: World, monkeypatch: pytest.MonkeyPatch) -> Waiting:
        tasks = Waiting(refresh.name)
        monkeypatch.setitem(
            precomputed._registered,
            overview_figures.NAME,
            precomputed.Computation(overview_figures.count, overview_figures.STALE_AFTER, 0),
        )
        return tasks

    def test_the_first_look_counts_nothing_and_asks_the_task_whose_count_says_the_same_as_in_a_small_one(
        self, world: World, client_of: Any, asked: Waiting, django_capture_on_commit_callbacks: Any
    ) -> None:
        Collection.objects.update(pay_per_hour=Decimal(36))
        sit(world["bo"], world["cy"])
        for person in ("bo", "cy"):
            judge(world[person], world.batch.pairs.order_by("pk")[0], 3)
        with django_capture_on_commit_callbacks(execute=True):
            first = told(world, client_of)
        assert asked == [(world.collection.pk, overview_figures.NAME)]
        assert (first["steps"], first["judgments"], first["forecast"], first["as_of"]) == ([], None, None, None)
        assert first["batches"]["judging"] == 1 and len(first["at_work"]) == 2, "what is of now is told at once"
        page = client_of(world["ada"].account).get("/c/paper/").content.decode()
        assert "are being counted" in page
        assert refresh(*asked[0])
        assert "are being counted" not in client_of(world["ada"].account).get("/c/paper/").content.decode()
        large = told(world, client_of)
        precomputed._registered[overview_figures.NAME] = precomputed.Computation(
            overview_figures.count, overview_figures.STALE_AFTER, 10
        )
        small = told(world, client_of)
        assert large.pop("as_of") < small.pop("as_of")
        assert large == small
        assert large["judgments"] == 2 and large["forecast"]["ends"] is not None

    def test_the_first_look_asks_a_broker_and_reads_no_judgment(
        self, world: World, client_of: Any, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
    ) -> None:
        monkeypatch.setitem(
            precomputed._registered,
            overview_figures.NAME,
            precomputed.Computation(overview_figures.count, overview_figures.STALE_AFTER, 1),
        )
        with app.connection_for_write() as broker:
            broker.default_channel.queue_declare("celery")
            broker.default_channel.queue_purge("celery")
        ada = client_of(world["ada"].account)
        with CaptureQueriesContext(connection) as captured, django_capture_on_commit_callbacks(execute=True):
            ada.get("/c/paper/")
            ada.get("/c/paper/")
        assert not [query["sql"] for query in captured if "annotation_judgment" in query["sql"]]
        with app.connection_for_read() as broker, broker.SimpleQueue("celery") as queue:
            message = queue.get(block=False)
            message.ack()
            assert (message.headers["task"], message.payload[0]) == (
                refresh.name,
                [world.collection.pk, overview_figures.NAME],
            )
            with pytest.raises(queue.Empty):
                queue.get(block=False)

    def test_states_needs_and_people_at_work_are_of_now_and_the_rest_as_of_the_last_count(
        self, world: World, client_of: Any, asked: Waiting
    ) -> None:
        precomputed.refresh_computed(collection=world.collection, name=overview_figures.NAME)
        before = told(world, client_of)
        sit(world["bo"])
        pair = world.batch.pairs.order_by("pk")[0]
        judge(world["bo"], pair, 3)
        raise_flag(member=world["bo"], pair_id=pair.public_id, kind="query")
        now = told(world, client_of)
        assert (now["as_of"], now["judgments"]) == (before["as_of"], 0)
        assert (now["batches"]["open"], now["batches"]["judging"]) == (0, 1)
        assert [person["worker"] for person in now["at_work"]] == [world["bo"].worker]
        assert [need["kind"] for need in now["needs"]] == ["flags"]
        precomputed.refresh_computed(collection=world.collection, name=overview_figures.NAME)
        assert told(world, client_of)["judgments"] == 1

    def test_looks_ask_for_one_count_at_a_time_and_only_where_the_last_is_stale(
        self, world: World, client_of: Any, asked: Waiting, django_capture_on_commit_callbacks: Any
    ) -> None:
        def look(times: int) -> int:
            asked.clear()
            with django_capture_on_commit_callbacks(execute=True):
                for _ in range(times):
                    told(world, client_of)
            return len(asked)

        precomputed.refresh_computed(collection=world.collection, name=overview_figures.NAME)
        assert look(3) == 0
        Computed.objects.update(as_of=timezone.now() - 2 * overview_figures.STALE_AFTER)
        assert look(3) == 1
        assert look(3) == 0, "one is on its way"
        precomputed.refresh_computed(collection=world.collection, name=overview_figures.NAME)
        Computed.objects.update(as_of=timezone.now() - 2 * overview_figures.STALE_AFTER)
        assert look(3) == 1

    def test_a_count_that_failed_is_told(self, world: World, client_of: Any, asked: Waiting) -> None:
        precomputed.refresh_computed(collection=world.collection, name=overview_figures.NAME)
        Computed.objects.update(problem="ZeroDivisionError: division by zero")
        page = client_of(world["ada"].account).get("/c/paper/").content.decode()
        assert "The last count failed (ZeroDivisionError: division by zero" in page
