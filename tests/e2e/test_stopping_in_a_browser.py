"""A lead sets a goal, opens the next queries and reads what is settled, by the keyboard alone."""

from typing import Any

import pytest
from django.conf import settings

from annotation.batches.opening import open_annotation
from datasets.models import StoppingGoal
from tests.datasets.stopping.stopped_worlds import FAIR, GOOD, MEASURE, POOR, drawn, looked, stopped_world
from tests.e2e.axe import found_by_axe
from tests.e2e.conftest import WebServer, session_of

pytestmark = pytest.mark.long


def test_a_goal_is_set_and_looked_at(transactional_db: None, server: WebServer, browser: Any) -> None:
    world = stopped_world()
    context = browser.new_context(viewport={"width": 360, "height": 720}, bypass_csp=True)
    cookie = {"name": settings.SESSION_COOKIE_NAME, "value": session_of("ada"), "url": server.address}
    context.add_cookies([cookie])
    page = context.new_page()
    page.goto(f"{server.address}/c/stopped/stopping/")
    assert found_by_axe(page).response["violations"] == []
    page.get_by_label("Measure").fill("NDCG")
    page.get_by_label("Measure").press("Enter")
    page.wait_for_selector("text=No goal was set.")
    assert page.evaluate("document.activeElement.name") == "measure", "the wrong field has the focus"
    page.get_by_label("Measure").fill(MEASURE)
    page.get_by_label("Measure").press("Enter")
    page.wait_for_selector("text=Nothing was looked at yet")
    page.get_by_label("Open the next queries of the random order").fill("12")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=12 queries more are drawn")
    assert len(drawn(world)) == 32
    open_annotation(collection=world.collection)
    world.judge(30)
    looked(StoppingGoal.objects.get())
    page.reload()
    assert page.inner_text("#settled") == f"Settled: {GOOD} > {FAIR} > {POOR}"
    assert found_by_axe(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    context.close()
