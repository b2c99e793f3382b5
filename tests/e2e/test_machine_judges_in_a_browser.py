"""Machine judges in a real browser: declared, fed and retired by a lead; no fault for axe, narrow and dark too."""

import os
from pathlib import Path
from typing import Any

import pytest

from annotation.machine_judges.jobs import judge_by_machine
from annotation.models import MachineJudging, Pair
from foundation.models import Collection
from tests.e2e.axe import found_by_axe

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def test_a_lead_declares_a_judge_sends_its_grades_and_retires_it(
    log_in: Any, site: str, collection: Collection, tmp_path: Path
) -> None:
    pages = [
        log_in("ada", viewport={"width": 360, "height": 720}, color_scheme="dark"),
        log_in("ada", viewport={"width": 1280, "height": 720}),
    ]
    shots = iter(range(99))

    def clean(address: str) -> None:
        for page in pages:
            page.goto(address)
            if folder := os.environ.get("SHOTS"):
                page.screenshot(path=f"{folder}/{next(shots):02}.png", full_page=True)
            assert found_by_axe(page).response["violations"] == [], page.url
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url

    page = pages[0]
    clean(f"{site}/c/stage/machine-judges/")
    page.goto(f"{site}/c/stage/machine-judges/")
    page.fill("[name=name]", "clipper")
    page.fill("[name=model]", "ViT-B/32")
    page.fill("[name=family]", "CLIP")
    page.fill("[name=frames]", "many")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=expected a whole number from 1")
    page.fill("[name=frames]", "8")
    page.fill("[name=version]", "sha256:" + "5e" * 32)
    page.fill("[name=parameters]", '{"temperature": 0, "prompt": "' + "which of five grades " * 8 + '"}')
    page.click("form[action$='/declare'] button")
    page.wait_for_selector("h1:text-is('clipper')")
    judge = page.url
    clean(judge)
    pairs = list(Pair.objects.order_by("pk"))
    Pair.objects.filter(pk=pairs[0].pk).update(status="consensus", grade=2)
    Pair.objects.filter(pk=pairs[1].pk).update(status="discarded")
    for row, told in (("nobody,1,", "text=expected a pair of stage"), ("", "text=grades and 1 abstention added")):
        rows = [f"{pair.public_id},{place % 5}," for place, pair in enumerate(pairs[:-1])]
        file = tmp_path / "grades.csv"
        file.write_text("\n".join(["pair_id,grade,abstained", *rows, f"{pairs[-1].pk},,refused", row]) + "\n")
        page.goto(judge)
        page.set_input_files("[name=file]", str(file))
        page.click("button:text-is('Upload')")
        page.wait_for_selector(".job[data-url]")
        judge_by_machine(MachineJudging.objects.latest("pk").pk)
        page.wait_for_selector(told)
        clean(judge)
    clean(f"{site}/c/stage/machine-judges/")
    page.goto(judge)
    page.click("button:text-is('Retire')")
    page.wait_for_selector("text=its grades are kept, and used no more")
    clean(judge)
