"""Starts and ends on which annotators don't agree: the lead's page, what is set there, and what holds."""

import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import JudgedSpan, Judgment, Pair, SpanRuling
from annotation.review.pair_spans import spans_of
from annotation.review.span_rulings import set_span, withdraw_span
from foundation.models import Collection
from foundation.refused import Refused
from tests.annotation.reviewed_worlds import grade_batch
from tests.api.callers import read
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def apart(db: None) -> World:
    """Four pairs of one second each: bo and cy are apart on the first, agree on the second, marked nothing of the
    third; the fourth has the grade 0."""
    world = build_world(candidates=4)
    Collection.objects.update(has_clips=True, span_agreement=0.5)
    world.collection.refresh_from_db()
    grade_batch(world, world.batch, lambda rank: (0, 0) if rank == 4 else (3, 3))
    for rank, marks in ((1, [(0.0, 0.5), (0.5, 1.0)]), (2, [(0.0, 0.8), (0.2, 0.8)])):
        pair = world.batch.pairs.get(candidate__rank=rank)
        begin = pair.candidate.moment.start
        for judgment, (start, end) in zip(pair.judgments.order_by("pk"), marks, strict=True):
            JudgedSpan.objects.create(judgment=judgment, start=begin + start, end=begin + end)
    return world


@pytest.fixture
def ada(apart: World, client_of: Any) -> Client:
    client: Client = client_of(apart["ada"].account)
    return client


def first() -> Pair:
    return Pair.objects.get(candidate__rank=1)


def statuses(world: World) -> list[str]:
    return [span.status for span in spans_of(world.collection, Pair.objects.all())]


def test_the_page_has_the_agreement_and_the_pairs_that_are_apart(apart: World, ada: Client) -> None:
    facts = read(ada, "collections/paper/spans")
    assert (facts["marked"], facts["whole"], facts["agreed"], facts["apart"]) == (True, 1, 1, 1)
    assert facts["mean_iou"] == pytest.approx((0 + 0.75 + 1) / 3)
    (pair,) = facts["pairs"]
    assert [given["bar"]["start"] for given in pair["raw"]] == [0.0, 0.5]
    page = ada.get("/c/paper/spans/").content.decode()
    assert "0.50–1.00 s of the clip" in page and "0.58" in page
    assert "/c/paper/spans/" in ada.get(reverse("partners", args=["paper"])).content.decode()


