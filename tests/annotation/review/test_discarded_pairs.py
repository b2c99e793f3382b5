"""Discarded pairs: the lead grades one with a reason, apart from consensus, and may withdraw it."""

import threading
from typing import Any

import pytest
from django.db import connections
from django.test import Client

from annotation.judging.judgments import take_back_last
from annotation.models import Adjudication, Judgment, Pair
from annotation.review.adjudication import adjudicate_pair, withdraw_adjudication
from foundation.collections.members import add_member
from foundation.models import Account, Membership
from foundation.refused import Refused
from tests.annotation.reviewed_worlds import DISCARDED, grade_batch
from tests.api.callers import read
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(db: None) -> World:
    """Three pairs: ranks 1 and 2 are discarded, rank 3 has a grade."""
    world = build_world(candidates=3)
    grade_batch(world, world.batch, lambda rank: DISCARDED if rank < 3 else (2, 2))
    return world


@pytest.fixture
def ada(world: World, client_of: Any) -> Client:
    client: Client = client_of(world["ada"].account)
    return client


def pair(world: World, rank: int = 1) -> Pair:
    return Pair.objects.get(batch=world.batch, candidate__rank=rank)


def adjudicate(world: World, rank: int = 1, grade: int = 3, reason: str = "The door is red.") -> Adjudication:
    return adjudicate_pair(member=world["ada"], pair_id=pair(world, rank).pk, grade=grade, reason=reason)


def another_lead(world: World) -> Membership:
    account, _ = Account.objects.get_or_create(username="olga")
    return add_member(collection=world.collection, account=account, role=Membership.Role.LEAD)


def test_an_adjudication_touches_neither_consensus_nor_judgments(world: World) -> None:
    before = list(Judgment.objects.order_by("pk").values())
    adjudication = adjudicate(world, reason="  The door is red. ")
    assert (adjudication.grade, adjudication.reason, adjudication.decided_by) == (3, "The door is red.", world["ada"])
    assert (pair(world).status, pair(world).grade) == ("discarded", None)
    assert list(Judgment.objects.order_by("pk").values()) == before


def test_sent_twice_it_is_one_and_another_one_is_told_whose_stands(world: World) -> None:
    assert adjudicate(world) == adjudicate(world)
    with pytest.raises(Refused, match=f"{world['ada'].worker} has adjudicated this pair already: 3"):
        adjudicate(world, grade=1)
    assert Adjudication.objects.count() == 1


def test_withdrawn_it_is_kept_and_another_may_follow(world: World) -> None:
    first = adjudicate(world)
    olga = another_lead(world)
    for _ in range(2):
        withdraw_adjudication(member=olga, adjudication_id=first.pk)
    adjudicate(world, grade=1, reason="Looked again.")
    first.refresh_from_db()
    assert (first.grade, first.withdrawn_by) == (3, olga)
    assert Adjudication.objects.filter(withdrawn_at=None).get().grade == 1


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"rank": 3}, "Only discarded pairs are adjudicated; this one is graded"),
        ({"grade": 5}, "Found the grade 5, expected 0 to 4"),
        ({"grade": -1}, "Found the grade -1, expected 0 to 4"),
        ({"reason": "  "}, "Found no reason"),
        ({"reason": "x" * 2001}, "Found a reason of 2,001 characters, expected at most 2,000"),
    ],
)
def test_what_won_t_do_is_told_and_nothing_is_kept(world: World, asked: dict[str, Any], told: str) -> None:
    with pytest.raises(Refused, match=told):
        adjudicate(world, **asked)
    assert not Adjudication.objects.exists()


def test_a_pair_of_another_collection_is_not_there(world: World) -> None:
    other = build_world(name="other")
    grade_batch(other, other.batch, lambda rank: DISCARDED)
    with pytest.raises(Refused, match="no such pair"):
        adjudicate_pair(member=world["ada"], pair_id=pair(other).pk, grade=1, reason="No.")
    standing = adjudicate(other)
    with pytest.raises(Refused, match="no such adjudication"):
        withdraw_adjudication(member=world["ada"], adjudication_id=standing.pk)


def test_who_judged_it_can_t_take_that_back_from_under_an_adjudication(world: World) -> None:
    key = Judgment.objects.get(pair=pair(world), annotator=world["ed"]).key
    standing = adjudicate(world)
    with pytest.raises(Refused, match="its query has been reviewed"):
        take_back_last(member=world["ed"], key=key)
    withdraw_adjudication(member=world["ada"], adjudication_id=standing.pk)
    take_back_last(member=world["ed"], key=key)
    assert pair(world).status == "disputed"


def test_the_page_shows_all_four_grades_with_their_workers(world: World, ada: Client) -> None:
    first, second = read(ada, "collections/paper/discarded-pairs?kind=open")["items"]
    assert [given["grade"] for given in first["raw"]] == list(DISCARDED)
    assert [given["worker"] for given in first["raw"]] == [world[name].worker for name in ("bo", "cy", "di", "ed")]
    assert [given["round"] for given in first["raw"]] == [1, 1, 2, 2]
    assert (first["rank"], second["rank"], first["caption"]) == (1, 2, "A woman does thing 0.")
    assert first["query"] == world.queries[0].text
    page = ada.get("/c/paper/discarded/").content.decode()
    assert "second round" in page and "Not adjudicated 2" in page


