"""A review can be taken back until somebody is at the next batch, and nothing of it is forgotten."""

import csv
import io
import threading
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.db import connections
from django.test import Client

from annotation.models import Batch, FormerReview, Pair, Review, Seat
from annotation.review.decisions import postpone_review, review_batch, take_back_review, version_of
from annotation.review.selectors import DECISION_COLUMNS, review_queue
from foundation.collections.members import add_member
from foundation.models import Account, Membership
from foundation.refused import Refused
from tests.annotation.judging_steps import let_seats_expire, sit
from tests.annotation.reviewed_worlds import decided_world
from tests.api.callers import read
from tests.conftest import World

pytestmark = pytest.mark.django_db


@pytest.fixture
def decided(db: None) -> World:
    return decided_world(3)


@pytest.fixture
def ada(decided: World, client_of: Any) -> Client:
    client: Client = client_of(decided["ada"].account)
    return client


def another_lead(world: World) -> Membership:
    account, _ = Account.objects.get_or_create(username="olga")
    return add_member(collection=world.collection, account=account, role=Membership.Role.LEAD)


def decide(world: World, decision: str = "extend", **more: Any) -> Review:
    return review_batch(member=world["ada"], batch_id=world.batch.pk, decision=decision, **more)


def take_back(world: World, review: Review) -> Batch:
    return take_back_review(member=world["ada"], batch_id=world.batch.pk, review_id=review.pk)


def following(world: World) -> Batch:
    return Batch.objects.get(query=world.queries[0], number=2)


def test_an_extension_is_taken_back_though_its_batch_is_gone(decided: World) -> None:
    review = decide(decided)
    following(decided).pairs.all().delete()
    following(decided).delete()
    take_back(decided, review)
    assert decided.batch.status == "decided" and not Review.objects.exists()


@pytest.mark.parametrize("decision", ["extend", "finish"])
def test_what_was_taken_back_waits_again_and_is_kept_with_its_figures(decided: World, decision: str) -> None:
    review = decide(decided, decision)
    take_back(decided, review)
    assert decided.batch.status == "decided"
    assert list(review_queue(decided.collection)) == [decided.batch]
    assert not Batch.objects.filter(number=2).exists()
    assert Pair.objects.count() == 20
    former = FormerReview.objects.get()
    assert (former.decision, former.decided_by, former.taken_back_by) == (decision, decided["ada"], decided["ada"])
    assert (former.mean, former.threshold, former.grades) == (3.0, 2.5, [3] * 20)
    assert (former.decided_at, former.review) == (review.decided_at, review.pk)


def test_it_can_be_decided_anew_either_way(decided: World) -> None:
    take_back(decided, decide(decided, "finish"))
    take_back(decided, decide(decided, "extend"))
    decide(decided, "extend")
    assert following(decided).pairs.count() == 5
    assert FormerReview.objects.count() == 2


def test_taking_it_back_twice_is_once(decided: World) -> None:
    review = decide(decided)
    take_back(decided, review)
    take_back(decided, review)
    assert FormerReview.objects.count() == 1


def test_a_late_second_click_doesn_t_take_back_what_was_decided_since(decided: World) -> None:
    first = decide(decided)
    take_back(decided, first)
    second = decide(decided, "finish")
    take_back(decided, first)
    assert Review.objects.get() == second
    with pytest.raises(Refused, match="no longer current"):
        take_back_review(member=decided["ada"], batch_id=decided.batch.pk, review_id=second.pk + 1)


def test_an_extension_stands_once_somebody_has_sat_down_at_the_next_batch(decided: World) -> None:
    review = decide(decided)
    sit(decided["flo"])
    for _ in range(2):
        with pytest.raises(Refused, match="being judged already"):
            take_back(decided, review)
        # What flo was sent may be judged already, where there is no network.
        let_seats_expire()
    assert (decided.batch.status, following(decided).pairs.count()) == ("extended", 5)


def test_what_was_seen_has_to_be_what_is_decided_on(decided: World) -> None:
    seen = version_of(decided.batch)
    Pair.objects.filter(batch=decided.batch, candidate__rank=20).update(status="withdrawn", grade=None, version=9)
    with pytest.raises(Refused, match="changed since they were shown"):
        decide(decided, seen=seen)
    assert not Review.objects.exists()
    assert decide(decided, seen=version_of(decided.batch)).grades[-1] is None


def test_a_batch_of_another_collection_is_nobody_s_to_decide(decided: World) -> None:
    other = decided_world(1, name="other")
    review = decide(other, "finish")
    with pytest.raises(Refused, match="no such batch"):
        take_back_review(member=decided["ada"], batch_id=other.batch.pk, review_id=review.pk)
    postpone_review(member=decided["ada"], batch_id=other.batch.pk)
    assert other.batch.postponed_at is None


def ask(client: Client, path: str, **sent: Any) -> dict[str, Any]:
    answer = client.post(path, sent, headers={"Accept": "application/json"})
    assert answer.status_code == 200
    body: dict[str, Any] = answer.json()
    return body


def test_the_page_s_script_learns_what_became_of_a_decision(decided: World, ada: Client) -> None:
    page = f"/c/paper/review/{decided.batch.pk}/"
    given = ask(ada, f"{page}decide", decision="extend", seen=version_of(decided.batch))
    assert given == {"said": "Extended.", "failed": False, "waiting": False, "review": Review.objects.get().pk}
    assert ask(ada, f"{page}decide", decision="finish") == {
        "said": f"This batch was reviewed already: extend, by {decided['ada'].worker}.",
        "failed": True,
        "waiting": False,
        "review": None,
    }
    assert ask(ada, f"{page}take-back", review=given["review"])["waiting"] is True
    refused = ask(ada, f"{page}decide", decision="extend", seen=0)
    assert (refused["failed"], refused["waiting"]) == (True, True)


