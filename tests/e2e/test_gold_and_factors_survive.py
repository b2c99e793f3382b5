"""Servers, networks and tabs come and go amid gold and factors: nothing is lost or there twice, and gold isn't told."""

from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from annotation.models import GoldPair, Judgment, Pair, Repeat, RepeatAnswer, WorkClock
from foundation.models import Collection, Membership
from tests.annotation.factors.declaring import with_factors
from tests.e2e.judging_steps import clip_on_stage, wait_for_strip, wait_for_today, wait_for_waiting, wait_until_open
from tests.e2e.test_judging_survives import wait_until_kept

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

NEXT = "before => document.querySelector('#stage video.on')?.dataset.number !== before"
GOLD = 2
Given = list[tuple[int, dict[str, int | None]]]


@pytest.fixture
def asked(collection: Collection) -> Collection:
    """Every grade is followed by two questions, and bo's first two pairs, of a finished query, are gold."""
    with_factors(collection)
    Collection.objects.filter(pk=collection.pk).update(gold_share=0.2, played_fraction=0.2)
    ada, bo = (Membership.objects.get(account__username=name) for name in ("ada", "bo"))
    first = Pair.objects.filter(batch__query=collection.queries.order_by("pk")[0])
    first.update(status="consensus", grade=3)
    collection.queries.order_by("pk")[0].batches.update(status="finished")
    now = timezone.now()
    for pair in first.order_by("pk")[:GOLD]:
        gold = GoldPair.objects.create(collection=collection, pair=pair, grade=3, source="lead", added_by=ada)
        Repeat.objects.create(pair=pair, annotator=bo, gold=gold, slipped_in_at=now)
    Membership.objects.filter(pk=bo.pk).update(repeat_waits=True)
    return collection


def press(page: Any, *keys: str) -> None:
    """As a person does: what comes sooner was meant for what was before."""
    wait_until_open(page)
    for key in keys:
        page.wait_for_timeout(250)
        page.keyboard.press(key)


def give(page: Any, *keys: str) -> None:
    """A grade and what follows it, until the next clip comes."""
    before = clip_on_stage(page)
    press(page, *keys)
    page.wait_for_function(NEXT, arg=before)


def stored() -> tuple[Given, Given]:
    """What stands of gold, and of the others, in the order given; not one row more is there."""
    answers = [(one.grade, one.factors or {}) for one in RepeatAnswer.objects.order_by("decided_at")]
    judgments = Judgment.objects.order_by("decided_at")
    assert not judgments.filter(counted=False).exists() and not RepeatAnswer.objects.exclude(taken_back_at=None)
    return answers, [(one.grade, dict(one.factors.values_list("factor__key", "value"))) for one in judgments]


def said(grade: int, action: int, whole: int | None) -> tuple[int, dict[str, int | None]]:
    return grade, {"action": action, "whole": whole}


def wait_until_it_waits(page: Any) -> None:
    """Until a request of the server waits for a row that this test holds."""
    with connection.cursor() as cursor:
        for _ in range(200):
            cursor.execute("SELECT FROM pg_locks WHERE NOT granted")
            if cursor.fetchone() is not None:
                return
            page.wait_for_timeout(10)
    raise AssertionError("no request came as far as its clock")


def test_a_server_killed_amid_a_request_keeps_neither_half_an_answer_nor_two_of_gold_as_of_others(
    log_in: Any, asked: Collection, server: Any
) -> None:
    page = log_in("bo")
    give(page, "4", "2", "1")
    wait_for_today(page, 1)
    told = []
    for number, keys in enumerate(("110", "321", "001"), start=2):
        with transaction.atomic():
            # The answer is written by then, and its time isn't booked.
            WorkClock.objects.select_for_update().get(account__username="bo")
            give(page, *keys)
            wait_until_it_waits(page)
            server.kill()
        wait_for_strip(page, "1 judgment waits for the network")
        told.append((page.inner_text("#strip"), page.inner_text("#state"), page.inner_text("#note")))
        # A judgment is one statement, which the database may end by itself; gold's answer is gone with its server.
        assert sum(map(len, stored())) in ((number - 1,) if number == GOLD else (number - 1, number))
        server.start()
        wait_for_today(page, number)
    assert stored() == ([said(4, 2, 1), said(1, 1, 0)], [said(3, 2, 1), said(0, 0, 1)])
    assert told[0] == told[1] == told[2], "gold is the first of them"


def test_an_answer_that_is_lost_on_its_way_is_sent_again_and_is_one(log_in: Any, asked: Collection) -> None:
    page = log_in("bo")
    wait_until_open(page)

    def answer_is_lost(route: Any) -> None:
        route.fetch()
        route.abort()

    heard = []
    for number, keys in enumerate(("410", "121", "300"), start=1):
        page.route("**/judge/grade", answer_is_lost)
        give(page, *keys)
        wait_for_strip(page, "1 judgment waits")
        heard.append((page.inner_text("#strip"), page.inner_text("#state")))
        assert sum(map(len, stored())) == number, "it had arrived"
        page.unroute_all(behavior="wait")
        wait_for_today(page, number)
    assert stored() == ([said(4, 1, 0), said(1, 2, 1)], [said(3, 0, 0)])
    assert heard[0] == heard[1] == heard[2]


def test_without_a_network_and_reloaded_amid_the_questions_all_is_kept_and_sent_once(
    log_in: Any, asked: Collection, server: Any
) -> None:
    page = log_in("bo")
    wait_until_open(page)
    wait_until_kept(page)
    server.stop()
    try:
        page.context.set_offline(True)
        give(page, "4", "2", "1")
        press(page, "3", "1")
        page.reload()
        wait_for_waiting(page, 1)
        give(page, "1", "0", "0")
        give(page, "2", "1", "1")
        assert stored() == ([], [])
    finally:
        server.start()
    page.context.set_offline(False)
    wait_for_today(page, 3)
    assert stored() == ([said(4, 2, 1), said(1, 0, 0)], [said(2, 1, 1)])


def test_two_tabs_answer_each_pair_once_though_neither_hears_of_the_other(log_in: Any, asked: Collection) -> None:
    one = log_in("bo")
    two = one.context.new_page()
    two.goto(one.url)
    for page in (one, two):
        wait_until_open(page)
    one.context.set_offline(True)
    for page, keys in ((one, "410"), (two, "121"), (one, "300"), (two, "011")):
        page.bring_to_front()
        give(page, *keys)
    one.close()
    two.context.set_offline(False)
    wait_for_waiting(two, 0)
    assert stored() == ([said(4, 1, 0), said(1, 2, 1)], [said(3, 0, 0), said(0, 1, 1)])
