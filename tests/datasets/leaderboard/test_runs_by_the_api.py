"""A program submits a run of any size: its file is sent before, and taken when the run is."""

from pathlib import Path
from typing import Any

from datasets.leaderboard.scoring import score_stored_run
from datasets.models import Run
from datasets.releases.make_release import create_release
from foundation.models import SentFile
from tests.api.callers import Caller
from tests.datasets.boards import ground_truth, lines, perfect
from tests.datasets.conftest import World


def test_a_run_and_its_manifest_come_as_files(judged: World, settings: Any, tmp_path: Path) -> None:
    settings.VIDEO_FOLDER, settings.FREE_SPACE = tmp_path / "videos", 0
    release = create_release(collection=judged.collection, name="v1")
    content = lines(perfect(ground_truth(release, tmp_path / "v1")))
    ada, here = Caller(judged.members["ada"]), "/collections/tiny"
    path = f"{here}/releases/{release.pk}/boards/test/runs"
    key = ada.send(here, "perfect.jsonl", content)
    bad = ada.send(here, "manifest.json", b"{")
    assert ada.post(path, {"name": "perfect", "file": key, "manifest": bad}).status_code == 422
    assert SentFile.objects.count() == 2, "what was refused took nothing"
    made = ada.post(path, {"name": "perfect", "file": key})
    assert (made.status_code, SentFile.objects.count()) == (202, 1)
    score_stored_run(run_id=Run.objects.get().pk)
    told = ada.get(f"{here}/runs/{made.json()['run']}").json()
    assert (told["state"], Run.objects.get().file_name) == ("scored", "perfect.jsonl")
    bo = Caller(judged.members["bo"])
    refused = bo.post(path, {"name": "mine", "file": bo.send(here, "r.jsonl", content)})
    assert refused.status_code == 404, "the release isn't shared"
