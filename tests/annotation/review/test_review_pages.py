"""The lead's review: the queue, the sheet, the three decisions."""

from html import unescape
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from annotation.judging.judgments import settle_batch
from annotation.models import Batch, JudgedSpan, Judgment, Pair, Review
from annotation.review.chart import review_chart
from annotation.review.decisions import review_batch
from annotation.review.selectors import review_sheet
from foundation.models import Collection
from tests.annotation.factors.declaring import with_factors
from tests.annotation.gold_worlds import member
from tests.annotation.judging_steps import judge, sit
from tests.annotation.reviewed_worlds import decided_world
from tests.api.callers import read
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def decided(db: None) -> World:
    """A decided first batch of twenty: grade 3 everywhere, rank 2 discarded with its four grades."""
    world = build_world(candidates=25)
    for pair in world.batch.pairs.all():
        discarded = pair.candidate.rank == 2
        grades = [0, 4, 1, 3] if discarded else [3, 3]
        for number, grade in enumerate(grades):
            annotator = world[("bo", "cy", "di", "ed")[number]]
            key = f"00000000-0000-4000-8000-{pair.pk:010d}{number:02d}"
            Judgment.objects.create(pair=pair, annotator=annotator, grade=grade, round=1 + number // 2, key=key)
        pair.status, pair.grade = ("discarded", None) if discarded else ("consensus", 3)
        pair.save()
    settle_batch(world.batch.pk)
    return world


@pytest.fixture
def ada(decided: World, client_of: Any) -> Client:
    client: Client = client_of(decided["ada"].account)
    return client


def test_the_first_page_leads_to_the_batch_that_waits(decided: World, ada: Client) -> None:
    answer = ada.get("/c/paper/review/")
    assert answer["Location"] == f"/c/paper/review/{decided.batch.pk}/"


def test_the_sheet_shows_grades_captions_and_the_rule_in_words(decided: World, ada: Client) -> None:
    page = ada.get(f"/c/paper/review/{decided.batch.pk}/").content.decode()
    assert "last five average 3.0, rule says extend (≥ 2.5)" in page
    assert "20. A woman does thing 19." in page
    assert "discarded" in page
    assert "judged 0 4 1 3" in page
    facts = read(ada, f"collections/paper/batches/{decided.batch.pk}")
    assert (facts["verdict"], facts["may_extend"], facts["status"]) == (
        "last five average 3.0, rule says extend (≥ 2.5)",
        True,
        "decided",
    )
    discarded = facts["pairs"][1]
    assert (discarded["rank"], discarded["status"], discarded["grade"]) == (2, "discarded", None)
    assert [given["worker"] for given in discarded["raw"]] == [
        decided[name].worker for name in ("bo", "cy", "di", "ed")
    ]


def test_answers_to_factors_stand_beside_their_grade(
    db: None, client_of: Any, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    world = build_world(candidates=3)
    with_factors(world.collection)
    sit(world["bo"], world["cy"])
    for pair in world.batch.pairs.all():
        judge(member(world, "bo"), pair, 3, factors={"action": 2, "whole": None})
        judge(member(world, "cy"), pair, 3, factors={"action": 0, "whole": 1})
    page = unescape(client_of(world["ada"].account).get(f"/c/paper/review/{world.batch.pk}/").content.decode())
    for worker, said in ((world["bo"].worker, "yes, can't say"), (world["cy"].worker, "no, yes")):
        action, whole = said.split(", ")
        assert page.count(f"{worker} · Action: {action} · Wholeness: {whole}</span>") == 3
    with django_assert_num_queries(5):  # four without factors, however many judgments and factors there are
        review_sheet(Batch.objects.select_related("query__collection").get())
    Collection.objects.update(factors_asked="never")
    assert "Wholeness" not in client_of(world["ada"].account).get(f"/c/paper/review/{world.batch.pk}/").content.decode()


def test_what_is_loaded_ahead_is_the_sheet_alone(decided: World, ada: Client) -> None:
    part = ada.get(f"/c/paper/review/{decided.batch.pk}/?part=sheet").content.decode()
    assert part.startswith("<section") and "<html" not in part and "20. A woman does thing 19." in part


def test_a_withdrawn_pair_is_marked_and_has_no_bar(decided: World, ada: Client) -> None:
    Pair.objects.filter(batch=decided.batch, candidate__rank=20).update(status="withdrawn", grade=None)
    page = ada.get(f"/c/paper/review/{decided.batch.pk}/").content.decode()
    assert 'class="badge none">withdrawn' in page
    assert page.count('class="withdrawn"') == page.count('class="hollow"') == 1


def test_the_pages_of_review_take_a_bounded_number_of_queries(
    ada: Client, client_of: Any, django_assert_max_num_queries: Any
) -> None:
    many = decided_world(4, 3, 2, 1, 0, 4, name="many")
    lead = client_of(many["ada"].account)
    review_batch(member=many["ada"], batch_id=many.queries[0].batches.get().pk, decision="extend")
    review_batch(member=many["ada"], batch_id=many.queries[1].batches.get().pk, decision="finish")
    batch = many.queries[2].batches.get().pk
    for path in ("queue", f"{batch}/", f"{batch}/?part=sheet", "decisions/"):
        with django_assert_max_num_queries(14):
            assert lead.get(f"/c/many/review/{path}").status_code == 200


def test_a_sheet_takes_as_many_queries_for_two_pairs_as_for_twenty(
    decided: World, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    small = build_world(name="small", candidates=2)
    for world in (decided, small):
        batch = world.batch
        with django_assert_num_queries(5):
            review_sheet(batch)


@pytest.mark.parametrize(("decision", "status"), [("extend", "extended"), ("finish", "finished"), ("later", "decided")])
def test_a_decision_is_kept_and_the_next_batch_comes(decided: World, ada: Client, decision: str, status: str) -> None:
    answer = ada.post(f"/c/paper/review/{decided.batch.pk}/decide", {"decision": decision})
    assert answer["Location"] == "/c/paper/review/"
    assert decided.batch.status == status
    assert Review.objects.count() == (decision != "later")


def test_a_decision_sent_twice_is_one(decided: World, ada: Client) -> None:
    for _ in range(2):
        ada.post(f"/c/paper/review/{decided.batch.pk}/decide", {"decision": "extend"})
    assert decided.queries[0].batches.count() == 2


def test_a_decision_against_a_standing_one_is_told(decided: World, ada: Client) -> None:
    ada.post(f"/c/paper/review/{decided.batch.pk}/decide", {"decision": "finish"})
    answer = ada.post(f"/c/paper/review/{decided.batch.pk}/decide", {"decision": "extend"}, follow=True)
    assert "was reviewed already" in answer.content.decode()


def test_without_a_batch_the_page_says_what_fills_it(world: World, client_of: Any) -> None:
    page = client_of(world["ada"].account).get("/c/paper/review/").content.decode()
    assert "No batches are waiting for you" in page


def test_the_queue_as_json_says_what_the_rule_recommends(decided: World, ada: Client) -> None:
    (row,) = ada.get("/c/paper/review/queue").json()["batches"]
    assert (row["batch"], row["mean"], row["extend"]) == (decided.batch.pk, 3.0, True)


def test_the_chart_places_bars_in_rank_order_with_a_hollow_one_for_a_discarded_pair(decided: World) -> None:
    chart = review_chart(review_sheet(decided.batch).pairs)
    assert [bar.rank for bar in chart.bars] == list(range(1, 21))
    assert [bar.x for bar in chart.bars] == sorted(bar.x for bar in chart.bars)
    assert [bar.rank for bar in chart.bars if bar.grade is None] == [2]
    assert len(chart.bars[1].dots) == 4
    (first, _), (second, _) = chart.bars[0].dots
    assert (first, second) == (round(chart.bars[0].left + chart.bars[0].slot * 0.3, 1), first + 7), (
        "one grade, side by side"
    )
    assert chart.tail is not None and chart.tail[0] == chart.bars[15].x


def test_the_overview_takes_a_bounded_number_of_queries(
    decided: World, ada: Client, django_assert_max_num_queries: Any
) -> None:
    assert Pair.objects.count() == 20
    with django_assert_max_num_queries(26):
        page = ada.get("/c/paper/").content.decode()
    assert "1 decided batch to review" in page


def test_the_sheet_shows_who_marked_what_and_what_was_agreed_on(decided: World, ada: Client) -> None:
    batch = decided.queries[0].batches.get(number=1)
    assert "span-bar" not in ada.get(f"/c/paper/review/{batch.pk}/").content.decode()
    Collection.objects.update(has_clips=True, span_agreement=0.5)
    first = batch.pairs.get(candidate__rank=1)
    begin = first.candidate.moment.start
    for judgment, (start, end) in zip(first.judgments.order_by("pk"), [(0.2, 0.8), (0.3, 0.9)], strict=True):
        JudgedSpan.objects.create(judgment=judgment, start=begin + start, end=begin + end)
    pairs = read(ada, f"collections/paper/batches/{batch.pk}")["pairs"]
    span = pairs[0]["span"]
    assert (span["status"], span["bar"]) == ("agreed", {"start": 0.25, "end": 0.85, "left": 25.0, "width": 60.0})
    assert [given["bar"]["start"] for given in pairs[0]["raw"]] == [0.2, 0.3]
    assert pairs[1]["raw"][0]["bar"] is None
    assert {pair["span"]["status"] for pair in pairs[1:] if pair["span"]} <= {"whole"}
    page = ada.get(f"/c/paper/review/{batch.pk}/").content.decode()
    assert "Agreed: it fits from 0.3 s to 0.9 s." in page
    assert "0.2–0.8 s of the clip" in page and "Mean IoU 0.71." in page