def test_it_is_filtered_by_what_is_done_and_by_words(world: World, ada: Client) -> None:
    adjudicate(world)

    def ranks(query: str) -> list[int]:
        return [row.rank for row in ada.get(f"/c/paper/discarded/?{query}").context["discarded"]]

    assert (ranks(""), ranks("kind=adjudicated"), ranks("kind=all")) == ([2], [1], [1, 2])
    assert (ranks("kind=all&q=woman+thing"), ranks("kind=all&q=giraffe")) == ([1, 2], [])
    assert ranks("kind=all&page=99") == [1, 2]
    assert "No such pair's query" in ada.get("/c/paper/discarded/?q=giraffe%00").content.decode()


def test_the_page_takes_as_many_queries_for_one_pair_as_for_twenty(
    ada: Client, client_of: Any, django_assert_max_num_queries: Any
) -> None:
    large = build_world(name="large", candidates=25)
    grade_batch(large, large.batch, lambda rank: DISCARDED)
    lead = client_of(large["ada"].account)
    for _ in range(2):
        ada.get("/c/paper/discarded/")
    for client, name in ((ada, "paper"), (lead, "large")):
        with django_assert_max_num_queries(9):
            assert client.get(f"/c/{name}/discarded/?kind=all").status_code == 200


def test_after_a_refused_form_the_links_are_those_of_the_list(client_of: Any) -> None:
    large = build_world(name="large", queries=2, candidates=20)
    Pair.objects.filter(batch__collection=large.collection).update(status="discarded")
    first = Pair.objects.order_by("batch", "candidate__rank")[0]
    sent = {"grade": "9", "reason": "", "kind": "all", "q": "woman", "page": "1"}
    answer = client_of(large["ada"].account).post(f"/c/large/discarded/{first.pk}/adjudicate", sent)
    assert answer.status_code == 400
    assert 'rel="next" href="/c/large/discarded/?kind=all&amp;q=woman&amp;page=2"' in answer.content.decode()


def test_the_form_leads_back_to_where_it_was(world: World, ada: Client) -> None:
    path = f"/c/paper/discarded/{pair(world).pk}/adjudicate"
    sent = {"grade": "3", "reason": "The door is red.", "kind": "all", "q": "a b", "page": "2"}
    answer = ada.post(path, sent)
    assert answer["Location"] == "/c/paper/discarded/?kind=all&q=a+b&page=2"
    standing = Adjudication.objects.get()
    page = ada.get("/c/paper/discarded/?kind=all").content.decode()
    assert "The door is red." in page and "Withdraw the grade" in page
    ada.post(f"/c/paper/discarded/adjudications/{standing.pk}/withdraw", {"kind": "all"})
    page = ada.get("/c/paper/discarded/?kind=all").content.decode()
    assert "Withdrawn: 3, The door is red." in page


@pytest.mark.parametrize("grade", ["", "x", "9", "33", "²", "-1"])
def test_a_grade_that_is_none_is_told(world: World, ada: Client, grade: str) -> None:
    path = f"/c/paper/discarded/{pair(world).pk}/adjudicate"
    answer = ada.post(path, {"grade": grade, "reason": "Why not."})
    page = answer.content.decode()
    assert answer.status_code == 400 and "Choose a grade from 0 to 4." in page and 'value="Why not."' in page
    assert not Adjudication.objects.exists()


def test_a_grade_without_a_reason_is_told_beside_the_reason_and_stays_chosen(world: World, ada: Client) -> None:
    told = pair(world).pk
    page = ada.post(f"/c/paper/discarded/{told}/adjudicate", {"grade": "3", "reason": "  "}).content.decode()
    assert f'id="{told}-reason-wrong">Say in a sentence' in page and 'value="3" required checked' in page
    assert not Adjudication.objects.exists()


def test_only_leads_adjudicate(world: World, client_of: Any, mal: Account) -> None:
    path = f"/c/paper/discarded/{pair(world).pk}/adjudicate"
    sent = {"grade": "3", "reason": "Mine."}
    assert client_of(world["bo"].account).post(path, sent).status_code == 403
    assert client_of(mal).post(path, sent).status_code == 404
    assert not Adjudication.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_two_leads_at_once_one_adjudicates_and_the_other_is_told() -> None:
    world = build_world(candidates=3)
    grade_batch(world, world.batch, lambda rank: DISCARDED)
    discarded, gate, refusals = pair(world), threading.Barrier(2), []

    def decide(member: Membership, grade: int) -> None:
        try:
            gate.wait()
            adjudicate_pair(member=member, pair_id=discarded.pk, grade=grade, reason="I am sure.")
        except Refused as refusal:
            refusals.append(str(refusal))
        finally:
            connections.close_all()

    leads = [(world["ada"], 3), (another_lead(world), 1)]
    threads = [threading.Thread(target=decide, args=lead) for lead in leads]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(refusals) == 1 and "has adjudicated this pair already" in refusals[0]
    assert Adjudication.objects.filter(pair=discarded).count() == 1
