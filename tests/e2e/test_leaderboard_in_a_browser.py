"""The lead uploads a run, a real worker scores it, the board lists it, and a query shows its matches with clips."""

import io
import json
import os
import signal
import subprocess
import tarfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from annotation.consensus import PAPER
from config.run import environment
from datasets.content.making import describe_making
from datasets.formats.about import FIELDS
from datasets.models import Release
from datasets.releases import archive
from foundation.models import Collection
from queries.models import Query
from tests.e2e.test_pages_of_becoming_an_annotator import look
from tests.forked import ForkedProcess

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def release(collection: Collection, tmp_path: Path) -> Release:
    """A released test split of the collection's queries, whose every candidate has a grade."""
    files = tmp_path / "files"
    files.mkdir()
    split = []
    for query in Query.objects.filter(collection=collection).order_by("position"):
        moments = [
            {
                "pair_id": candidate.pk,
                "video_name": candidate.moment.video.name,
                "timestamp": [candidate.moment.start, candidate.moment.end],
                "duration": 60.0,
                "caption": candidate.caption_text,
                "similarity": candidate.similarity,
                "relevance": max(0, 5 - candidate.rank),
            }
            for candidate in query.candidates.select_related("moment__video").order_by("rank")
        ]
        split.append({"query_id": query.pk, "query": query.text, "relevant_moment": moments})
    (files / "test.json").write_text(json.dumps(split))
    (files / "manifest.json").write_text("{}")
    hashes = {}
    for name in ("test.json", "manifest.json"):
        with (files / name).open("rb") as file:
            hashes[name] = archive.sha256_of(file)
    archive_sha256 = archive.pack(files, tmp_path / "a.tar.gz", "stage-v1")
    grades = {str(grade): 2 for grade in range(1, 5)} | {"0": 0}
    counts = {"queries": 2, "queries_drawn": 2, "pairs": 8, "pairs_by_grade": grades}
    counts |= {"pairs_discarded": 0, "pairs_undecided": 0, "pairs_withdrawn": 0, "judgments": 16}
    counts |= {"queries_extended": 0, "queries_finished": 0, "queries_without_grade": 0}
    empty = {**{name: 0 for name in counts}, "pairs_by_grade": dict.fromkeys(grades, 0)}
    return Release.objects.create(
        collection=collection,
        name="v1",
        created_at=timezone.now(),
        formats=["tvr-ranking"],
        content_hash="0" * 64,
        manifest={
            "files": {"test.json": {"sha256": hashes["test.json"][0], "size": hashes["test.json"][1]}},
            "code": {"version": "0"},
            "title": "One act",
            "about": dict.fromkeys(FIELDS, ""),
            "draw": None,
            "adjudication": {"included": False},
            "guideline": {"versions": [], "judgments_by_version": {}},
            "languages": [],
            "training_depths": [1, 20, 40],
            "settings": {
                **{"similarity_threshold": None, "name_threshold": 0.5, "extend_threshold": 2.5},
                **{"batch_size": 20, "max_batches": 2},
                "consensus": asdict(PAPER),
            },
            "models": {"rewriters": [], "rankers": {"queries": [], "training": []}},
            "making": describe_making(collection),
            "statistics": {
                "collection": {"moments": 4, "videos": 1},
                "judging": {
                    "both": {
                        "judgments": 16,
                        **{name: None for name in ("share_in_consensus", "share_discarded")},
                        **{name: None for name in ("share_in_round_one", "share_in_round_two")},
                    }
                },
            },
            "counts": {
                "val": empty,
                "test": counts,
                "training": {"queries": 0},
                "videos": {"all": 1},
                "workers": 2,
            },
        },
        manifest_sha256=hashes["manifest.json"][0],
        archive=archive.keep(tmp_path / "a.tar.gz", "releases/stage/v1.tar.gz"),
        archive_sha256=archive_sha256,
    )


@pytest.fixture
def worker(site: str, tmp_path: Path) -> Iterator[ForkedProcess]:
    """A Celery worker on the tests' database, which leads a process group of its own."""
    parts = urlsplit(os.environ["DATABASE_URL"])
    database = urlunsplit(parts._replace(path="/" + str(connection.settings_dict["NAME"])))
    line = ["-m", "celery", "-A", "config", "worker", "--concurrency=1", "--without-gossip"]
    own = {"DATABASE_URL": database, "QREELS_VAR": str(settings.VAR)}
    process = ForkedProcess(
        [*line, "--without-mingle", "--without-heartbeat"],
        env={**environment("worker"), **own},
        log=tmp_path / "worker.log",
    )
    yield process
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def run_of(release: Release) -> bytes:
    """Every moment of the first query in the wrong order, the last of them a little off; nothing for the second."""
    content = archive.default_storage.open(release.archive).read()
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        member = tar.extractfile("stage-v1/test.json")
        assert member is not None
        first = json.load(member)[0]
    predictions = [
        {"video_name": moment["video_name"], "timestamp": moment["timestamp"], "score": -moment["relevance"]}
        for moment in first["relevant_moment"]
    ]
    start, end = predictions[0]["timestamp"]
    predictions[0]["timestamp"] = [start, end + 0.2]
    return json.dumps({"query_id": first["query_id"], "predictions": predictions}).encode()


def test_a_run_is_uploaded_scored_listed_and_looked_into(
    release: Release, site: str, worker: ForkedProcess, log_in: Any
) -> None:
    page = log_in("ada")
    page.goto(f"{site}/c/stage/releases/{release.pk}/")
    page.get_by_role("link", name="Leaderboard of test").click()
    page.get_by_text("Runs appear here").wait_for()
    page.set_input_files("[name=file]", {"name": "mine.jsonl", "mimeType": "text/plain", "buffer": run_of(release)})
    page.get_by_role("button", name="Upload").click()
    # The page reloads itself when the worker is done.
    page.get_by_role("heading", name="Query by query").wait_for(timeout=120_000)
    assert "1 query has no prediction and counts 0." in page.inner_text("main")
    page.get_by_role("link", name="Leaderboard of test").click()
    row = page.get_by_role("row", name="mine")
    row.wait_for()
    assert row.locator("td.best").count() == 9
    look(page, "board")
    row.get_by_role("link", name="mine").click()
    page.wait_for_url("**/runs/*/")
    look(page, "run")
    page.select_option("[name=order]", "split")
    page.get_by_role("button", name="Show").click()
    page.locator("tbody a").first.click()
    page.get_by_role("heading", name="Ground truth").wait_for()
    look(page, "query of a run")
    page.set_viewport_size({"width": 1280, "height": 720})
    assert page.locator(".truth li").count() == 4
    assert page.locator(".link").count() == 4
    # The first moment: its clip plays, and of the matches its own alone is clear.
    page.locator(".truth li").first.focus()
    video = page.locator(".truth li video")
    video.wait_for()
    page.wait_for_function("document.querySelector('.truth video')?.currentTime > 0")
    assert page.locator(".link:not(.dim)").count() == 1
    page.keyboard.press("Tab")
    page.locator(".truth li:nth-child(2) video").wait_for()
    assert page.locator(".truth li:nth-child(1) video").count() == 0