def test_later_can_be_taken_back_too(decided: World, ada: Client) -> None:
    page = f"/c/paper/review/{decided.batch.pk}/"
    assert ask(ada, f"{page}decide", decision="later")["review"] is None
    assert decided.batch.postponed_at is not None
    ask(ada, f"{page}take-back")
    assert decided.batch.postponed_at is None


@pytest.mark.parametrize("review", ["x", "-1", "9" * 40])
def test_a_review_that_is_no_number_is_told(decided: World, ada: Client, review: str) -> None:
    answer = ask(ada, f"/c/paper/review/{decided.batch.pk}/take-back", review=review)
    assert answer["failed"] and "expected its number" in answer["said"]


def test_the_way_back_stays_on_this_site(decided: World, ada: Client) -> None:
    path = f"/c/paper/review/{decided.batch.pk}/take-back"
    away = ada.post(path, {"review": "1", "back": "https://elsewhere.example/"})
    assert away["Location"] == "/c/paper/review/"
    assert ada.post(path, {"review": "1", "back": "/c/paper/review/decisions/"})["Location"].endswith("decisions/")


def test_the_decisions_page_lists_who_when_and_on_what(decided: World, ada: Client) -> None:
    review = decide(decided)
    (row,) = read(ada, "collections/paper/reviews")
    assert (row["decision"], row["by"], row["mean"], row["threshold"]) == ("extend", decided["ada"].worker, 3.0, 2.5)
    assert row["grades"] == [3] * 20 and row["may_take_back"]
    sit(decided["flo"])
    page = ada.get("/c/paper/review/decisions/").content.decode()
    assert "next batch is judged" in page and 'type="submit">Take back<' not in page
    Batch.objects.update(begun_at=None)
    take_back(decided, review)
    (row,) = read(ada, "collections/paper/reviews?kind=taken-back")
    assert (row["taken_back_by"], row["may_take_back"]) == (decided["ada"].worker, False)
    assert ada.get("/c/paper/review/decisions/").context["counts"] == {
        "standing": 0,
        "automatic": 0,
        "lead": 0,
        "taken_back": 1,
    }


def test_the_decisions_are_csv_too_all_of_a_kind(decided: World, ada: Client) -> None:
    def told(kind: str) -> list[dict[str, str]]:
        answer = ada.get(f"/c/paper/review/decisions/csv?kind={kind}")
        return list(csv.DictReader(io.StringIO(answer.content.decode())))

    review = decide(decided)
    (row,) = told("")
    assert tuple(row) == DECISION_COLUMNS
    assert (row["query"], row["batch"], row["decision"]) == (decided.queries[0].text, "1", "extend")
    assert (row["mean"], row["threshold"], row["grades"]) == ("3.0", "2.5", " ".join(["3"] * 20))
    assert (row["by"], row["taken_back_by"], row["taken_back_at"]) == (decided["ada"].worker, "", "")
    assert told("lead") == [row] and told("automatic") == told("taken-back") == []
    take_back(decided, review)
    (former,) = told("taken-back")
    assert former | {"taken_back_at": ""} == row | {"taken_back_by": decided["ada"].worker}
    assert datetime.fromisoformat(former["taken_back_at"]) > datetime.fromisoformat(former["decided_at"])
    assert told("") == []


def at_once(*works: Callable[[], object]) -> list[str]:
    """Run each in a thread with a connection of its own, all released together. Returns the refusals."""
    gate, refusals, failures = threading.Barrier(len(works)), [], []

    def run(work: Callable[[], object]) -> None:
        try:
            gate.wait()
            work()
        except Refused as refusal:
            refusals.append(str(refusal))
        except BaseException as failure:
            failures.append(failure)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures, failures
    return refusals


@pytest.mark.django_db(transaction=True)
def test_of_two_leads_who_decide_differently_at_once_one_is_told() -> None:
    world = decided_world(3)
    olga = another_lead(world)
    batch = world.batch.pk
    refusals = at_once(
        lambda: review_batch(member=world["ada"], batch_id=batch, decision="extend"),
        lambda: review_batch(member=olga, batch_id=batch, decision="finish"),
    )
    assert len(refusals) == 1 and "was reviewed already" in refusals[0]
    assert Review.objects.count() == 1
    assert (world.batch.status == "extended") == Batch.objects.filter(number=2).exists()


@pytest.mark.django_db(transaction=True)
def test_who_sits_down_at_the_same_moment_has_a_batch_or_nothing() -> None:
    world = decided_world(3)
    review = decide(world)
    refusals = at_once(lambda: take_back(world, review), lambda: sit(world["flo"]))
    kept = Batch.objects.filter(number=2).exists()
    assert kept == Review.objects.exists() == Seat.objects.exists() == bool(refusals)
    assert not kept or Pair.objects.filter(batch__number=2).count() == 5


@pytest.mark.django_db(transaction=True)
def test_two_leads_who_take_it_back_at_once_take_it_back_once() -> None:
    world = decided_world(3)
    review = decide(world)
    assert at_once(lambda: take_back(world, review), lambda: take_back(world, review)) == []
    assert FormerReview.objects.count() == 1
