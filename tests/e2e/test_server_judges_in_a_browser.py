"""A model on a server in a real browser: declared, estimated, tried, judging; no fault for axe, narrow and dark."""

import os
from typing import Any

import pytest

from annotation.machine_judges.jobs import judge_by_machine
from annotation.models import MachineJudge, MachineJudging
from foundation.models import Collection
from queries.models import Candidate, LlmServer
from tests.e2e.axe import found_by_axe
from tests.queries.chat_server import completion, serving

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def test_a_lead_has_a_model_on_a_server_judge(log_in: Any, site: str, collection: Collection) -> None:
    pages = [
        log_in("ada", viewport={"width": 360, "height": 720}, color_scheme="dark"),
        log_in("ada", viewport={"width": 1280, "height": 720}),
    ]
    shots = iter(range(99))

    def clean(address: str) -> None:
        for page in pages:
            page.goto(address)
            if folder := os.environ.get("SHOTS"):
                page.screenshot(path=f"{folder}/server-{next(shots):02}.png", full_page=True)
            assert found_by_axe(page).response["violations"] == [], page.url
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url

    def work() -> None:
        page.wait_for_selector(".job[data-url]")
        with page.expect_navigation():  # at its end the page comes anew by itself
            judge_by_machine(MachineJudging.objects.latest("pk").pk)
        page.wait_for_selector("text=answers paid")

    page = pages[1]
    with serving(lambda request, number: completion("3" if number % 3 else "What a scene!")) as server:
        prices = {"price_in": "0.15", "price_out": "0.6"}
        LlmServer.objects.create(name="ours", address=server.url, model="m", is_default=True, **prices)
        clean(f"{site}/c/stage/machine-judges/")
        page.fill("#server-name", "watcher")
        page.fill("#server-model", "m")
        page.fill("#server-family", "seers")
        page.fill("#server-frames", "2")
        page.fill("#server-parameters", '{"samples": 3}')
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=expected a temperature above 0")
        page.fill("#server-parameters", "")
        page.click("form[action$='/declare-server'] button")
        page.wait_for_selector("h1:text-is('watcher')")
        judge = page.url
        clean(judge)
        page.fill("#scope-ranks", "1")
        page.click("button:text-is('Estimate')")
        page.wait_for_url("**ranks=1*")
        page.fill("#ask-limit", "0,5")
        page.click("button:has-text('Try it on 2 pairs')")
        work()
        clean(judge)
        page.goto(judge)
        page.click("button:text-is('Judge these pairs')")
        work()
        clean(judge)
    assert MachineJudge.objects.get().judgments.count() == Candidate.objects.count()
