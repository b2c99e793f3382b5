"""A board takes a run that names videos by index, with a second file that says the indices."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError

from datasets.leaderboard.scoring import score_stored_run
from datasets.models import Release, Run
from datasets.releases.make_release import create_release
from tests.api.callers import Caller
from tests.datasets.boards import ground_truth, perfect
from tests.datasets.conftest import World


@pytest.fixture
def release(judged: World) -> Release:
    return create_release(collection=judged.collection, name="v1")


@pytest.fixture
def two_files(release: Release, tmp_path: Path) -> tuple[bytes, bytes]:
    """A perfect run by index, and the indices."""
    rows: list[dict[str, Any]] = perfect(ground_truth(release, tmp_path / "v1"))
    indices: dict[str, list[float]] = {}
    listed = []
    for row in rows:
        predictions = [
            [indices.setdefault(one["video_name"], [9.0, len(indices)])[1], *one["timestamp"], one["score"]]
            for one in row["predictions"]
        ]
        listed.append({"query_id": row["query_id"], "query": "a woman", "predictions": predictions})
    return json.dumps(listed).encode(), json.dumps(indices).encode()


def test_a_run_by_index_is_scored_and_downloaded_with_its_indices(
    judged: World, release: Release, two_files: tuple[bytes, bytes], client_of: Any
) -> None:
    run, indices = two_files
    ada = client_of(judged.members["ada"].account)
    address = f"/c/tiny/releases/{release.pk}/board/test/upload"
    for _ in range(2):
        sent = {"file": SimpleUploadedFile("XML.json", run), "videos": SimpleUploadedFile("v.json", indices)}
        assert ada.post(address, sent).status_code == 302
    stored = Run.objects.get()
    score_stored_run(run_id=stored.pk)
    stored.refresh_from_db()
    assert (stored.name, stored.state) == ("XML", "scored") and set(stored.values.values()) == {1.0}
    got = ada.get(f"/c/tiny/runs/{stored.pk}/file")
    assert 'filename="XML.json.zip"' in got["Content-Disposition"]
    with zipfile.ZipFile(io.BytesIO(b"".join(got.streaming_content))) as both:
        assert [both.read(name) for name in both.namelist()] == [run, indices]
    other = json.dumps({f"{name}x": row for name, row in json.loads(indices).items()}).encode()
    sent = {"file": SimpleUploadedFile("XML.json", run), "videos": SimpleUploadedFile("v.json", other)}
    assert ada.post(address, sent).status_code == 400, "another index makes another run"
    sent = {"file": SimpleUploadedFile("b.json", run), "videos": SimpleUploadedFile("v.json", b"")}
    assert (
        'id="field-videos-wrong">The videos&#x27; indices: The file is empty.'
        in ada.post(address, sent).content.decode()
    )


def test_the_command_takes_the_indices_and_says_when_they_are_missing(
    judged: World, two_files: tuple[bytes, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, videos = tmp_path / "XML.json", tmp_path / "videos.json"
    path.write_bytes(two_files[0])
    videos.write_bytes(two_files[1])
    with pytest.raises(CommandError, match="Runs refused: 1 of 1"):
        call_command("add_run", "tiny", "v1", "test", path)
    assert "--videos FILE, such as" in capsys.readouterr().err
    with pytest.raises(CommandError, match=r"nowhere can't be read: No such file"):
        call_command("add_run", "tiny", "v1", "test", path, videos=tmp_path / "nowhere")
    call_command("add_run", "tiny", "v1", "test", path, videos=videos)
    assert "1.0000" in capsys.readouterr().out
    with path.open("wb") as file:
        file.write(two_files[0].replace(b"[[", b"[[9", 1))
    with pytest.raises(CommandError, match="Runs refused"):
        call_command("add_run", "tiny", "v1", "test", path, name="wrong", videos=videos)
    assert "expected an index of a known video" in capsys.readouterr().err


def test_a_program_sends_both(judged: World, release: Release, two_files: tuple[bytes, bytes]) -> None:
    ada = Caller(judged.members["ada"])
    run, videos = (ada.send("/collections/tiny", name, part) for name, part in zip("rv", two_files, strict=True))
    new = {"name": "XML", "file": run, "videos": videos}
    told = ada.post(f"/collections/tiny/releases/{release.pk}/boards/test/runs", new)
    assert told.status_code == 202
    score_stored_run(run_id=told.json()["run"])
    assert ada.get(f"/collections/tiny/runs/{told.json()['run']}").json()["state"] == "scored"