def test_pages_lead_to_one_another_also_from_a_refusal(
    apart: World, ada: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotation.review.span_views.PAGE", 1)
    JudgedSpan.objects.filter(judgment__pair__candidate__rank=2).delete()
    pair = Pair.objects.get(candidate__rank=2)
    for judgment, (start, end) in zip(pair.judgments.order_by("pk"), [(0.0, 0.3), (0.6, 1.0)], strict=True):
        begin = pair.candidate.moment.start
        JudgedSpan.objects.create(judgment=judgment, start=begin + start, end=begin + end)
    beginning = ada.get("/c/paper/spans/")
    last = ada.get("/c/paper/spans/?page=2")
    assert 'rel="next" href="/c/paper/spans/?page=2"' in beginning.content.decode()
    assert 'rel="prev" href="/c/paper/spans/?page=1"' in last.content.decode()
    (shown,) = last.context["pairs"]
    assert shown.pair != beginning.context["pairs"][0].pair and 'name="page" value="2"' in last.content.decode()
    refused = ada.post(f"/c/paper/spans/{shown.pair}/set", {"start": "a", "end": "1", "page": "2"})
    assert refused.status_code == 400 and 'rel="prev" href="/c/paper/spans/?page=1"' in refused.content.decode()


def test_what_the_lead_sets_holds_until_it_is_withdrawn_or_the_annotators_agree(apart: World, ada: Client) -> None:
    assert statuses(apart) == ["apart", "agreed", "whole"]
    for _ in range(2):
        assert ada.post(f"/c/paper/spans/{first().pk}/set", {"start": "0,25", "end": "0.75"}).status_code == 302
    (ruling,) = SpanRuling.objects.all()
    assert (ruling.start, ruling.end, ruling.decided_by) == (0.25, 0.75, apart["ada"])
    assert statuses(apart) == ["lead", "agreed", "whole"]
    (span, *_) = spans_of(apart.collection, Pair.objects.all())
    assert (span.span.start, span.span.end, span.agreed.span.end) == (0.25, 0.75, 1.0)
    assert "Set to 0.25–0.75 s of the clip." in ada.get("/c/paper/spans/").content.decode()
    sheet = read(ada, f"collections/paper/batches/{apart.batch.pk}")
    assert [pair["span"] and pair["span"]["status"] for pair in sheet["pairs"]] == ["lead", "agreed", "whole", None]
    JudgedSpan.objects.filter(judgment__pair=first()).delete()
    assert statuses(apart) == ["whole", "agreed", "whole"], "they agree now"
    for _ in range(2):
        ada.post(f"/c/paper/spans/set/{ruling.pk}/withdraw")
    ruling.refresh_from_db()
    assert (ruling.withdrawn_by, SpanRuling.objects.count()) == (apart["ada"], 1)


@pytest.mark.parametrize(
    ("start", "end", "said"),
    [
        ("0.5", "0.5", "expected a start before the end"),
        ("-1", "0.5", "from 0 to 1.00 s"),
        ("0", "1.5", "from 0 to 1.00 s"),
        ("nan", "1", "expected a start before the end"),
        ("a", "1", "Expected two numbers of seconds"),
        ("", "", "Expected two numbers of seconds"),
    ],
)
def test_what_cannot_be_set_is_told_beside_its_field(
    apart: World, ada: Client, start: str, end: str, said: str
) -> None:
    refused = ada.post(f"/c/paper/spans/{first().pk}/set", {"start": start, "end": end})
    assert refused.status_code == 400 and said in refused.content.decode()
    assert not SpanRuling.objects.exists()


def test_only_pairs_that_are_apart_are_set_and_once(apart: World) -> None:
    ada = apart["ada"]
    for rank, said in ((2, "agree on this pair"), (3, "agree on this pair"), (4, "a grade of 1 or more")):
        with pytest.raises(Refused, match=said):
            set_span(member=ada, pair_id=Pair.objects.get(candidate__rank=rank).pk, start=0.1, end=0.9)
    set_span(member=ada, pair_id=first().pk, start=0.1, end=0.9)
    with pytest.raises(Refused, match="Withdraw that first"):
        set_span(member=ada, pair_id=first().pk, start=0.2, end=0.9)
    with pytest.raises(Refused, match="no such pair"):
        set_span(member=ada, pair_id=10**12, start=0.1, end=0.9)
    with pytest.raises(Refused, match="no such pair"):
        withdraw_span(member=ada, ruling_id=10**12)


def test_where_nobody_marks_the_page_says_how_to_begin(apart: World, ada: Client) -> None:
    Collection.objects.update(span_agreement=None)
    page = ada.get("/c/paper/spans/").content.decode()
    assert "#setting-span_agreement" in page and "no agreement" not in page
    assert "/c/paper/spans/" not in ada.get(reverse("partners", args=["paper"])).content.decode()
    with pytest.raises(Refused, match="no such pair in this collection"):
        apart["ada"].collection.refresh_from_db()
        set_span(member=apart["ada"], pair_id=first().pk, start=0.1, end=0.9)


def test_a_late_judgment_s_span_decides_nothing(apart: World) -> None:
    before = [span.span for span in spans_of(apart.collection, Pair.objects.all())]
    agreed = Pair.objects.get(candidate__rank=2)
    late = Judgment.objects.create(
        pair=agreed, annotator=apart["di"], grade=3, round=1, key=uuid.uuid4(), counted=False, uncounted_because="late"
    )
    JudgedSpan.objects.create(
        judgment=late, start=agreed.candidate.moment.start, end=agreed.candidate.moment.start + 0.1
    )
    assert [span.span for span in spans_of(apart.collection, Pair.objects.all())] == before
