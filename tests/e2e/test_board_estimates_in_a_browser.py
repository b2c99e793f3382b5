"""The lead asks for a board with a machine's help, a worker estimates it, and the page says what is settled."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.worlds.assisted import add_board_run, add_judge, build_assisted_world
from datasets.guarantees.estimate import estimate_board
from datasets.models import BoardEstimate
from datasets.releases.make_release import create_release
from tests.e2e.test_pages_of_becoming_an_annotator import look

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def test_the_lead_asks_and_reads(log_in: Any, site: str, tmp_path: Path) -> None:
    world = build_assisted_world("assisted", queries=120, judged=50, pool=6)
    release = create_release(collection=world.collection, name="v1")
    for seed, name in enumerate(
        ("XML", "CLIP, two stages", "CLIP, frames", "ReLoCLNet", "CONQUER", "BM25 of subtitles")
    ):
        family = "CLIP" if name.startswith("CLIP") else ""
        add_board_run(release, name, world.run(0.6 + 0.3 * seed, seed=seed), family=family)
    noise = np.rint(np.random.default_rng(3).normal(0.4, 0.7, world.grades.shape)).astype(int)
    add_judge(world, "noisy", np.clip(world.grades + noise, 0, 4))

    page = log_in("ada")
    page.goto(f"{site}/c/assisted/releases/{release.pk}/board/test/")
    page.click("text=Estimate with a machine")
    look(page, "before an estimate")
    page.click("main summary")
    page.fill("#family-1", "subtitles")
    page.keyboard.press("Enter")
    page.wait_for_selector("[role=progressbar]")
    job = BoardEstimate.objects.get()
    assert job.families["BM25 of subtitles"] == "subtitles"
    look(page, "under way")
    estimate_board(job.pk)
    page.wait_for_selector(".lede")
    assert "orders are settled: XML " in page.inner_text(".lede")
    look(page, "estimated")
    page.select_option("[name=measure]", "NDCG@10,IoU>=0.5")
    page.click("text=Show")
    assert "measure=NDCG" in page.url and page.text_content(".drawing svg").count("CLIP, frames") == 1
