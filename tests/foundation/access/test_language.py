"""In which language an answer is: the account's, else the browser's; a lead's by choice alone."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.translation import gettext, override

from annotation.models import Batch, Judgment
from foundation.models import Account, Collection
from tests.annotation.reviewed_worlds import grade_batch
from tests.conftest import World

pytestmark = pytest.mark.django_db
GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}


def language_of(answer: Any) -> str:
    return answer.content.decode().split('<html lang="')[1].split('"')[0]


def test_a_visitor_is_answered_as_the_browser_asks(db: None) -> None:
    answer = Client().get("/login/", headers=GERMAN)
    assert language_of(answer) == "de" and "Accept-Language" in answer["Vary"]
    assert language_of(Client().get("/login/", headers={"Accept-Language": "zh-CN"})) == "zh-hans"
    assert language_of(Client().get("/login/", headers={"Accept-Language": "fi, *;q=0.1"})) == "en"
    assert language_of(Client().get("/nothing-here/", headers=GERMAN)) == "de"


def test_the_account_s_language_comes_before_the_browser_s(world: World, client_of: Any) -> None:
    bo = client_of(world["bo"].account)
    assert language_of(bo.get("/c/paper/judge/", headers=GERMAN)) == "de"
    Account.objects.update(language="es")
    assert language_of(bo.get("/c/paper/judge/", headers=GERMAN)) == "es"
    assert language_of(bo.get("/nothing-here/", headers=GERMAN)) == "es"
    Account.objects.update(language="xx")
    assert language_of(bo.get("/c/paper/judge/", headers=GERMAN)) == "de", "a language that the site has no longer"


def test_a_lead_reads_english_until_another_is_chosen(world: World, client_of: Any) -> None:
    ada = client_of(world["ada"].account)
    assert language_of(ada.get("/c/paper/members/", headers=GERMAN)) == "en"
    Account.objects.update(language="de")
    assert language_of(ada.get("/c/paper/members/", headers=GERMAN)) == "de"


def test_the_language_is_chosen_on_the_account_page(world: World, client_of: Any) -> None:
    bo = client_of(world["bo"].account)
    account = world["bo"].account
    sent = {"username": account.username, "email": account.email, "time_zone": ""}
    refused = bo.post("/account/change", {**sent, "language": "xx"})
    assert 'id="field-language-wrong"' in refused.content.decode()
    assert bo.post("/account/change", {**sent, "language": "zh-hans"}).status_code == 302
    assert language_of(bo.get("/account/")) == "zh-hans"
    told = bo.post("/account/change", {**sent, "language": "de"}, follow=True).content.decode()
    with override("de"):
        assert gettext("Your account is changed.") in told and "Your account is changed." not in told
    assert bo.post("/account/change", {**sent, "language": ""}).status_code == 302
    assert language_of(bo.get("/account/", headers=GERMAN)) == "de"


def test_judging_s_requests_ask_for_no_account_besides_their_own_statement(world: World, client_of: Any) -> None:
    Account.objects.update(language="de")
    bo = client_of(world["bo"].account)
    bo.post("/c/paper/judge/alive")
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert bo.post("/c/paper/judge/alive").status_code == 204
    assert not [
        query["sql"]
        for query in asked
        if '"foundation_account"' in query["sql"] or '"foundation_session"' in query["sql"]
    ]


def test_numbers_for_people_are_by_language_and_those_for_browsers_never(world: World, client_of: Any) -> None:
    Account.objects.update(language="de")
    bo, ada = client_of(world["bo"].account), client_of(world["ada"].account)
    assert 'data-played="0.8"' in bo.get("/c/paper/judge/").content.decode()
    grade_batch(world, Batch.objects.get(), lambda rank: (rank, rank))
    for path in ("/c/paper/review/", f"/c/paper/review/{Batch.objects.get().pk}/"):
        page = ada.get(path).content.decode()
        assert 'lang="de"' in page and "<svg" in page
        assert not re.findall(r'\b(?:x|y|x1|x2|y1|y2|cx|cy|width|height|style)="[^"]*\d,\d[^"]*"', page)
    Judgment.objects.update(active_seconds=5400, decided_at=timezone.now())
    Collection.objects.update(pay_per_hour="1000.00", currency="EUR")
    own = bo.get("/c/paper/judge/time/").content.decode()
    assert "4,50 Stunden" in own and "4.500,00 EUR" in own and f"{timezone.now():%d.%m.%Y}" in own


def test_what_the_api_says_is_the_same_in_every_language(world: World, client_of: Any) -> None:
    bo = client_of(world["bo"].account)
    english = bo.get("/api/v1/collections/paper/releases")
    Account.objects.update(language="de")
    assert bo.get("/api/v1/collections/paper/releases").content == english.content
