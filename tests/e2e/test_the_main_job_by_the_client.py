"""From a folder of films to a scored release by the Python client alone, as its notebook does it, with a real site.

The notebook's cells are executed here, in their order: nbclient would do it in a kernel, a process of its own with
twenty packages that nothing else needs, and could not have people join in between.
"""

import contextlib
import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client

from annotation.models import Judgment, Pair
from corpus.models import Clip
from corpus.models.video_imports import folder_of_uploads
from datasets.models import Release, Run
from foundation.access.api_tokens import make_token
from foundation.models import Account, Collection
from tests.api.callers import EVERY_SCOPE
from tests.drawn import TwoFilms
from tests.e2e.conftest import WebServer
from tests.paths import ROOT
from tests.workers import one_worker

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

NOTEBOOK = ROOT / "client" / "notebooks" / "theatre.ipynb"
NAME = "theatre-by-api"
MOMENTS = 3
"""Of each film: enough for two batches."""


@pytest.fixture
def films(two_films: TwoFilms, tmp_path: Path) -> Path:
    """Two films of the theatre, and the first of their descriptions."""
    folder = tmp_path / "theatre"
    two_films.build(folder, videos=2)
    described = [json.loads(line) for line in (folder / "descriptions.jsonl").read_text().splitlines()]
    taken = [
        row
        for video in sorted({row["vid_name"] for row in described})
        for row in [one for one in described if one["vid_name"] == video][:MOMENTS]
    ]
    (folder / "descriptions.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in taken))
    return folder


@pytest.fixture
def tokens() -> Iterator[dict[str, str]]:
    """Of ada, who owns nothing yet, and of bo and cy, who belong nowhere yet."""
    accounts = {
        name: Account.objects.create(username=name, may_create_collections=name == "ada")
        for name in ("ada", "bo", "cy")
    }
    scopes = {"ada": tuple(scope for scope in EVERY_SCOPE if scope != "judge")}
    yield {
        name: make_token(account=account, name="notebook", scopes=scopes.get(name, ("judge",))).token
        for name, account in accounts.items()
    }
    shutil.rmtree(folder_of_uploads(Collection(name=NAME)), ignore_errors=True)


def join(link: str) -> None:
    """Bo and cy open the link, each with a browser of their own, and press the button."""
    for name in ("bo", "cy"):
        browser = Client()
        browser.force_login(Account.objects.get(username=name))
        assert browser.post(urlsplit(link).path).status_code == 302


def test_the_notebook_makes_a_release_and_scores_a_run(
    server: WebServer, films: Path, tokens: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QREELS_SITE", server.address)
    monkeypatch.setenv("QREELS_TOKEN", tokens["ada"])
    monkeypatch.setenv("QREELS_JUDGES", f"{tokens['bo']},{tokens['cy']}")
    monkeypatch.setenv("QREELS_FILMS", str(films))
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(NOTEBOOK.read_text())
    found: dict[str, Any] = {}
    said = io.StringIO()
    with one_worker(tmp_path / "worker.log"), contextlib.redirect_stdout(said):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                assert cell["outputs"] == [], "the notebook is committed without outputs"
                exec(compile("".join(cell["source"]), f"{NOTEBOOK}:{cell['id']}", "exec"), found)
            if cell["id"] == "people":
                join(found["link"])

    told = said.getvalue()
    assert "2 films are there; all were taken" in told and "6 judgments" in told
    theatre = Collection.objects.get(name=NAME)
    assert Clip.objects.filter(moment__video__collection=theatre).count() == 2 * MOMENTS
    assert theatre.videos.exclude(path="").count() == 2
    judged = Pair.objects.filter(batch__query__collection=theatre)
    assert judged.count() == 6 and Judgment.objects.filter(pair__in=judged).count() == 12
    assert {pair.grade for pair in judged} == {int(str(pair.public_id)[:8], 16) % 5 for pair in judged}
    release = Release.objects.get(collection=theatre)
    there = {str(path.relative_to(tmp_path / "release")) for path in (tmp_path / "release").rglob("*")}
    assert set(release.files) <= there and not [path for path in there if path.endswith(".part")]
    run = Run.objects.get(board__release=release)
    assert (run.state, run.name) == ("scored", "shared words")
    assert found["run"]["values"] == run.values and found["run"]["unanswered"] == 0
    assert (tmp_path / "first-clip.mp4").read_bytes()[4:8] == b"ftyp"
