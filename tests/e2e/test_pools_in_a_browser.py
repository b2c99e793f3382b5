"""A lead adds a run and sets a recipe in a real browser: no fault for axe, on a narrow screen and with the keyboard."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.batches.pool_jobs import make_asked_pool
from corpus.models import Video
from foundation.models import Collection
from queries.models import PoolMaking, PoolPlan, PoolRunAddition
from queries.pooling.query_columns import query_source_id
from queries.runs.run_jobs import add_pool_run
from tests.e2e.axe import found_by_axe

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def test_a_lead_pools_a_run_in_the_browser(log_in: Any, site: str, collection: Collection, tmp_path: Path) -> None:
    video = Video.objects.get()
    rows = [
        {"query_id": query, "predictions": [{"video_name": video.name, "timestamp": [at, at + 2.5]} for at in range(9)]}
        for query in collection.queries.values_list(query_source_id(), flat=True)
    ]
    run = tmp_path / "boat.jsonl"
    run.write_text("".join(json.dumps(row) + "\n" for row in rows))
    page = log_in("ada", viewport={"width": 360, "height": 720}, color_scheme="dark")

    def clean() -> None:
        assert found_by_axe(page).response["violations"] == [], page.url
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url

    page.goto(f"{site}/c/stage/candidates/runs/")
    clean()
    page.set_input_files("[name=file]", str(run))
    page.fill("[name=team]", "Harbour")
    page.fill("[name=system]", "sea/boat")
    page.press("[name=system]", "Enter")
    page.wait_for_selector("#field-system-wrong")
    assert page.evaluate("document.activeElement.name") == "system"
    clean()
    # Again, as TVR-Ranking's systems write it: by index, with the file of the indices.
    for row in rows:
        row["predictions"] = [[3, *one["timestamp"], -one["timestamp"][0]] for one in row["predictions"]]
    (tmp_path / "boat.json").write_text(json.dumps(rows))
    (tmp_path / "videos.json").write_text(json.dumps({video.name: 3}))
    page.set_input_files("[name=file]", str(tmp_path / "boat.json"))
    page.set_input_files("[name=videos]", str(tmp_path / "videos.json"))
    page.fill("[name=system]", "boat")
    page.press("[name=system]", "Enter")
    page.wait_for_selector(".job[data-url]")
    add_pool_run(PoolRunAddition.objects.get().pk)
    page.wait_for_selector("text=Harbour boat was added")
    clean()
    page.click("text=Continue to the recipe")
    page.fill("[name=recipe]", "depth@5")
    page.press("[name=recipe]", "Enter")
    page.wait_for_selector("text=The recipe is depth@5 now, version 1.")
    assert PoolPlan.objects.get().by_itself
    clean()
    page.focus("text=Make the pool")
    page.keyboard.press("Enter")
    page.wait_for_selector(".job[data-url]")
    make_asked_pool(PoolMaking.objects.get().pk)
    page.wait_for_selector("text=Continue to open judging")
    clean()
