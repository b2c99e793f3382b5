"""Plans in a real browser: asked for, chosen and beside what came; no fault for axe, narrow and dark too."""

from pathlib import Path
from typing import Any

import pytest

from datasets.models import Plan
from datasets.planning.jobs import make_plan
from foundation.models import Collection
from tests.datasets.planning.test_plans import release_with_runs
from tests.e2e.axe import found_by_axe

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def test_a_lead_plans_and_goes_by_a_way(log_in: Any, site: str, collection: Collection, tmp_path: Path) -> None:
    release = release_with_runs(collection, tmp_path)
    pages = [
        log_in("ada", viewport={"width": 360, "height": 720}, color_scheme="dark"),
        log_in("ada", viewport={"width": 1280, "height": 720}),
    ]

    def clean(path: str) -> None:
        for page in pages:
            page.goto(f"{site}/c/stage/{path}")
            assert found_by_axe(page).response["violations"] == [], page.url
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url

    page = pages[0]
    clean("plans/")
    for source, smallest in (("assumed", "0,05"), (f"release-{release.pk}-test", "0.05")):
        page.goto(f"{site}/c/stage/plans/")
        page.select_option("[name=source]", source)
        page.fill("[name=smallest]", smallest)
        page.click("main form.upload button.first")
        page.wait_for_selector(".job[data-url]")
        plan = Plan.objects.latest("pk")
        make_plan(plan.pk)
        page.wait_for_selector("text=Go by this")
        clean(f"plans/{plan.pk}/")
    page.click("text=Go by this")
    page.wait_for_selector("text=The collection goes by this plan now.")
    for path in ("plans/", f"plans/{plan.pk}/", f"releases/{release.pk}/board/test/"):
        clean(path)
    pages[1].wait_for_selector("text=What the plan promised and what came")
    page.goto(f"{site}/c/stage/plans/")
    page.fill("[name=smallest]", "2")
    page.click("main form.upload button.first")
    page.wait_for_selector("text=expected a number above 0 and below 1")
