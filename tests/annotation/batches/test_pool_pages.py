"""The pages of runs and of the recipe: a lead adds runs, sees what recipes would give, and has the pool made."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.batches import pool_preview
from annotation.batches.opening import open_annotation
from annotation.batches.pool_jobs import make_asked_pool
from annotation.models import Batch
from annotation.precomputed import refresh_computed
from queries.models import Candidate, PoolMaking, PoolPlan, PoolRun, PoolRunAddition
from queries.runs.run_jobs import add_pool_run
from tests.annotation.batches.test_pools import add, pool, seconds, world  # noqa: F401 - a fixture
from tests.annotation.reviewed_worlds import grade_batch
from tests.api.callers import read
from tests.conftest import World

pytestmark = pytest.mark.django_db

RECIPE = "collections/paper/pool-recipe"


@pytest.fixture
def ada(world: World, client_of: Any) -> Any:  # noqa: F811
    return client_of(world["ada"].account)


def shown(client: Any, page: str) -> Any:
    """What the page of runs or of the recipe shows."""
    return client.get(f"/c/paper/{page}/").context


def test_a_lead_uploads_a_run_and_removes_it(world: World, ada: Any, tmp_path: Path) -> None:  # noqa: F811
    assert "once you upload one" in ada.get("/c/paper/candidates/runs/").content.decode()
    add(world, tmp_path, "boat", seconds(1))
    content = (tmp_path / "boat.jsonl").read_bytes()
    PoolRun.objects.all().delete()
    sent = {"file": SimpleUploadedFile("b.jsonl", content), "team": "Harbour <lab>", "system": "boat"}
    assert ada.post("/c/paper/candidates/runs/add", sent)["Location"] == "/c/paper/candidates/runs/"
    job = PoolRunAddition.objects.get()
    assert "Harbour &lt;lab&gt; boat" in ada.get("/c/paper/candidates/runs/").content.decode()
    add_pool_run(job.pk)
    (run,) = read(ada, "collections/paper/pool-runs")["items"]
    assert (run["team"], run["system"], run["by"], run["queries"], run["open"]) == (
        "Harbour <lab>",
        "boat",
        world["ada"].worker,
        1,
        0,
    )
    assert shown(ada, "candidates/runs")["job"]["words"].startswith("Harbour <lab> boat was added")
    page = ada.post(f"/c/paper/candidates/runs/{run['run']}/remove", follow=True).content.decode()
    assert "was removed. Make the pool again" in page and not PoolRun.objects.exists()


def test_what_is_wrong_is_said_beside_its_field(world: World, ada: Any) -> None:  # noqa: F811
    for sent, sentence in (
        ({"team": "a", "system": "b"}, "Choose a file."),
        ({"team": "", "system": "b", "file": SimpleUploadedFile("r", b"{}")}, "Enter the team&#x27;s name."),
        ({"team": "a/b", "system": "b", "file": SimpleUploadedFile("r", b"{}")}, "without slashes"),
    ):
        answer = ada.post("/c/paper/candidates/runs/add", sent)
        assert answer.status_code == 400 and sentence in answer.content.decode()
    for sent, sentence in (
        ({"recipe": "best", "iou": "0.5", "least_grade": "1"}, "is no recipe"),
        ({"recipe": "rrf", "iou": "half", "least_grade": "1"}, "expected a number above 0, at most 1"),
        ({"recipe": "rrf", "iou": "2", "least_grade": "1"}, "Found IoU 2"),
        ({"recipe": "rrf", "iou": "0,5", "least_grade": "x"}, "expected a whole number"),
        ({"recipe": "rrf", "iou": "0,5", "least_grade": "0"}, "Found grade 0, expected 1 to 4"),
    ):
        answer = ada.post("/c/paper/candidates/recipe/change", sent)
        assert answer.status_code == 400 and sentence in answer.content.decode()
    assert not PoolPlan.objects.exists() and not PoolRunAddition.objects.exists()


def test_the_recipe_s_page_says_what_each_would_give_and_makes_the_pool(
    world: World,  # noqa: F811
    ada: Any,
    tmp_path: Path,
) -> None:
    assert read(ada, RECIPE)["recipe"] == "paper"
    add(world, tmp_path, "boat", seconds(*range(1, 13)), seconds(9))
    add(world, tmp_path, "kite", seconds(1, 20), seconds(9))
    sent = {"recipe": "max-mean", "iou": "0,6", "least_grade": "2", "by_itself": "on"}
    assert ada.post("/c/paper/candidates/recipe/change", sent)["Location"] == "/c/paper/candidates/recipe/"
    recipe = read(ada, RECIPE)
    assert (recipe["recipe"], recipe["adaptive"], shown(ada, "candidates/recipe")["most"]) == ("max-mean", True, 6)
    (version,) = recipe["versions"]
    assert (version["iou"], version["least_grade"], version["by"]) == (0.6, 2, world["ada"].worker)
    assert not Candidate.objects.exists(), "looking at it changes nothing"
    totals = {
        compared["recipe"]: (compared["queries"], compared["pairs"], compared["judged"])
        for compared in recipe["compared"]
    }
    assert totals == {
        "max-mean": (2, 7, 0),
        "depth@5": (2, 7, 0),
        "depth@10": (2, 7, 0),
        "depth@20": (2, 7, 0),
        "rrf": (2, 7, 0),
        "depth": (2, 7, 0),
    }
    assert [row["returned"] for row in shown(ada, "candidates/recipe")["queries"]] == [13, 1]
    assert recipe["stale"] == 2
    ada.post("/c/paper/candidates/recipe/make")
    make_asked_pool(PoolMaking.objects.get().pk)
    counts = {"queries": 2, "stale": 0, "chosen": 3, "open": 0, "judged": 0}
    assert read(ada, RECIPE).items() >= counts.items()
    assert (
        shown(ada, "candidates/recipe")["job"]["words"]
        == "2 queries were pooled: 3 pairs of theirs aren't open for judging yet."
    )
    assert "Continue to open judging" in ada.get("/c/paper/candidates/recipe/").content.decode()
    plan = read(ada, "collections/paper/opening")
    assert (plan["ready"], plan["pairs"], plan["by_runs"]) == (2, 3, True)
    open_annotation(collection=world.collection)
    grade_batch(world, Batch.objects.order_by("pk")[0], lambda rank: (3, 3))
    judged = {compared["recipe"]: compared["judged"] for compared in read(ada, RECIPE)["compared"]}
    assert judged["depth@5"] == 2


def test_a_large_preview_is_counted_by_a_worker(
    world: World,  # noqa: F811
    ada: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool_preview, "AT_ONCE_BELOW", 1)
    add(world, tmp_path, "boat", seconds(1, 2))
    assert read(ada, RECIPE)["compared"] == []
    assert "is being counted" in ada.get("/c/paper/candidates/recipe/").content.decode()
    refresh_computed(collection=world.collection, name=pool_preview.NAME)
    assert read(ada, RECIPE)["compared"][0]["pairs"] == 2


def test_the_overview_says_what_the_pool_needs(world: World, ada: Any, tmp_path: Path) -> None:  # noqa: F811
    def needs() -> list[str]:
        return [need["words"] for need in read(ada, "collections/paper/overview")["needs"]]

    add(world, tmp_path, "boat", seconds(1, 2), seconds(3))
    pool(world, "depth@2")
    open_annotation(collection=world.collection)
    assert not any("pool" in need or "chosen" in need for need in needs())
    add(world, tmp_path, "kite", seconds(5), seconds(3))
    assert "2 queries aren't pooled by the runs and the recipe of now: make the pool" in needs()
    pool(world, "depth@2")
    assert "1 chosen pair isn't open for judging yet: open it" in needs()
