"""Forms that no browser would send: refused in words or cleaned, never a page that breaks."""

from datetime import date
from typing import Any

import pytest

from annotation.models import Adjudication, Flag, Pair, TimeCorrection
from annotation.models.review import Review
from foundation.models import Account, ApiToken, Collection
from tests.annotation.reviewed_worlds import DISCARDED, decided_world, grade_batch
from tests.conftest import build_world

pytestmark = pytest.mark.django_db


def test_a_nul_is_dropped_from_every_text_that_is_kept(client_of: Any) -> None:
    world = build_world(candidates=3)
    grade_batch(world, world.batch, lambda rank: DISCARDED)
    pair = world.batch.pairs.order_by("pk")[0]
    flag = Flag.objects.create(pair=pair, annotator=world["bo"], kind="clip")
    ada = client_of(world["ada"].account)
    Account.objects.update(may_create_collections=True)
    for path, form in (
        ("/c/paper/settings/change", {"title": "A\x00B"}),
        (f"/c/paper/discarded/{pair.pk}/adjudicate", {"grade": "3", "reason": "see\x00n"}),
        (f"/c/paper/flags/{flag.pk}/answer", {"outcome": "returned", "answer": "fi\x00ne"}),
        (
            "/c/paper/time/correct",
            {"person": world["bo"].pk, "day": date.today().isoformat(), "minutes": "5", "reason": "i\x00ll"},
        ),
        ("/collections/new/", {"name": "tides", "title": "Ti\x00des"}),
        ("/tokens/", {"name": "scr\x00ipt"}),
    ):
        assert ada.post(path, form).status_code in (200, 302), path
    assert set(Collection.objects.values_list("title", flat=True)) == {"AB", "Tides"}
    assert (Adjudication.objects.get().reason, TimeCorrection.objects.get().reason) == ("seen", "ill")
    flag.refresh_from_db()
    assert (flag.answer, ApiToken.objects.get().name) == ("fine", "script")


@pytest.mark.parametrize("back", ["nowhere", "NaN", "//elsewhere.example/", "https://elsewhere.example/", "\\x", " /"])
def test_a_way_back_that_is_no_path_of_this_site_leads_to_the_page_s_own_place(client_of: Any, back: str) -> None:
    world = decided_world(3)
    ada = client_of(world["ada"].account)
    batch = f"/c/paper/review/{world.batch.pk}"
    assert ada.post(f"{batch}/decide", {"decision": "later", "back": back})["Location"] == "/c/paper/review/"
    assert ada.post(f"{batch}/take-back", {"back": back})["Location"] == "/c/paper/review/"
    assert ada.post("/c/paper/computed/people/anew", {"next": back})["Location"] == "/c/paper/"


@pytest.mark.parametrize("seen", ["9" * 6000, "-1", "1.5", "x"], ids=["thousands of digits", "below 0", "half", "word"])
def test_a_version_of_a_sheet_that_is_no_number_decides_nothing(client_of: Any, seen: str) -> None:
    world = decided_world(3)
    ada = client_of(world["ada"].account)
    answer = ada.post(f"/c/paper/review/{world.batch.pk}/decide", {"decision": "finish", "seen": seen}, follow=True)
    assert answer.status_code == 200
    assert "expected a number; nothing was decided" in answer.content.decode()
    assert not Review.objects.exists()
    assert Pair.objects.exists()
